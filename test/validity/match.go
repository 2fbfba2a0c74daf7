package validity

import (
	"net/url"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"understudy/domain/findings"
	"understudy/test/sites"
)

// where an issue has to point to name a fault.
type where int

const (
	atElement where = iota // the fault's element (sites.Fault.Same) on the fault's page
	onPage                 // the fault's page, whatever the element
	wayIn                  // the fault's page, or an element that leads there
)

// accepted is an issue that names a fault.
type accepted struct {
	issue string
	where where
}

// acceptedKinds says which issues name which kind of fault: the whole contract
// between the faults that are put in and the issues that are expected.
var acceptedKinds = map[string][]accepted{
	"low_contrast":     {{findings.LowContrast, atElement}},
	"small_target":     {{findings.SmallTarget, atElement}},
	"vague_label":      {{findings.UnclearLabel, atElement}, {findings.LostScent, onPage}},
	"icon_only":        {{findings.UnclearLabel, atElement}, {findings.LostScent, onPage}},
	"competing_labels": {{findings.CompetingLabels, atElement}},
	"below_the_fold":   {{findings.BelowFold, atElement}},
	"hidden_in_menu":   {{findings.HiddenInMenu, atElement}},
	"covered":          {{findings.Covered, onPage}},
	"interruption":     {{findings.Interruption, onPage}},
	"dead_control":     {{findings.DeadClick, atElement}},
	"script_error":     {{findings.ErrorClick, onPage}, {findings.ScriptError, onPage}},
	"broken_link":      {{findings.BrokenLink, atElement}},
	"server_error":     {{findings.ErrorClick, onPage}, {findings.BrokenLink, onPage}, {findings.ServerError, onPage}},
	"slow_page":        {{findings.SlowPage, onPage}},
	"unlabelled_field": {{findings.UnlabelledField, atElement}},
	"format_rejected":  {{findings.FormError, atElement}},
	"unspecific_error": {{findings.UnspecificError, onPage}, {findings.FormError, onPage}},
	"input_lost":       {{findings.InputLost, onPage}},
	"disabled_submit":  {{findings.DisabledControl, atElement}},
	"forced_account":   {{findings.ForcedAccount, wayIn}},
	"wall_of_text":     {{findings.WallOfText, onPage}},
	"jargon":           {{findings.UnfamiliarWords, onPage}},
	"dead_end":         {{findings.LostScent, onPage}},
	"redirect_loop":    {{findings.RedirectLoop, onPage}, {findings.BrokenLink, onPage}},
	"mouse_only":       {{findings.MouseOnly, atElement}},
	"layout_shift":     {{findings.LayoutShift, onPage}},
	"late_cost":        {{findings.LateCost, onPage}},
	"needless_field":   {{findings.NeedlessField, atElement}},
}

// Matches reports whether an issue names a fault: it is of an accepted kind and
// one of its places is where the fault is. served are the pages that the visitors of the
// test were given; the page that a form is shown on again counts as the form's.
func Matches(issue *findings.Issue, f sites.Fault, served []Served) bool {
	places := append([]findings.Place{{PageURL: issue.PageURL, Element: issue.Element}}, issue.Places...)
	return slices.ContainsFunc(acceptedKinds[f.Kind], func(a accepted) bool {
		return a.issue == issue.Kind && slices.ContainsFunc(places, func(p findings.Place) bool { return a.points(p, f, served) })
	})
}

// points: the place is where the fault is.
func (a accepted) points(p findings.Place, f sites.Fault, served []Served) bool {
	page := pathOf(p.PageURL)
	here := slices.ContainsFunc(served, func(s Served) bool { return s.belongs(page, f.Path) }) || alike(page, f.Path)
	switch a.where {
	case onPage:
		return here
	case wayIn:
		return here || slices.ContainsFunc(served, func(s Served) bool { return s.leads(page, p.Element, f.Path) })
	case atElement:
		return here && p.Element != nil && slices.ContainsFunc(served, func(s Served) bool {
			return slices.ContainsFunc(s.Pages[page], func(html string) bool { return f.Same([]byte(html), p.Element.Selector) })
		})
	}
	return false
}

// belongs: the page is the fault's, or answered the form that stands on it.
func (s Served) belongs(page, fault string) bool {
	return alike(page, fault) || slices.ContainsFunc(s.Answers[page], func(from string) bool { return alike(from, fault) })
}

// leads: the element on this page goes to the other.
func (s Served) leads(page string, e *findings.Element, to string) bool {
	if e == nil || e.Selector == "" {
		return false
	}
	for _, html := range s.Pages[page] {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
		if err != nil {
			continue // what no parser reads leads nowhere
		}
		found := doc.Find(e.Selector).Closest("a[href], form")
		for _, attribute := range []string{"href", "action"} {
			if target, ok := found.Attr(attribute); ok && alike(pathOf(target), to) {
				return true
			}
		}
	}
	return false
}

// alike: two paths are of one page template.
func alike(a, b string) bool { return findings.Template(Origin+a) == findings.Template(Origin+b) }

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

// Verdict is what a ranking makes of one injected fault.
type Verdict struct {
	Fault sites.Fault
	// Rank is the place of the first issue that names the fault, from 1, among
	// the issues that name no other injected fault; 0: none does.
	Rank int
	// Issue is the id of that issue.
	Issue string
}

// Counted are the issues that count as findings: somebody was impeded
// (severity 2 and above). Notes that nobody stumbled over are an appendix.
func Counted(issues []findings.Issue) []findings.Issue {
	return slices.DeleteFunc(slices.Clone(issues), func(i findings.Issue) bool { return i.Severity < 2 })
}

// Judge looks for each fault in a ranking. right says of each issue whether it
// names any of the faults.
func Judge(issues []findings.Issue, faults []sites.Fault, served []Served) (verdicts []Verdict, right []bool) {
	names := make([][]bool, len(issues)) // by issue and fault
	right = make([]bool, len(issues))
	for i := range issues {
		names[i] = make([]bool, len(faults))
		for j, f := range faults {
			names[i][j] = Matches(&issues[i], f, served)
			right[i] = right[i] || names[i][j]
		}
	}
	for j, f := range faults {
		v := Verdict{Fault: f}
		place := 0
		for i := range issues {
			if names[i][j] || !right[i] {
				place++
			}
			if names[i][j] {
				v.Rank, v.Issue = place, issues[i].ID
				break
			}
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, right
}

// Met reports whether anybody was given the fault's page.
func Met(f sites.Fault, served []Served) bool {
	return slices.ContainsFunc(served, func(s Served) bool {
		for page := range s.Pages {
			if s.belongs(page, f.Path) {
				return true
			}
		}
		return false
	})
}
