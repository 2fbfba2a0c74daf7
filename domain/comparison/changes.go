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

// changes are what counts with A or B. What is a note on the other side is still there.
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
	for key, was := range first {
		c := was
		c.B = second[key].A
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
	for key, is := range second {
		if _, known := first[key]; !known && is.counts() {
			c := is
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
func (c Change) counts() bool {
	return c.A.Severity >= countedSeverity || c.B != nil && c.B.Severity >= countedSeverity
}

// found are a test's issues by what causes them and where, each as found with A.
func found(t *Test) map[string]Change {
	var observed []findings.Session
	for _, s := range usable(t.Sessions) {
		observed = append(observed, s.Findings)
	}
	issues, _ := findings.Rank(observed)
	out := map[string]Change{}
	base := baseOf(t.URL)
	for i := range issues {
		issue := &issues[i]
		page := base.relative(findings.Template(issue.PageURL))
		key := issue.Cause() + "\x00" + page
		if _, known := out[key]; known {
			continue // the graver one stands
		}
		out[key] = Change{
			Kind: issue.Kind, Title: issue.Title, Page: page,
			A: &Found{Rank: issue.Rank, Severity: issue.Severity, Affected: issue.Frequency.Affected, Total: issue.Frequency.Total},
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
