package mind

import (
	"regexp"
	"slices"
	"strings"
)

// sections remembers where the links of the last look lead within their page,
// by address, and what they are called: a menu's "Services" and a button's "Get
// started" may lead to the same one.
func sections(page *Page) map[string][]string {
	out := map[string][]string{}
	for i := range page.Elements {
		e := &page.Elements[i]
		if e.Role == "link" && e.Name != "" && len(e.Name) <= maxSectionName && section(e.Href) != "" && len(out[e.Href]) < maxSectionNames && !has(out[e.Href], e.Name) {
			out[e.Href] = append(out[e.Href], e.Name)
		}
	}
	return out
}

// maxSectionName bounds, in bytes, what the name of a section is: longer links
// are sentences. An assumption.
const maxSectionName = 60

// maxSectionNames bounds how many names of one section are kept.
const maxSectionNames = 8

// section is the fragment of an address that names a place on its page, "" for
// none, and for those that scripts use for something else.
func section(href string) string {
	_, f, _ := strings.Cut(href, "#")
	if strings.HasPrefix(f, "!") || strings.HasPrefix(f, "/") || strings.ContainsRune(f, '=') {
		return ""
	}
	return f
}

// cameBy are the names of the links to the section of a page that one of them
// has just led to, none when nothing did.
func (w *witness) cameBy(page *Page) []string {
	if page.URL == w.lastURL || section(page.URL) == "" {
		return nil
	}
	before, _, _ := strings.Cut(w.lastURL, "#")
	now, _, _ := strings.Cut(page.URL, "#")
	if before != now {
		return nil
	}
	return w.ways[page.URL]
}

// arrived: a link that is called what is looked for has led to a section, and
// there is something to read, or to look at where nothing is asked. It counts
// where no kind of answer is asked for: the name of the link is the heading that
// such a section need not repeat.
func (w *witness) arrived(s *Subgoal, page *Page, sees func(*Text) bool) (float64, string) {
	at := slices.IndexFunc(w.came, func(name string) bool { return w.called(s, name, page) })
	if at < 0 || s.Answer != "" || len(s.Object) == 0 {
		return 0, ""
	}
	name := w.came[at]
	blocks, first := 0, ""
	if s.Kind == Reach {
		blocks = shown(page, sees) // pictures that are links, a shop's goods
	}
	for i := range page.Texts {
		t := &page.Texts[i]
		if !sees(t) || strings.EqualFold(strings.TrimSpace(t.Text), name) {
			continue
		}
		blocks++
		if first == "" && t.Kind == "heading" {
			first = ", where “" + clip(t.Text, 80) + "” stands"
		}
	}
	if blocks < leastBlocks {
		return 0, ""
	}
	return arrivedAt, "the link “" + clip(name, 60) + "” led to its section" + first
}

// called: the name of a link to a section is what is looked for. In a question
// what the page is about goes without saying ("the features of the app").
func (w *witness) called(s *Subgoal, name string, page *Page) bool {
	link := w.words(name)
	if !objectSaid(s, link) && coverage(s, link) < wholly {
		return false
	}
	if s.Kind == Inform {
		about := w.words(name + "\n" + MainHeading(page))
		return !slices.ContainsFunc(s.terms, func(t term) bool { return t.telling() && said(t, about) < matchStem })
	}
	share, named := objectCoverage(s, link)
	return share >= objectLeast && named
}

// shown is how many links of the page's own matter are in sight: what surrounds
// it on every page, and what leads elsewhere on this one, are not counted.
func shown(page *Page, sees func(*Text) bool) (n int) {
	for i := range page.Elements {
		e := &page.Elements[i]
		if e.Role != "link" || !e.InViewport || e.CoveredBy != "" || section(e.Href) != "" || surrounding[page.kind(e.Region)] {
			continue
		}
		if sees(&Text{Text: e.Name, InViewport: true, Contrast: e.Contrast, FontSize: e.FontSize}) {
			n++
		}
	}
	return n
}

const (
	// arrivedAt is the confidence in a section that a link of the right name led to.
	arrivedAt = 0.85
	// leastBlocks of text make a section that is not empty.
	leastBlocks = 2
)

var (
	// whereAre asks where things of a site are to be found.
	whereAre = regexp.MustCompile(`(?i)\bwhere\b.+\bare\b|\bwhere (?:are|to find)\b`)
	// onEarth are things that stand in the world: a link that names them is no answer.
	onEarth = set(`office shop store branch venue clinic studio restaurant hotel location place museum library school room building headquarters warehouse you`)
	// placeAsked is a question for a place in other words than "where".
	placeAsked = regexp.MustCompile(`^(?:in |at |on )?(?:which|what) (?:streets?|city|cities|towns?|country|countries|building|address)\b`)
)

// whereOffered: a control in sight is called what is asked for ("where the new
// arrivals are"): that is where they are.
func whereOffered(s *Subgoal, page *Page, analyse func(string) *words, sees func(*Text) bool) (float64, string) {
	if s.Kind != Inform || s.Answer != "place" || !whereAre.MatchString(s.Text) {
		return 0, ""
	}
	telling := false
	for _, t := range s.terms {
		if onEarth[t.base] || t.concept == "location" || t.concept == "contact" {
			return 0, ""
		}
		telling = telling || t.telling()
	}
	if !telling {
		return 0, ""
	}
	for i := range page.Elements {
		e := &page.Elements[i]
		if !e.InViewport || e.Name == "" || len(e.Name) > maxSectionName || isField(e) ||
			!sees(&Text{Text: e.Name, InViewport: true, Contrast: e.Contrast, FontSize: e.FontSize}) {
			continue
		}
		if coverage(s, analyse(e.Name)) >= wholly {
			return answerLeast + 0.1, e.Name
		}
	}
	return 0, ""
}

// wholly is the share of what is asked for that a name must say to be its name.
const wholly = 0.9

// readOpened: who has opened something closed looks at what it holds, for a
// screenful or two.
func (m *Mind) readOpened(v *view, last *Effect) {
	t := m.last.Target
	if t == nil || t.Expanded != "false" || m.last.Action.Type != Click || !last.Mutated || last.Navigated || hasDialog(v.page) {
		return
	}
	pl := v.place
	pl.settled, pl.bottom = false, false
	pl.screens = max(1, pl.screens-2)
}

// readSection: who has jumped to a section that was not seen before reads on
// there for another screenful, whatever was looked through elsewhere on the page.
func (m *Mind) readSection(v *view) {
	pl := v.place
	if len(m.mine.came) == 0 || pl.read[m.mine.came[0]] {
		return
	}
	if pl.read == nil {
		pl.read = map[string]bool{}
	}
	pl.read[m.mine.came[0]] = true
	pl.settled, pl.bottom = false, false
	pl.found = pl.screens + 1
}
