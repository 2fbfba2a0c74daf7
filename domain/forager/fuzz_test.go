package forager

import (
	"encoding/json"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// FuzzStep: whatever a page and an effect hold, a step is a step.
func FuzzStep(f *testing.F) {
	seed := func(what, spec string) {
		page := newBrowser(siteOf(spec)).look()
		raw, err := json.Marshal(page)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(what, raw, []byte(`{"Navigated":true,"mutated":true}`), uint64(1))
	}
	seed("Find out who the treasurer is", "@ / | Club\n# Club\nThe treasurer is Maria Gomez.\nlink News -> /news")
	seed("Sign up with the email ada@example.com", "@ / | Club\n[form] Sign up\nfield Email\ncheck I agree\nsubmit Sign up -> /in")
	seed("Delete the note \"Milk\"", "@ / | Notes\n- Milk | button Delete\n[dialog] Sure?\nbutton Delete\nbutton Cancel")
	f.Add("Click the 5th result", []byte(`{"elements":[{"ref":"e1","role":"link","name":">","region":99,"row":-1,"box":{"x":-1e308,"y":1e308,"w":1e308,"h":5e-324},"in_viewport":true}]}`), []byte(`{}`), uint64(0))
	f.Add("", []byte(`{}`), []byte(`{"failed":"x"}`), ^uint64(0))
	f.Fuzz(func(t *testing.T, what string, look, effect []byte, seed uint64) {
		var page walk.Page
		var last walk.Effect
		if json.Unmarshal(look, &page) != nil || json.Unmarshal(effect, &last) != nil {
			t.Skip("not a look")
		}
		for _, facets := range []persona.Facets{{}, {ScreenReader: true}, {KeyboardOnly: true, MotorPrecision: 0.1, Patience: 0.2}} {
			m := New(persona.Persona{Facets: facets}, task.Parse(what, nil), seed)
			eff := walk.Effect{}
			for range 4 {
				d := m.Step(page, eff)
				if d.SimulatedMS < 0 || d.SimulatedMS > longestStep {
					t.Fatalf("a step of %d ms: %+v", d.SimulatedMS, d)
				}
				if d.End != "" {
					break
				}
				eff = last
			}
		}
	})
}
