package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"testing"
)

// FuzzBodies gives every operation that takes a body any body at all.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"url":"https://e.x","task":"t","inputs":{"a/b":"\u0000"}}`, `[[[[1]]]]`, `{"a":{"b":[null,-1e9,true,"\"]}"]}}`, `{"":[],"":{}}`,
		`{"personas":{"source":"custom","persona_ids":["x","x"]}}`, `{"a":{"test_id":"x","url":"y"},"b":null}`, "[\"\\\\\",\"\xff\"]", `1e400`, `{} {}`,
	} {
		f.Add([]byte(seed))
	}
	d, err := loadDocument("http://understudy.test/v1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		value, err := parseJSON(raw)
		if err != nil {
			return
		}
		if depth, values := measured(t, raw); depth > maxNesting || values > maxValues {
			t.Fatalf("%d values, %d deep, were read: %q", values, depth, raw)
		}
		for route, op := range d.operations {
			if op.body == nil {
				continue
			}
			faults := d.bodyFaults(op.body, value)
			if len(faults) > maxFaults {
				t.Errorf("%s: %d faults", route, len(faults))
			}
			for _, fault := range faults {
				if len(fault.Pointer) > 2*maxPointer || fault.Message == "" || fault.Code == "" {
					t.Errorf("%s: %+v", route, fault)
				}
			}
			if again := d.bodyFaults(op.body, value); !reflect.DeepEqual(faults, again) {
				t.Errorf("%s: %v, and then %v", route, faults, again)
			}
		}
	})
}

// measured is the extent of JSON as the standard library reads it.
func measured(t *testing.T, raw []byte) (nesting, values int) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nesting, values
		}
		if err != nil { // a number that is out of range
			return nesting, values
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
			nesting = max(nesting, depth)
			values++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
}
