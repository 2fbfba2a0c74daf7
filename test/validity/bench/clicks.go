package main

import (
	"fmt"
	"net/url"
	"strings"

	"understudy/domain/walk"
)

// act is one step of a walk, for counting.
type act struct {
	// done is what was done to what, whatever was typed.
	done string
	// what was clicked and where, "" for steps that follow no scent or a click
	// that puts something away.
	clicked string
	// needed: no detour, as Walked.Path has it.
	needed bool
}

// actsOf are the steps of a walk.
func actsOf(w *walk.Walked) []act {
	out := make([]act, len(w.Steps))
	for i := range w.Steps {
		d := &w.Steps[i].Decision
		out[i].done = string(d.Action.Type)
		if d.Target != nil {
			out[i].done += " " + d.Target.Selector
		}
		if d.Target != nil && d.Action.Type == walk.Click && (d.Purpose == walk.Navigate || d.Purpose == walk.Submit) {
			place := w.Steps[i].Page.URL
			if u, err := url.Parse(place); err == nil {
				place = u.Path
			}
			out[i].clicked = strings.ToLower(place + " " + d.Target.Role + " " + d.Target.Name)
		}
	}
	for _, i := range w.Path() {
		out[i].needed = true
	}
	return out
}

// way is what somebody did, whatever they typed.
func (w *trip) way() string {
	var out []string
	for _, a := range w.path {
		out = append(out, a.done)
	}
	return strings.Join(out, "\n")
}

// tallScreens is how many screenfuls a page has at least whose attention is
// counted by screenful.
const tallScreens = 3

// screenfulsOf is the simulated time in ms spent on each of the first six
// screenfuls of tall pages, the last one with all below. What is on the screen
// has it in equal parts: where on the screen somebody looks is not recorded.
func screenfulsOf(w *walk.Walked) (out [6]float64) {
	for i := range w.Steps {
		s := &w.Steps[i]
		height := float64(s.Page.Viewport.Height)
		if height <= 0 || s.Page.Height < tallScreens*height {
			continue
		}
		at := max(0, s.Page.ScrollY) / height
		first := min(int(at), len(out)-1)
		below := at - float64(int(at)) // the part of the screen that shows the next screenful
		out[first] += (1 - below) * float64(s.Decision.SimulatedMS)
		out[min(first+1, len(out)-1)] += below * float64(s.Decision.SimulatedMS)
	}
	return out
}

// addFirstClicks tells how many arrive whose first click is right, and whose is
// wrong. Right is what somebody else who arrived has clicked on that page without
// having had to come back. People: 87 % and 46 % (Bailey and Wolfson, facts.md).
func (b *bench) addFirstClicks(jobs []job, tests []*test) {
	// By errand and click, the seeds of those who got there by it.
	by := map[string]map[uint64]bool{}
	for i, t := range tests {
		for j := range t.walks {
			for _, a := range t.walks[j].path {
				if key := jobs[i].errand.Name + " " + a.clicked; t.walks[j].reached && a.needed && a.clicked != "" {
					if by[key] == nil {
						by[key] = map[uint64]bool{}
					}
					by[key][jobs[i].cast[j].Seed] = true
				}
			}
		}
	}
	var right, wrong tally
	for i, t := range tests {
		if len(t.walks) != len(jobs[i].cast) {
			continue // walks broke: nobody knows whose these are
		}
		for j := range t.walks {
			first := ""
			for _, a := range t.walks[j].path {
				if first == "" {
					first = a.clicked
				}
			}
			if first == "" {
				continue // nothing was clicked
			}
			others := len(by[jobs[i].errand.Name+" "+first])
			if by[jobs[i].errand.Name+" "+first][jobs[i].cast[j].Seed] {
				others--
			}
			if others > 0 {
				right.count(t.walks[j].reached)
			} else {
				wrong.count(t.walks[j].reached)
			}
		}
	}
	b.table.add("facets", row{what: "first click right: arrive", measured: right.String(), interval: right.wilson(), aim: "people 87 %"})
	r := row{what: "first click wrong: arrive", measured: wrong.String(), interval: wrong.wilson(), aim: "people 46 %; fewer than right"}
	if right.n > 0 && wrong.n > 0 {
		r.met = met(wrong.share() < right.share())
	}
	b.table.add("facets", r)
}

// addScreenfuls tells how the time on tall pages is spread over their screenfuls.
func (b *bench) addScreenfuls(tests []*test) {
	var sum [6]float64
	whole, walks := 0.0, 0
	for _, t := range tests {
		for j := range t.walks {
			own := 0.0
			for k, ms := range t.walks[j].screenfuls {
				sum[k] += ms
				own += ms
			}
			whole += own
			walks += one(own > 0)
		}
	}
	if whole == 0 {
		return
	}
	var shares []string
	falling := true
	for k := range sum {
		shares = append(shares, fmt.Sprintf("%.0f", 100*sum[k]/whole))
		falling = falling && (k == 0 || k == len(sum)-1 || sum[k] <= sum[k-1])
	}
	b.table.add("facets", row{what: fmt.Sprintf("time by screenful, pages of %d and more", tallScreens), measured: strings.Join(shares, "/") + " %",
		interval: fmt.Sprintf("%d walks, %.0f s", walks, whole/1000), aim: "people 57/17/7/5/3/2 %; falling", met: met(falling)})
}
