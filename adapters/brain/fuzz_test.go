package brain

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"understudy/domain/forager"
	"understudy/domain/walk"
)

// FuzzAnswer: whatever a model server answers, what is done is one of the acts, on controls
// that are there and can be used, with an input that there is or a text that is not too long;
// or why not is told in few words.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"thought":"t","action":"type","element":1,"text":null,"input":"password","to":null,"remember":"r"}`, `{"action":"type","element":1,"text":"{{ pin }}"}`,
		`{"action":"append","element":5,"text":"a"}`, `{"action":"select","element":2,"text":" GERMAN "}`, `{"action":"check","element":3}`, `{"action":"upload","element":4,"text":"a.pdf"}`,
		`{"action":"drag","element":3,"to":1}`, `{"action":"drag","element":3,"to":6}`, `{"action":"press","text":"Enter","element":6}`, `{"action":"click","element":-1}`, `{"action":"scroll_up"}`,
		`{"action":"scroll","text":"far"}`, `{"action":"back"} {"action":"click"}`, `{"action":"click","element":1e99}`, `{"action":"done","url":""}`, `{"action":null}`, `[]`,
	} {
		f.Add(seed, "")
		f.Add("", "I do this: "+seed+".")
	}
	f.Add("", "}{")
	f.Add(`{"action":"`+strings.Repeat("x", 1000)+`"}`, "")
	controls := []forager.Sensed{
		{Usable: true, Element: walk.Element{Ref: "e1", Role: "textbox"}},
		{Usable: true, Element: walk.Element{Ref: "e2", Role: "combobox", Options: []string{"English", "German"}}},
		{Usable: true, Element: walk.Element{Ref: "e3", Role: "checkbox"}},
		{Usable: true, Element: walk.Element{Ref: "e4", Role: "file"}},
		{Usable: true, Element: walk.Element{Ref: "e5", Role: "combobox", InputType: "text", Options: []string{"A"}}},
		{Element: walk.Element{Ref: "e6", Role: "button"}},
	}
	usable, inputs := []string{"", "e1", "e2", "e3", "e4", "e5"}, []string{"password"}
	f.Fuzz(func(t *testing.T, arguments, text string) {
		said, does, err := understand(reply{arguments: arguments, text: text}, controls, inputs)
		switch {
		case err != nil && len(err.Error()) > 1000:
			t.Errorf("why %q and %q are no act is told in %d bytes", arguments, text, len(err.Error()))
		case err != nil:
		case does.Type != walk.Scroll && !slices.Contains(acts, string(does.Type)),
			!slices.Contains(usable, does.Ref) || !slices.Contains(usable, does.To),
			does.Secret != "" && (does.Text != "" || !slices.Contains(inputs, does.Secret)),
			utf8.RuneCountInString(does.Text) > maxTyped || !utf8.ValidString(does.Text),
			does.Type == walk.Select && !slices.Contains(controls[*said.Element-1].Element.Options, does.Text):
			t.Errorf("%q and %q do %+v", arguments, text, does)
		}
	})
}
