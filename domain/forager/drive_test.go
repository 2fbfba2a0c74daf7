package forager

import (
	"strconv"
	"strings"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// do carries an act out.
func (b *browser) do(d *walk.Decision) walk.Effect {
	var e *walk.Element
	for i := range b.page.Elements {
		if b.page.Elements[i].Ref == d.Action.Ref && d.Action.Ref != "" {
			e = &b.page.Elements[i]
		}
	}
	eff := walk.Effect{URL: b.page.URL, Arrived: true}
	key := walk.Path(b.page.URL) + "|"
	if e != nil {
		key += e.Name
	}
	switch d.Action.Type {
	case walk.Type, walk.Append, walk.Select:
		b.values[key] = d.Action.Text
		if d.Action.Type == walk.Select && b.leads[e.Ref] != "" {
			b.lead(b.leads[e.Ref], true, &eff)
		}
	case walk.Scroll:
		eff.Scrolled = b.scroll(e, d.Action.Text)
	case walk.Back:
		if n := len(b.behind); n > 0 {
			b.at, b.behind, b.scrollY, b.boxY = b.behind[n-1], b.behind[:n-1], 0, 0
			eff.Navigated, eff.Mutated = true, true
		}
	case walk.Click, walk.DoubleClick, walk.RightClick, walk.Check, walk.Press, walk.Hover:
		switch {
		case e != nil && b.takes[e.Ref] != "" && b.takes[e.Ref] != string(d.Action.Type):
		case e != nil && e.Role == "checkbox":
			b.values[key] = "on"
			eff.Mutated = true
		case e != nil && b.leads[e.Ref] != "" && (!walk.IsField(e) || d.Action.Text == "Enter"):
			b.lead(b.leads[e.Ref], e.Submit, &eff)
		}
	case walk.Upload, walk.Drag, walk.Wait, walk.Done, walk.GiveUp:
	}
	return eff
}

// lead goes to another page, to another state of this one, or so many px down in it.
func (b *browser) lead(to string, sent bool, eff *walk.Effect) {
	if y, err := strconv.Atoi(strings.TrimPrefix(to, "#")); err == nil {
		b.scrollY, eff.Scrolled = min(float64(y), b.page.Height-height), true
		return
	}
	before := b.page.URL
	from := b.at
	b.at, b.boxY = to, 0
	page := b.look()
	eff.Mutated, eff.URL, eff.Status = true, page.URL, page.Status
	if eff.Navigated = page.URL != before || page.Status >= 400; eff.Navigated {
		b.scrollY = 0
		b.behind = append(b.behind, from)
	}
	if sent {
		eff.Requests = []walk.Request{{Method: "POST", URL: page.URL, Status: page.Status, Kind: "document", Caused: true}}
	}
}

func (b *browser) scroll(e *walk.Element, way string) bool {
	y, box := b.scrollY, b.boxY
	switch {
	case e != nil && e.InDialog:
		b.boxY = min(b.boxY+700, max(b.boxY, b.boxEnd-700))
		return b.boxY != box
	case e != nil && way == "":
		b.scrollY += e.Box.Y - height/2
	case way == "up":
		b.scrollY -= 0.9 * height
	default:
		b.scrollY += 0.9 * height
	}
	b.scrollY = max(0, min(b.scrollY, b.page.Height-height))
	return b.scrollY != y
}

// said is an act as somebody who watches would write it down.
func said(d *walk.Decision) string {
	name := ""
	if d.Target != nil {
		name = " " + d.Target.Name
	}
	switch {
	case d.End != "":
		return d.End
	case d.Action.Type == walk.Scroll && d.Action.Text == "":
		return "go to" + name
	case d.Action.Type == walk.Type || d.Action.Type == walk.Append || d.Action.Type == walk.Select:
		return string(d.Action.Type) + name + "=" + strings.TrimSpace(d.Action.Text)
	case d.Action.Type == walk.Press:
		return "press " + d.Action.Text
	case d.Action.Type == walk.Scroll && name != "":
		return "scroll in" + name
	}
	return string(d.Action.Type) + name
}

// most is how many steps a walk has.
const most = 200

// walkOn walks a site to the end.
func walkOn(site, what string, f persona.Facets, seed uint64) (acts []string, steps []walk.Decision) {
	m := New(persona.Persona{Facets: f}, task.Parse(what, nil), seed)
	b := newBrowser(siteOf(site))
	var eff walk.Effect
	for range most {
		d := m.Step(b.look(), eff)
		acts, steps = append(acts, said(&d)), append(steps, d)
		if d.End != "" {
			return acts, steps
		}
		eff = b.do(&d)
	}
	return append(acts, walk.EndLimit), steps
}

// scene is a walk and what is seen of it: the acts and the end.
type scene struct {
	name, task string
	f          persona.Facets
	site, want string
}

func play(t *testing.T, scenes []scene) {
	t.Helper()
	for i := range scenes {
		s := &scenes[i]
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			acts, steps := walkOn(s.site, s.task, s.f, 7)
			if got := strings.Join(acts, ", "); got != s.want {
				t.Errorf("%s\n got %s\nwant %s", s.task, got, s.want)
				for i := range steps {
					t.Logf("%-28s %.2f %s", acts[i], steps[i].Scent, steps[i].Thought)
				}
			}
		})
	}
}
