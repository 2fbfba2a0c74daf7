package reporter

import (
	stdjson "encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/segmentio/encoding/json"

	"understudy/domain/session"
)

// What a page shows comes into findings as it is: whatever the text, the quick
// decoder reads what the standard library's reads of it.
func FuzzFindingsAreReadAsTheStandardLibraryReadsThem(f *testing.F) {
	for _, text := range []string{"", "Subscribe", "\x00", "\u2028<script>&", `"\/`, "\xff\xfe", "😀 é", "\r\n\t\b\f", `\ud800`} {
		f.Add(text, 3, 0.807)
	}
	f.Add("big", math.MaxInt, math.MaxFloat64)
	f.Add("small", math.MinInt, -5e-324)
	f.Fuzz(func(t *testing.T, text string, n int, x float64) {
		found := session.Findings{
			SessionID: text, Templates: []string{text, ""}, Succeeded: n%2 == 0, Outcome: text, SimulatedMS: n,
			Way:      []session.Passage{{Place: text, Name: text, Step: n, Scent: x, Field: n%3 == 0}, {}},
			Suspects: []session.Observation{{Quote: text, Detail: text, Step: n}, {}},
			Causes:   []session.Cause{{Selector: text, Proven: true}},
		}
		raw, err := stdjson.Marshal(found)
		if err != nil {
			t.Skip(err) // no JSON has such a number
		}
		var want, got session.Findings
		if err := stdjson.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nis read as %+v,\nwant       %+v", raw, got, want)
		}
	})
}
