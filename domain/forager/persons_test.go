package forager

import (
	"slices"
	"strings"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/walk"
)

// TestBarsAreTriedOnce: what stands on every page is one thing everywhere.
func TestBarsAreTriedOnce(t *testing.T) {
	t.Parallel()
	play(t, []scene{{
		name: "a link of the site's bar that was tried in vain is not tried again", task: "Find out when the workshop for beginners starts",
		site: `@ / | Studio
			[navigation]
			link Workshop -> /workshop
			link Calendar -> /calendar
			[]
			# Studio
			We work with clay.
			@ /workshop | The room
			[navigation]
			link Workshop -> /workshop
			link Calendar -> /calendar
			[]
			# The room
			It has a kiln and six wheels.
			@ /calendar | Calendar
			[navigation]
			link Workshop -> /workshop
			link Calendar -> /calendar
			[]
			# Calendar
			It is a long list.
			~
			The workshop for beginners starts on 4 May at 18:00.`,
		want: "click Workshop, click Calendar, scroll, done",
	}})
}

// TestPeopleReachWhatTheyCan: who hears a page is told all of it, who has no
// pointer uses no control that wants one.
func TestPeopleReachWhatTheyCan(t *testing.T) {
	t.Parallel()
	const plans = `@ / | Boats
		# Boats
		button What a day costs -> /~prices ; mouse
		link All offers and prices -> /offers
		@ /~prices | Boats
		# Boats
		A day is 90 pounds.
		@ /offers | Offers
		# Offers and prices
		A day is 90 pounds.`
	play(t, []scene{{
		name: "a screen reader reads on", task: "Find out who the treasurer is", f: persona.Facets{ScreenReader: true},
		site: `@ / | Club
			# Our club
			We meet every Tuesday evening.
			~
			Bring your own boat.
			~
			The treasurer is Maria Gomez.`,
		want: "scroll, scroll, done",
	}, {
		name: "a screen reader uses what is off the screen", task: "Open the prices", f: persona.Facets{ScreenReader: true},
		site: `@ / | Boats
			# Boats
			~
			link Prices -> /prices
			@ /prices | Prices
			# Prices
			A day is 90 pounds.`,
		want: "click Prices, done",
	}, {
		name: "with a pointer", task: "Find out what a day costs",
		site: plans, want: "click What a day costs, done",
	}, {
		name: "with keys only", task: "Find out what a day costs", f: persona.Facets{KeyboardOnly: true},
		site: plans, want: "click All offers and prices, done",
	}})
}

// maze is a site that never helps.
func maze() string {
	rooms := []string{"Records", "Papers", "Letters", "Drawings", "Maps", "Ledgers", "Stamps", "Seals"}
	var b strings.Builder
	b.WriteString("@ / | Vault\n# Vault\nNothing is said here that would help anybody.\n")
	for _, r := range rooms {
		b.WriteString("link " + r + " -> /" + r + "\n~\n")
	}
	for i, r := range rooms {
		next := rooms[(i+1)%len(rooms)]
		b.WriteString("@ /" + r + " | " + r + "\n# " + r + "\n" + strings.Repeat("They lie in boxes of many sizes.\n~\n", 6) + "link " + next + " -> /" + next + "\n")
	}
	return b.String()
}

// TestTheImpatientGiveUpEarlier: on a site that never helps.
func TestTheImpatientGiveUpEarlier(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		spent := func(patience float64) (ms int, end string) {
			acts, steps := walkOn(maze(), "Find out who painted the portrait of the founder", persona.Facets{Patience: patience}, seed)
			for i := range steps {
				ms += steps[i].SimulatedMS
			}
			return ms, acts[len(acts)-1]
		}
		hasty, end := spent(0.2)
		calm, last := spent(5)
		if end != walk.EndGaveUp && end != walk.EndBlocked || last == walk.EndDone || last == walk.EndLimit {
			t.Errorf("seed %d: the hasty end with %s, the calm with %s", seed, end, last)
		}
		if hasty >= calm {
			t.Errorf("seed %d: the hasty stay %d ms, the calm %d", seed, hasty, calm)
		}
	}
}

// TestFaintThingsAreMissed: by those who need more contrast, who are told of nothing
// that they did not see.
func TestFaintThingsAreMissed(t *testing.T) {
	t.Parallel()
	const site = `@ / | Boats
		# Boats
		link Prices -> /prices ; faint
		@ /prices | Prices
		# Prices
		A day is 90 pounds.`
	sharp, _ := walkOn(site, "Open the prices", persona.Facets{}, 3)
	weak, steps := walkOn(site, "Open the prices", persona.Facets{Vision: persona.Vision{ContrastFactor: 4}}, 3)
	if got := strings.Join(sharp, ", "); got != "click Prices, done" {
		t.Errorf("the sharp-sighted: %s", got)
	}
	if slices.Contains(weak, "click Prices") {
		t.Errorf("the weak-sighted: %q", weak)
	}
	if !slices.ContainsFunc(steps, func(d walk.Decision) bool {
		return slices.ContainsFunc(d.Signals, func(s walk.Signal) bool { return s.Kind == walk.SigHardToSee })
	}) {
		t.Error("that it was hard to see is not kept")
	}
}
