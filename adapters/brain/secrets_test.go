package brain_test

import (
	"strings"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/walk"
)

// A page writes what was typed its own way: in groups, in capitals, spread over
// fields, on a page that is drawn anew.
func TestWhatAFieldMadeOfASecretIsNotTold(t *testing.T) {
	t.Parallel()
	field := func(ref, selector, name, value string, y float64) walk.Element {
		return walk.Element{
			Ref: ref, Selector: selector, Role: "textbox", InputType: "text", Name: name, Value: value, Form: 1,
			Box: walk.Box{X: 20, Y: y, W: 300, H: 40}, InViewport: true, Contrast: 12, FontSize: 16,
		}
	}
	page := func(fields ...walk.Element) walk.Page {
		p := form()
		p.Elements = append([]walk.Element{p.Elements[2]}, fields...)
		return p
	}
	before := page(field("a", "#card", "Card number", "", 300), field("b", "#again", "Repeat it", "", 360), field("c", "#city", "City", "Oulu", 420))
	for name, after := range map[string][]walk.Page{
		"the same field": {page(field("a", "#card", "Card number", "4929 1111", 300), field("c", "#city", "City", "Oulu", 420))},
		"another name":   {page(field("a", "#card", "Card number (looks good)", "4929 1111", 300), field("c", "#city", "City", "Oulu", 420))},
		"another place":  {page(field("a", "#r7", "CARD NUMBER", "4929 1111", 300), field("c", "#city", "City", "Oulu", 420))},
		"spread":         {page(field("a", "#card", "Card number", "4929", 300), field("b", "#again", "Repeat it", "1111", 360), field("c", "#city", "City", "Oulu", 420))},
		"late":           {before, page(field("a", "#card", "Card number", "4929 1111", 300), field("c", "#city", "City", "Oulu", 420))},
		"dots":           {page(field("z", "#new", "PIN", "••••", 300), field("c", "#city", "City", "Oulu", 420))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, model string) {
				s := serve(t, func(q asked) *answered {
					if n := q.number("Card number"); q.n == 1 {
						return &answered{act: does("type", "element", n, "input", "card")}
					}
					return &answered{act: does("wait")}
				})
				w := walker(t, config(s.URL), model, "Pay with {{card}}", persona.Facets{}, "card")
				if d := step(t, w, before); d.Action.Secret != "card" || d.Action.Ref != "a" {
					t.Fatalf("decision %+v", d.Action)
				}
				for _, page := range append(after, after[len(after)-1]) {
					step(t, w, page)
				}
				for _, q := range s.asked()[1:] {
					if strings.Contains(q.body, "4929") || strings.Contains(q.body, "1111") || strings.Contains(q.body, "••••") {
						t.Errorf("the secret is told:\n%s", q.user)
					}
					if !strings.Contains(q.user, "holds “Oulu”") {
						t.Errorf("what the other fields hold is not told:\n%s", q.user)
					}
				}
				if last := s.asked()[len(after)+1].user; !strings.Contains(last, "holds a hidden value") {
					t.Errorf("it is not told that something is in the field:\n%s", last)
				}
			})
		})
	}
}
