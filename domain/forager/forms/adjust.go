package forms

import (
	"math"

	"understudy/domain/walk"
)

// A spinner's buttons touch its field or nearly so, and the number of a slider
// stands not far from it, in px: assumptions.
const (
	nearSpinner = 60
	nearSlider  = 3 * above
	// fewTurns is how often a button is rather pressed than a number typed.
	fewTurns = 10
)

// adjust presses what makes a number more or less until it stands: the buttons of
// a spinner, else the arrow keys. The native slider takes its value at once.
func (c *Clerk) adjust(l *look, en *entry, m Move, mem *memory) (Move, bool) {
	f := en.f
	if f.e.Role == "slider" && f.e.InputType == "range" {
		return m.on(f.e, WhyAdjust), mem.steps < maxTries
	}
	want, ok := parseNumber(m.text)
	now := l.shown(f)
	if !ok || mem.steps >= maxTurns || mem.idle >= maxTries {
		return Move{}, false
	}
	if now == want {
		e := c.errand(l.Subgoal)
		e.touched = e.touched || len(en.values) > 0
		e.stand(en.values, "")
		return Move{}, false
	}
	m.values, m.text = nil, ""
	rule, key := "more", "ArrowRight"
	switch spins := f.e.Role == "spinbutton"; {
	case want < now && spins:
		rule, key = "less", "ArrowDown"
	case want < now:
		rule, key = "less", "ArrowLeft"
	case spins:
		key = "ArrowUp"
	}
	button, _ := best(l.elements, near(nearSpinner), func(e *walk.Element) float64 {
		if e.Disabled || walk.IsField(e) || !says(rule, e.Name) && !says(rule, e.Tip) || e.Row != f.e.Row {
			return 0
		}
		return near(apart(e.Box, f.e.Box))
	})
	if button != nil && mem.idle == 0 { // else the key may do it
		m.Action = walk.Action{Type: walk.Click}
		return m.on(button, WhyAdjust), true
	}
	return m.press(f.e, key, WhyAdjust), true
}

// toTurn: the task names what is turned, and there are few turns to the number.
func (l *look) toTurn(f *field, text string) bool {
	roles := rolesOf(l.Subgoal.Widget)
	want, ok := parseNumber(text)
	return ok && len(roles) == 1 && roles[0] == f.e.Role && math.Abs(want-l.shown(f)) <= fewTurns
}

// shown is the number that a field holds, else the one that stands by it, else the
// least that it takes.
func (l *look) shown(f *field) float64 {
	if n, ok := parseNumber(f.e.Value); ok {
		return n
	}
	by, _ := best(l.texts, near(nearSlider), func(t *walk.Text) float64 {
		if _, ok := parseNumber(t.Text); !ok {
			return 0
		}
		return near(apart(t.Box, f.e.Box))
	})
	n, _ := parseNumber(f.e.Min)
	if by != nil {
		n, _ = parseNumber(by.Text)
	}
	return n
}
