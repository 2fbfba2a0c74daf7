package httpapi

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// plainJSON is a value as decorate is to write it: Go's own JSON without the
// escapes that are for HTML only.
func plainJSON(t *rapid.T, v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func anyJSON(depth int) *rapid.Generator[any] {
	leaves := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.SampledFrom([]string{"", "a b", "<a href=\"?x&y\">", "tab\tline\n", "back\\slash", "\u2028 \u007f \x00", "naïve 😀"}), func(s string) any { return s }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.SampledFrom([]string{"0", "-1", "1.50", "12345678901234567890", "2e10", "1E-7"}), func(s string) any { return json.Number(s) }),
		rapid.Just(any(nil)),
	)
	if depth == 0 {
		return leaves
	}
	return rapid.OneOf(leaves,
		rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 4), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(rapid.String(), anyJSON(depth-1), 0, 4), func(v map[string]any) any { return v }),
	)
}

func TestDecorateKeepsWhatIsThereAndAddsWhatIsNot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := anyJSON(3).Draw(t, "value")
		stored, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "spaced") {
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, stored, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			stored = spaced.Bytes()
		}
		got, err := decorate(stored, func(int, fields) []member { return nil })
		if err != nil || !bytes.Equal(got, plainJSON(t, value)) {
			t.Fatalf("%s became %s, %v", stored, got, err)
		}
		object, is := value.(map[string]any)
		if !is {
			return
		}
		object["\U0010ffff"] = "added" // sorts behind all others
		got, err = decorate(stored, func(depth int, has fields) []member {
			if depth > 0 {
				return nil
			}
			return []member{{"\U0010ffff", "added"}}
		})
		if err != nil || !bytes.Equal(got, plainJSON(t, object)) {
			t.Fatalf("%s with a field became %s, %v", stored, got, err)
		}
	})
}

func TestDecorateRefusesWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{"", "{", `{"a":1,}`, `{"a"}`, `[1 2]`, `"open`, `{"a":1}}`, "tru"} {
		if out, err := decorate([]byte(doc), func(int, fields) []member { return nil }); err == nil {
			t.Errorf("%q became %q", doc, out)
		}
	}
}
