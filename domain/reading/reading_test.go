package reading

import (
	"strings"
	"testing"

	"understudy/domain/task"
	"understudy/domain/walk"
)

// page is one of a club, with a heading and texts one below the other.
func page(title string, texts ...string) *walk.Page {
	p := &walk.Page{Title: title, Viewport: walk.Size{Width: 1280, Height: 800}}
	for i, s := range texts {
		t := walk.Text{Text: s, Kind: "paragraph", Box: walk.Box{X: 20, Y: float64(40 * i), W: 600, H: 20}, InViewport: true, Region: -1}
		if rest, ok := strings.CutPrefix(s, "# "); ok {
			t.Text, t.Kind, t.Level = rest, "heading", 1
		}
		p.Texts = append(p.Texts, t)
	}
	return p
}

func TestTheAnswerIsTold(t *testing.T) {
	for _, c := range []struct {
		task  string
		texts []string
		want  string // part of the passage that answers, "" for none
	}{
		{"Find out how much children pay for a day ticket.",
			[]string{"# Prices", "A day ticket is £9 for children and £14 for adults.", "Dogs are welcome on a lead."}, "£9 for children"},
		{"Find out who the secretary of the choir is.",
			[]string{"# About the choir", "The choir sings on Tuesdays.", "Our secretary is Mona Keller."}, "Mona Keller"},
		{"Find out in which year the bakery moved to the harbour.",
			[]string{"# Our story", "The bakery opened in 1921.", "In 1968 the bakery moved to the harbour."}, "1968"},
		{"Find out how much children pay for a day ticket.",
			[]string{"# Dogs", "Dogs are welcome on a lead.", "The garden has 40 kinds of roses."}, ""},
	} {
		s := task.Parse(c.task, nil).Subgoals[0]
		p := page("The club", c.texts...)
		found := Answers(&s, p, Passages(p), "")
		switch {
		case c.want == "":
			if len(found) > 0 && found[0].Score >= Enough {
				t.Errorf("%s: %q is taken for an answer (%.2f)", c.task, found[0].Passage.Text, found[0].Score)
			}
		case len(found) == 0 || !strings.Contains(found[0].Passage.Text, c.want) || found[0].Score < Enough:
			t.Errorf("%s: %+v", c.task, found)
		}
	}
}
