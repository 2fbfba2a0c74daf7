package comparison

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of what is told of paths.
const maxPaths, maxForks, maxPathPages = 5, 10, 25

func paths(a, b *Test, both []pair) Paths {
	return Paths{A: commonest(a), B: commonest(b), Diverge: forks(a, b, both)}
}

func commonest(t *Test) []Path {
	byKey := map[string]*Path{}
	base := baseOf(t.URL)
	for _, s := range usable(t.Sessions) {
		pages := base.pages(s)
		key := strings.Join(pages, "\x00")
		p := byKey[key]
		if p == nil {
			p = &Path{Pages: pages}
			byKey[key] = p
		}
		p.Sessions++
		if s.Succeeded {
			p.Succeeded++
		}
	}
	out := []Path{}
	for _, p := range byKey {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(x, y Path) int {
		return cmp.Or(cmp.Compare(y.Sessions, x.Sessions), cmp.Compare(len(x.Pages), len(y.Pages)), slices.Compare(x.Pages, y.Pages))
	})
	return out[:min(len(out), maxPaths)]
}

func forks(a, b *Test, both []pair) []Fork {
	byKey := map[Fork]*Fork{}
	baseA, baseB := baseOf(a.URL), baseOf(b.URL)
	for _, p := range both {
		x, y := baseA.pages(p.a), baseB.pages(p.b)
		n := 0
		for n < len(x) && n < len(y) && x[n] == y[n] {
			n++
		}
		if n == len(x) && n == len(y) {
			continue
		}
		f := Fork{}
		if n > 0 {
			f.At = x[n-1]
		}
		if n < len(x) {
			f.NextA = x[n]
		}
		if n < len(y) {
			f.NextB = y[n]
		}
		known := byKey[f]
		if known == nil {
			fork := f
			known = &fork
			byKey[f] = known
		}
		known.Pairs++
		switch {
		case p.a.Succeeded && !p.b.Succeeded:
			known.OnlyA++
		case p.b.Succeeded && !p.a.Succeeded:
			known.OnlyB++
		}
	}
	out := []Fork{}
	for _, f := range byKey {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(x, y Fork) int {
		return cmp.Or(cmp.Compare(y.Pairs, x.Pairs), cmp.Compare(x.At+"\x00"+x.NextA+"\x00"+x.NextB, y.At+"\x00"+y.NextA+"\x00"+y.NextB))
	})
	return out[:min(len(out), maxForks)]
}

// pages are those that a session came by, by their addresses below the test's.
func (b base) pages(s *Session) []string {
	out := []string{}
	for _, place := range s.Findings.Visits {
		template, _, _ := strings.Cut(place, "|")
		page := b.relative(strings.TrimSuffix(template, "/"))
		if n := len(out); (n == 0 || out[n-1] != page) && n < maxPathPages {
			out = append(out, page)
		}
	}
	return out
}
