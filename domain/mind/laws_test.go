package mind

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// hidden is what stands in a password field: it is nowhere but there.
const hidden = "x7!hidden-in-a-password-field"

// FuzzStep walks pages of nonsense. Whatever a page says, a decision keeps the
// laws, is the same for the same person from the same seed, and does not depend
// on what the person is called.
func FuzzStep(f *testing.F) {
	f.Add("Send £50 to Ines Calder", "radio", "Amount", "such as 60-83-01", "2026-05-01")
	f.Add("Turn off \xff emails", "switch", "Day", "at least 99 characters", "0000-00-00")
	f.Add("Book for tomorrow at 25:99", "combobox", "10:77", "up to 1 character", "x")
	f.Add("Log in with your password", "password", "Password", "Your password is wrong", "")
	f.Add("Upload a photo", "file", "Photo", "A photo of the roof", ".png")
	f.Add("Open the menu and read about opening hours", "menuitem", "Menu", "Opening hours", "true")
	f.Fuzz(func(t *testing.T, task, role, name, help, low string) {
		if len(task)+len(role)+len(name)+len(help)+len(low) > 2048 {
			t.Skip("a bound on time needs one on what there is to read")
		}
		page := nonsense(role, name, help, low)
		goal := ParseTask(task, []string{"password"})
		other := plain
		other.ID, other.Name, other.Summary = "per_other", name, help
		minds := []*Mind{New(plain, goal, 1, Tuning{}), New(plain, ParseTask(task, []string{"password"}), 1, Tuning{}), New(other, goal, 1, Tuning{})}
		o := NewOracle(goal, SuccessConditions{}, page)
		for i := range 6 {
			eff := Effect{Mutated: i%2 == 0, Navigated: i%3 == 0, Requests: post, Dialogs: []string{help}}
			o.Observe(page, eff)
			var d Decision
			for who, m := range minds {
				look := clonePage(page)
				again := m.Step(look, eff)
				if !reflect.DeepEqual(look, page) {
					t.Errorf("a look changed the page to %+v", look)
				}
				if who == 0 {
					d = again
				} else if !reflect.DeepEqual(d, again) {
					t.Errorf("step %d of another of the same (%d):\n%+v, not\n%+v", i, who, again, d)
				}
			}
			lawful(t, &page, len(goal.Subgoals), d)
			if d.End != "" {
				break
			}
			if e := page.element(d.Action.Ref); e != nil && d.Action.Secret == "" {
				e.Value = d.Action.Text // what was entered stands there
			}
		}
	})
}

// nonsense is a page of every kind of control with fuzzed words on them.
func nonsense(role, name, help, low string) Page {
	return pageOf(heading1(name),
		Element{Role: role, Name: name, Help: help, Min: low, Max: low, Pattern: help, Options: []string{name, help}, Form: 1, Required: true, Error: help},
		Element{Role: "textbox", Name: name, Help: help, Error: help, InputType: role, Min: low, Form: 1, MaxLength: len(help)},
		Element{Role: "textbox", Name: help, InputType: "password", Value: hidden, Form: 1},
		Element{Role: "combobox", Name: help, Options: []string{low, name}, Form: 1},
		Element{Role: "checkbox", Name: low, Form: 1},
		Element{Role: "button", Name: help, Submit: true, Form: 1},
		Element{Role: "link", Name: name, Href: "https://example.com/" + low},
		Element{Role: "button", Name: low, Expanded: "false", Submenu: true},
		Element{Role: "button", Name: name, Disabled: true},
		Text{Text: help, Kind: role})
}

func clonePage(p Page) Page {
	p.Elements = slices.Clone(p.Elements)
	for i := range p.Elements {
		p.Elements[i].Options = slices.Clone(p.Elements[i].Options)
	}
	p.Texts, p.Regions = slices.Clone(p.Texts), slices.Clone(p.Regions)
	return p
}

func (p *Page) element(ref string) *Element {
	i := slices.IndexFunc(p.Elements, func(e Element) bool { return e.Ref == ref })
	if i < 0 {
		return nil
	}
	return &p.Elements[i]
}

// anHour is the most that one step takes a person on a page of so few words.
const anHour = 3600 * 1000

// lawful checks what holds of every decision.
func lawful(t *testing.T, page *Page, subgoals int, d Decision) {
	t.Helper()
	for what, broken := range map[string]bool{
		"scent is not in [0,1]":         !(d.Scent >= 0 && d.Scent <= 1),
		"frustration is not in [0,1]":   !(d.Frustration >= 0 && d.Frustration <= 1),
		"time is not in 0 to an hour":   d.SimulatedMS < 0 || d.SimulatedMS > anHour,
		"counts are negative":           d.Assessed < 0 || d.WordsRead < 0 || d.Rivals < 0,
		"there is no such subgoal":      d.Subgoal < 0 || d.Subgoal >= subgoals,
		"a hidden value is told":        strings.Contains(d.Observation+d.Thought, hidden),
		"a secret is typed as text":     d.Action.Secret != "" && d.Action.Text != "",
		"nothing is said of what it is": d.Thought == "" || d.Observation == "" || d.Purpose == "",
	} {
		if broken {
			t.Errorf("%s: %+v", what, d)
		}
	}
	target := page.element(d.Action.Ref)
	if d.Action.Ref != "" && (target == nil || d.Target == nil || !reflect.DeepEqual(*target, *d.Target)) {
		t.Errorf("acts on what is not on the look: %+v", d)
		return
	}
	ends, needs, fits := false, true, true
	switch d.Action.Type {
	case Done:
		ends, needs, fits = true, false, d.End == EndDone
	case GiveUp:
		ends, needs, fits = true, false, d.End == EndGaveUp || d.End == EndBlocked
	case Press, Scroll, Back, Wait:
		needs = false
	case Type:
		fits = target != nil && isField(target) && target.Role != "checkbox" && target.Role != "radio" && target.Role != "switch" && target.Role != "file"
	case Select:
		fits = target != nil && slices.Contains(target.Options, d.Action.Text)
	case Check, Upload:
		fits = target != nil && isField(target)
	case Drag:
		fits = page.element(d.Action.To) != nil
	case Click, Hover:
	default:
		fits = false
	}
	if ends != (d.End != "") {
		t.Errorf("neither goes on nor ends: %+v", d)
	}
	if needs && target == nil || !fits {
		t.Errorf("no act for what it is done to: %+v", d)
	}
	if target != nil && target.Disabled {
		t.Errorf("acts on what cannot be used: %+v", d)
	}
}
