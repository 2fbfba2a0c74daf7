package httpapi

import (
	"fmt"
	"html/template"
	"strings"

	"understudy/domain/report"
	"understudy/domain/stats"
	"understudy/projections/reports"
	"understudy/projections/tests"
)

// The bounds of what a report shows at once; the rest is folded away.
const (
	shownFixes  = 3
	shownIssues = 10
	shownPlaces = 6
	shownLines  = 20
)

// The severities from which on an issue impeded somebody, and fails a build.
const (
	impeding = 2
	severe   = 3
)

// reportView is what the page of a report shows.
type reportView struct {
	Frame  surround
	Report reports.Document
	Test   tests.Document
	Scores []scoreRow
	// Success is the interval of the share of sessions that succeeded.
	Success report.Interval
	// Missing are the sessions of the list that did not reach the goal.
	Missing []lineView
	// Issues are the main list, Folded the others.
	Issues, Folded []issueView
	Moments        []momentView
	Lines          []lineView
	Maps           []mapView
	// Style and Policy are those of a page that is a file and stands alone.
	Style  template.CSS
	Policy string
	// Unfolded: it is for paper.
	Unfolded bool
}

// Fixes are what to mend first.
func (v reportView) Fixes() []issueView { return v.Issues[:min(len(v.Issues), shownFixes)] }

// Ways reports whether any way was taken more than once.
func (v reportView) Ways() bool {
	return len(v.Report.Paths.Common) > 0 && v.Report.Paths.Common[0].Sessions > 1
}

// figure is a picture on a page.
type figure struct {
	// Picture is what is shown, "" for none; Full what a click on it opens.
	Picture template.URL
	Full    string
	Alt     string
}

// momentView is a step of a session on a report's page.
type momentView struct {
	figure
	Quote string
	// Step counts from 1; Who walked it.
	Step       int
	Who        string
	SessionURL string
	// Kind, Tone and Why are a highlight's.
	Kind, Tone, Why string
}

// issueView is an issue with its evidence illustrated.
type issueView struct {
	reports.Issue
	// Met says who met it, Cost what that cost, "" for nothing.
	Met, Cost string
	// Shot shows the element that matters.
	Shot figure
	// Said are the quotes of the evidence.
	Said []momentView
	// Places are where it shows, MorePlaces those folded away.
	Places, MorePlaces []placeView
	Turn               *turnView
}

// placeView is where the cause of an issue shows.
type placeView struct {
	momentView
	Name, Page, Detail string
	Sessions           int
}

// lineView is a session in a line.
type lineView struct {
	reports.SessionLine
	Words, Tone string
	Stops       []stop
}

// stop is a page on a way, by a short name and in full.
type stop struct{ Name, Full string }

// stopsOf names pages by the paths of their addresses; another view at the same
// address by its heading.
func stopsOf(pages []report.Page) (out []stop) {
	for i, p := range pages {
		host, path, _ := strings.Cut(p.Address, "/")
		s := stop{Name: "/" + path, Full: strings.TrimSpace(p.Heading + " " + p.Address)}
		if first, _, _ := strings.Cut(pages[0].Address, "/"); first != host {
			s.Name = p.Address
		}
		if i > 0 && pages[i-1].Address == p.Address && p.Heading != "" {
			s.Name = p.Heading
		}
		out = append(out, s)
	}
	return out
}

// mapView is where sessions clicked on a page.
type mapView struct {
	figure
	reports.ClickMap
	Dots []dot
	// Upright: the screen was narrow.
	Upright bool
}

// dot is a spot of a click map, in CSS px of its viewport.
type dot struct {
	report.Spot
	R, Font float64
}

func viewOf(r reportOf, show pictures) reportView {
	v := reportView{Report: r.Report, Test: r.Test, Scores: scoreRows(r.Report)}
	v.Success.Low, v.Success.High = stats.Wilson(r.Report.Sessions.Succeeded, r.Report.Sessions.Completed, stats.Z95)
	who := people{}
	for _, line := range r.Report.SessionList {
		o := outcomeOf(line.Outcome)
		shown := lineView{SessionLine: line, Words: o.words, Tone: o.tone, Stops: stopsOf(line.Pages)}
		who[line.SessionID] = line.Persona
		v.Lines = append(v.Lines, shown)
		if line.Outcome != succeeded {
			v.Missing = append(v.Missing, shown)
		}
	}
	for _, issue := range r.Report.Issues {
		if issue.Folded || issue.Severity < impeding || len(v.Issues) == shownIssues {
			v.Folded = append(v.Folded, viewOfIssue(issue, r.Report, who, noPictures))
		} else {
			v.Issues = append(v.Issues, viewOfIssue(issue, r.Report, who, show))
		}
	}
	for _, note := range r.Report.Notes {
		v.Folded = append(v.Folded, viewOfIssue(note, r.Report, who, noPictures))
	}
	for _, m := range r.Report.Clicks {
		v.Maps = append(v.Maps, viewOfMap(m, show))
	}
	for _, h := range r.Report.Highlights {
		at := who.moment(h.SessionID, h.Step, h.Links, h.Quote)
		at.figure = figure{show(picture{id: h.ScreenshotID}), h.ScreenshotURL, altWords(quoteOr(h.PageTitle, "The page"), at, "", false)}
		at.Kind, at.Tone, at.Why = momentWords(h), h.Tone, h.Why
		v.Moments = append(v.Moments, at)
	}
	for i := range v.Issues {
		v.Issues[i].illustratePlaces(who, show)
	}
	return v
}

// people are the names of personas by their session.
type people map[string]string

// named is whose session it is.
func (p people) named(sessionID string) string {
	if name := p[sessionID]; name != "" {
		return name
	}
	return "a simulated user"
}

func (p people) moment(sessionID string, step int, links reports.Links, quote string) momentView {
	return momentView{Quote: quote, Step: step + 1, Who: p.named(sessionID), SessionURL: links.SessionURL}
}

// shot is a piece of evidence, with its picture cut to what is around the box.
func (p people) shot(e reports.Evidence, page string, element *report.Element, show pictures) momentView {
	at := p.moment(e.SessionID, e.Step, e.Links, e.Quote)
	m, framed := markOfEvidence(e)
	m.near = framed
	at.figure = figure{show(picture{e.ScreenshotID, m}), e.ScreenshotURL, altWords(pageWords(page), at, elementWords(element), framed)}
	return at
}

func viewOfIssue(issue reports.Issue, r reports.Document, who people, show pictures) issueView {
	v := issueView{Issue: issue, Met: metWords(issue), Cost: costWords(issue.Cost, r.Sessions.Completed), Turn: viewOfTurn(issue.Turn, r.Sessions.Completed)}
	for _, e := range issue.Evidence {
		v.Said = append(v.Said, who.moment(e.SessionID, e.Step, e.Links, e.Quote))
	}
	// The element that matters is the first place's.
	if len(issue.Places) > 0 && issue.Places[0].Shown.ScreenshotID != "" {
		v.Shot = who.shot(issue.Places[0].Shown, issue.Places[0].PageURL, issue.Places[0].Element, show).figure
	} else if len(issue.Evidence) > 0 {
		v.Shot = who.shot(issue.Evidence[0], issue.PageURL, issue.Element, show).figure
	}
	return v
}

// illustratePlaces lists where a cause shows, unless it is one place alone.
func (v *issueView) illustratePlaces(who people, show pictures) {
	if len(v.Issue.Places) < 2 {
		return
	}
	for i, p := range v.Issue.Places {
		place := placeView{Name: elementWords(p.Element), Page: pageWords(p.PageURL), Detail: p.Detail, Sessions: p.Sessions}
		if i < shownPlaces {
			place.momentView = who.shot(p.Shown, p.PageURL, p.Element, show)
			v.Places = append(v.Places, place)
		} else {
			place.momentView = who.shot(p.Shown, p.PageURL, p.Element, noPictures)
			v.MorePlaces = append(v.MorePlaces, place)
		}
	}
}

// narrow is the width in CSS px up to which a screen is a phone's.
const narrow = 480

func viewOfMap(m reports.ClickMap, show pictures) mapView {
	v := mapView{ClickMap: m, Upright: m.ViewportWidth <= narrow}
	most := 1
	for _, s := range m.Spots {
		most = max(most, s.Clicks)
	}
	var said []string
	for _, s := range m.Spots {
		// From a fiftieth of the picture's width up to twice that.
		radius := float64(m.ViewportWidth) / 50 * (1 + float64(s.Clicks-1)/float64(max(1, most-1)))
		v.Dots = append(v.Dots, dot{s, radius, 1.1 * radius})
		if len(said) < shownPlaces {
			said = append(said, fmt.Sprintf("%s %s", quoteOr(s.Name, "something without a name"), times(s.Clicks)))
		}
	}
	alt := fmt.Sprintf("%s with circles where %s clicked: %s", quoteOr(m.Heading, "The page"), counted(m.Sessions, "session"), strings.Join(said, ", "))
	v.figure = figure{show(picture{id: m.ScreenshotID}), m.ScreenshotURL, alt}
	return v
}
