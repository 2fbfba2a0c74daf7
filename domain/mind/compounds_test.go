package mind

import "testing"

// TestCompoundsAndAbbreviations: instructions are found under the short name of
// a thing, and a part of a compound is not taken for a word of interfaces.
func TestCompoundsAndAbbreviations(t *testing.T) {
	t.Parallel()
	cases := []struct{ task, better, worse string }{
		{"find out how to switch on write-ahead logging", "WAL mode", "Contact"},
		{"find out how to switch on write-ahead logging", "Documentation", "Write to us"},
		{"find out how to create a full-text search table", "The FTS5 extension", "The C interface"},
		{"find out how to back up a database that is in use", "Backup API", "Go back"},
		{"find out how to back up a database that is in use", "Back up your data", "Go back"},
		{"find out how to contact the company", "Write to us", "Documentation"},
	}
	for _, c := range cases {
		g := ParseTask(c.task, nil)
		if g.Promise(0, c.better) <= g.Promise(0, c.worse) {
			t.Errorf("%s: %q promises %.2f and %q %.2f", c.task, c.better, g.Promise(0, c.better), c.worse, g.Promise(0, c.worse))
		}
	}
	for _, c := range cases[:5] {
		if a := ParseTask(c.task, nil).Subgoals[0].Answer; a != "howto" {
			t.Errorf("%s: asks for %q, want instructions", c.task, a)
		}
	}
}
