package forager

import (
	"fmt"
	"strings"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
)

// TestNobodySaysOneSentenceOverAndOver: all wordings of an occasion are used before one
// of them comes again, with whatever name in it.
func TestNobodySaysOneSentenceOverAndOver(t *testing.T) {
	for seed := range uint64(20) {
		m := New(persona.Persona{}, task.Parse("Find out when the bath opens", nil), seed)
		all := m.wordings("a long shot")
		used := map[string]int{}
		for i := range 2 * len(all) {
			name := fmt.Sprintf("Door %d", i)
			said := m.say("a long shot", "name", name, "goal", "to know when the bath opens")
			used[strings.ReplaceAll(said, name, "")]++
		}
		for wording, n := range used {
			if n != 2 || len(used) != len(all) {
				t.Fatalf("seed %d: %q was said %d times, and %d of %d wordings were used", seed, wording, n, len(used), len(all))
			}
		}
	}
}

// TestAPageSaysNothingIntoThoughts: what a page calls something is quoted as it is, even where
// it is written as what thoughts are made of.
func TestAPageSaysNothingIntoThoughts(t *testing.T) {
	m := New(persona.Persona{}, task.Parse("Find out when the bath opens", nil), 1)
	if said := m.say("the very thing", "name", "{goal} for {user}", "goal", "to swim"); !strings.Contains(said, "“{goal} for {user}”") {
		t.Errorf("%q", said)
	}
}
