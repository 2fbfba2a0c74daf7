package forager

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// screen is one screen of an application as somebody wrote it down who knows nothing of
// this package, with what a sensible person would use first.
type screen struct {
	Task, Title, Heading string
	Controls             []struct {
		Role, Name, RowText, Area string
		Row                       int
	}
	Right []int
}

// areas are the kinds of regions that the parts of a screen are.
var areas = map[string]string{"nav": "navigation", "toolbar": "section", "sidebar": "complementary", "dialog": "dialog", "footer": "contentinfo"}

func (s *screen) page() walk.Page {
	p := walk.Page{URL: host + "/screen", Title: s.Title, Status: 200, Viewport: walk.Size{Width: width, Height: 4000}, Height: 4000}
	put := func(text, kind string, box walk.Box, row, region int, dialog bool) {
		p.Texts = append(p.Texts, walk.Text{Text: text, Kind: kind, Level: 1, Box: box, Contrast: 12, FontSize: 16, Region: region, Row: row, InDialog: dialog, InViewport: true})
	}
	if s.Heading != "" {
		put(s.Heading, "heading", walk.Box{X: 300, Y: 60, W: 600, H: 30}, 0, -1, false)
	}
	over := slices.ContainsFunc(s.Controls, func(c struct {
		Role, Name, RowText, Area string
		Row                       int
	}) bool {
		return c.Area == "dialog"
	})
	regions, rows, y := map[string]int{}, map[int]float64{}, 100.0
	for i, c := range s.Controls {
		region, ok := regions[c.Area]
		if !ok {
			region = -1
			if kind := areas[c.Area]; kind != "" {
				region = len(p.Regions)
				p.Regions = append(p.Regions, walk.Region{Kind: kind})
			}
			regions[c.Area] = region
		}
		box := walk.Box{X: 300, Y: y, W: 160, H: 24}
		at, begun := rows[c.Row]
		switch {
		case c.Row > 0 && begun:
			box.X, box.Y = 700+170*float64(len(p.Elements)%3), at
		case c.Row > 0:
			rows[c.Row] = y
			put(c.RowText, "cell", walk.Box{X: 480, Y: y, W: 200, H: 24}, c.Row, region, c.Area == "dialog")
			y += 36
		default:
			y += 36
		}
		e := walk.Element{Ref: "e" + strconv.Itoa(i), Selector: "c" + strconv.Itoa(i), Role: c.Role, Name: c.Name, Box: box, Contrast: 12, FontSize: 15, Region: region, Row: c.Row,
			InViewport: true, InDialog: c.Area == "dialog"}
		if e.Role == "link" || e.Role == "menuitem" && c.Area == "nav" {
			e.Href = host + "/" + strconv.Itoa(i)
		}
		if over && !e.InDialog {
			e.CoveredBy = "dialog"
		}
		p.Elements = append(p.Elements, e)
	}
	return p
}

// first is what a simulated user uses first on the screen, -1 for nothing.
func (s *screen) first(seed uint64) (int, walk.Decision) {
	m := New(persona.Persona{}, task.Parse(s.Task, nil), seed)
	var d walk.Decision
	for range 8 {
		p := s.page()
		d = m.Step(p, walk.Effect{URL: p.URL})
		if d.End != "" {
			break
		}
		if d.Action.Type != walk.Scroll && d.Target != nil {
			for i := range p.Elements {
				if p.Elements[i].Ref == d.Target.Ref {
					return i, d
				}
			}
		}
	}
	return -1, d
}

// screens are those of the corpus.
func screens(t *testing.T) (all []screen) {
	f, err := os.Open(cmp.Or(os.Getenv("SCREENS"), "testdata/screens.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s screen
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// TestReaderReadsAnyScreen tells of any label what it promises, from 0 to 1.
func TestReaderReadsAnyScreen(t *testing.T) {
	for _, s := range screens(t) {
		goal, p := task.Parse(s.Task, nil), s.page()
		r := NewReader(goal)
		for i := range goal.Subgoals {
			for _, c := range s.Controls {
				if got := r.Promise(i, &p, c.Name); !(got >= 0 && got <= 1) {
					t.Errorf("%s: %q promises %v", s.Task, c.Name, got)
				}
			}
		}
	}
}

// leastRight is the share of screens on which what is used first is right, at least.
const leastRight = 0.4

// TestScreens uses first what people would use.
func TestScreens(t *testing.T) {
	all, right := 0, 0
	for _, s := range screens(t) {
		all++
		at, d := s.first(1)
		if slices.Contains(s.Right, at) {
			right++
			continue
		}
		name := d.End
		if at >= 0 {
			name = s.Controls[at].Role + " " + s.Controls[at].Name
		}
		t.Logf("%d. %s [%s]\n\t%s %s, in place of %s", all, s.Task, s.Title, d.Action.Type, name, s.Controls[s.Right[0]].Name)
	}
	t.Logf("%d of %d", right, all)
	if float64(right) < leastRight*float64(all) {
		t.Errorf("%d of %d first uses are right", right, all)
	}
}
