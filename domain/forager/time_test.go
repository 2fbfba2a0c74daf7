package forager

import (
	"testing"

	"understudy/domain/forager/forms"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// TestTimesOfActs: a button that is pressed over and over takes the press alone, a name
// that one knows is found faster than what has to be understood, and the hand takes its
// time from the keys to the mouse.
func TestTimesOfActs(t *testing.T) {
	t.Parallel()
	page := siteOf("@ / | Desk\nfield Wish\nbutton More\nbutton Less")
	look := func(what string) (*Mind, *view, *walk.Element, *walk.Element) {
		m := New(persona.Persona{}, task.Parse(what, nil), 1)
		p := newBrowser(page).look()
		v := m.look(&p)
		return m, v, &p.Elements[0], &p.Elements[1]
	}
	press := func(e *walk.Element) *walk.Decision {
		return &walk.Decision{Action: walk.Action{Type: walk.Click, Ref: e.Ref}, Target: e, Purpose: walk.Fill, Scent: 1, Assessed: 10}
	}
	m, v, field, button := look("Set the wish to 4")
	m.move, m.steps = &forms.Move{}, 2
	first := m.timeOf(v, press(button))
	m.last = *press(button)
	if again := m.timeOf(v, press(button)); again < 2*opPress || again > first/3 {
		t.Errorf("the first press takes %d ms, the next %d", first, again)
	}
	m.last = walk.Decision{Action: walk.Action{Type: walk.Type}, Target: field, Purpose: walk.Fill}
	if back := m.timeOf(v, press(button)); back-first < opHome/2 || back-first > 2*opHome {
		t.Errorf("%d ms with the hand on the mouse, %d from the keys", first, back)
	}
	m, v, _, button = look(`Click the "More" button`)
	m.steps = 2
	if named := m.timeOf(v, press(button)); first-named < 10*(opAssess-opScan)*9/10 {
		t.Errorf("%d ms to understand ten labels, %d to hold them against a name", first, named)
	}
}

// TestAnAnswerIsHeardToItsEnd: who hears a page has spent at least the time that fast
// readers take on what they give for an answer, as those who see it have.
func TestAnAnswerIsHeardToItsEnd(t *testing.T) {
	t.Parallel()
	const fastest, words = 200, 12 // ms a word, at 300 a minute (Brysbaert 2019: 175 to 300)
	for _, f := range []persona.Facets{{ReadingWPM: 250}, {ReadingWPM: 250, ScreenReader: true}} {
		acts, steps := walkOn("@ / | Club\nlink Fees -> /fees\n@ /fees | Club\n# Fees\nThe yearly fee is 180 for adults and 60 for all students.", "Find out how much adults pay per year", f, 7)
		if last := steps[len(steps)-1]; acts[len(acts)-1] != walk.EndDone || last.SimulatedMS < fastest*words {
			t.Errorf("screen reader %v: %v after %d ms with the answer", f.ScreenReader, acts, last.SimulatedMS)
		}
	}
}

// TestWhoChangesAWordTypesThatWord: what stays of a text is not typed anew.
func TestWhoChangesAWordTypesThatWord(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"", "a note", 6}, {"a note", "", 6}, {"the fare is 12.", "the fare is 14.", 1}, {"the fare is 12.", "the fare is 12. Pay on board.", 14},
		{"same", "same", 0}, {"aaa", "aa", 1}, {"in May", "in June", 4},
	} {
		if got := changed(c.from, c.to); got != c.want {
			t.Errorf("from %q to %q %d bytes are typed, wanted %d", c.from, c.to, got, c.want)
		}
	}
}
