package comparison

import (
	"cmp"
	"slices"
	"strings"

	"understudy/domain/findings"
)

// maxChanges bounds each list; the gravest come first.
const maxChanges = 50

// countedSeverity is from which severity an issue counts: somebody was impeded.
const countedSeverity = 2

// changes are what counts with A or B. What is a note on the other side, or shows at one
// of its places there, is still there.
func changes(a, b *Test) Changes {
	first, second := found(a), found(b)
	out := Changes{Fixed: []Change{}, New: []Change{}, Unchanged: []Change{}, NotReached: []Change{}}
	met := map[string]bool{}
	base := baseOf(b.URL)
	for _, s := range usable(b.Sessions) {
		for _, t := range s.Findings.Templates {
			met[base.relative(t)] = true
		}
	}
	for _, was := range first.list {
		c := was.Change
		if is := second.at(was); is != nil {
			c.B = is.A
		}
		switch {
		case !c.counts():
		case c.B != nil:
			out.Unchanged = append(out.Unchanged, c)
		case met[c.Page]:
			out.Fixed = append(out.Fixed, c)
		default:
			out.NotReached = append(out.NotReached, c)
		}
	}
	for _, is := range second.list {
		if c := is.Change; c.counts() && first.at(is) == nil {
			c.A, c.B = nil, is.A
			out.New = append(out.New, c)
		}
	}
	for _, list := range []*[]Change{&out.Fixed, &out.New, &out.Unchanged, &out.NotReached} {
		slices.SortFunc(*list, gravest)
		*list = (*list)[:min(len(*list), maxChanges)]
	}
	return out
}

// counts: somebody was impeded, on one of the sides.
func (c Change) counts() bool { return c.A.Impeded() || c.B != nil && c.B.Impeded() }

// Impeded reports whether somebody was. Otherwise it was found as a note.
func (f *Found) Impeded() bool { return f.Severity >= countedSeverity }

// issue is one of a test as found with A, and the causes and pages where it shows.
type issue struct {
	Change
	keys []string
}

// issues are in the order of their ranks, and by where they show.
type issues struct {
	list []*issue
	by   map[string]*issue
}

// at is the first issue that shows where another one does, nil for none.
func (s issues) at(other *issue) *issue {
	for _, key := range other.keys {
		if i := s.by[key]; i != nil {
			return i
		}
	}
	return nil
}

// found are the issues of a test.
func found(t *Test) issues {
	var observed []findings.Session
	for _, s := range usable(t.Sessions) {
		observed = append(observed, s.Findings)
	}
	ranked, _ := findings.Rank(observed)
	out := issues{by: map[string]*issue{}}
	base := baseOf(t.URL)
	for i := range ranked {
		r := &ranked[i]
		at := func(page string, e *findings.Element) string {
			return findings.CauseKey(r.Kind, e) + "\x00" + base.relative(findings.Template(page))
		}
		is := &issue{keys: []string{at(r.PageURL, r.Element)}, Change: Change{
			Kind: r.Kind, Title: r.Title, Page: base.relative(findings.Template(r.PageURL)),
			A: &Found{Rank: r.Rank, Severity: r.Severity, Affected: r.Frequency.Affected, Total: r.Frequency.Total},
		}}
		for _, p := range r.Places {
			is.keys = append(is.keys, at(p.PageURL, p.Element))
		}
		if out.by[is.keys[0]] != nil {
			continue // the graver one stands
		}
		out.list = append(out.list, is)
		for _, key := range is.keys {
			if out.by[key] == nil {
				out.by[key] = is
			}
		}
	}
	return out
}

// latest is how the issue was found last: with B where it was.
func (c Change) latest() *Found {
	if c.B != nil {
		return c.B
	}
	return c.A
}

func gravest(x, y Change) int {
	a, b := x.latest(), y.latest()
	return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Rank, b.Rank), cmp.Compare(x.Kind+x.Page+x.Title, y.Kind+y.Page+y.Title))
}

// base is where a test's pages live: the page itself, and the folder that it is
// in. Pages of two variants are the same below them.
type base struct{ start, folder string }

func baseOf(url string) base {
	start := findings.Template(url)
	page := url
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		page = url[:i]
	}
	if i := strings.LastIndexByte(page, '/'); i > 0 && page[i-1] != '/' { // not that of https://
		return base{start, findings.Template(page[:i])}
	}
	return base{start, start}
}

// startPage is the name of the tested page itself.
const startPage = "start"

// relative is a page's template below the folder of the test.
func (b base) relative(template string) string {
	switch {
	case template == b.start:
		return startPage
	case strings.HasPrefix(template, b.folder+"/"):
		return template[len(b.folder):]
	}
	return template
}
