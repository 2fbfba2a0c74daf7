package sites

import "testing"

func TestRepairsHinderNobody(t *testing.T) {
	t.Parallel()
	for _, c := range Cases() {
		if len(c.Faults) > 1 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			w := newWalker(t, c.Site, c.RepairedOptions())
			if err := w.walk(ways[c.Site+"/"+c.Task]); err != nil || w.refused > 0 {
				t.Errorf("the way ends at %s with %d, refused %d times: %v", w.path, w.status, w.refused, err)
			}
		})
	}
}

func TestDecoysHinderNobody(t *testing.T) {
	t.Parallel()
	for site, a := range places {
		for _, kind := range DecoyKinds() {
			s := a.link
			if kind == "hidden_field" || kind == "waiting_button" {
				s = a.form
			}
			t.Run(site+"-"+kind, func(t *testing.T) {
				t.Parallel()
				w := newWalker(t, site, Options{Decoys: []Fault{{Kind: kind, Path: s.path, Selector: s.selector}}})
				if err := w.walk(ways[site+"/"+s.task]); err != nil || w.refused > 0 {
					t.Errorf("the way ends at %s with %d: %v", w.path, w.status, err)
				}
				clean := newWalker(t, site, Options{})
				_ = clean.walk(ways[site+"/"+s.task]) // another test's
				if kind != "restyled" && words(parse(t, w.pages[s.path]).Find("body")) == words(parse(t, clean.pages[s.path]).Find("body")) && kind != "plain_picture" && kind != "hidden_field" {
					t.Error("the page has not changed")
				}
			})
		}
	}
}
