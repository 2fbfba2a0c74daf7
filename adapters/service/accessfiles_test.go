package service

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
)

// FuzzRow puts any text into a row of CSV: it ends where it began, and no cell is a
// formula.
func FuzzRow(f *testing.F) {
	for _, seed := range []string{"plain", "=1+1", "@a", "-1", "\ttab", "\"q\",\r\n;", "\xff\xfe", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, foreign string) {
		var out bytes.Buffer
		if err := row(&out, foreign, "last"); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 2 || rows[0][1] != "last" {
			t.Fatalf("%q: %q, %v", foreign, rows, err)
		}
		if strings.IndexAny(rows[0][0], "=+-@\t\r") == 0 {
			t.Errorf("%q is a formula: %q", foreign, rows[0][0])
		}
	})
}
