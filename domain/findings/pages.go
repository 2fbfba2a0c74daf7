package findings

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/domain/language"
	"understudy/domain/scoring"
	"understudy/domain/walk"
)

// Thresholds of pages as a whole.
const (
	// CLS is good up to 0.1 and poor above 0.25, LCP poor above 4 s (web.dev).
	goodCLS, poorCLS = 0.1, 0.25
	poorLCPMS        = 4000
	// unfamiliarShare is where readability's share of unfamiliar words reaches
	// zero (0.10); half as much again is an issue. leastWords keeps short
	// texts out. Both are assumptions, calibrated on our clean sites.
	unfamiliarShare = 0.15
	leastWords      = 40
	// consentMS is the simulated time from which putting a consent banner away
	// counts as an impediment: two tries of about 5 s and more (an assumption).
	consentMS = 15000
)

// waits finds pages that took 4 s and more to come to rest (mind keeps the
// threshold; 4 s is where LCP is poor, web.dev). The page that was waited for
// is the one to blame. A poor LCP that held nobody up is static; that of a page
// which had come to rest before it is the lateness of the machine.
func (x *examined) waits() {
	said := map[string]bool{}
	x.signals(walk.SigSlow, func(i int, s walk.Signal, _ *walk.Element) {
		r := &x.w.Steps[i]
		o := x.about(i, SlowPage, Observed, nil)
		if r.Effect.Navigated && r.Effect.URL != "" {
			o.PageURL, o.Template = r.Effect.URL, Template(r.Effect.URL)
			if i+1 < len(x.places) {
				o.Place = x.places[i+1]
			}
		}
		o.Detail, o.CostMS = s.Detail, r.Effect.SettleMS
		said[o.Template] = true
		x.add(o)
	})
	for i := range x.w.Steps {
		if i > 0 && x.w.Steps[i-1].Effect.Navigated && x.w.Steps[i-1].Effect.SettleMS < poorLCPMS {
			continue
		}
		if v := x.w.Steps[i].Page.Vitals.LCPMS; v > poorLCPMS && x.firstLook(i) && !said[Template(x.w.Steps[i].Page.URL)] {
			o := x.about(i, SlowPage, Static, nil)
			o.Detail = "LCP " + strconv.FormatFloat(v/1000, 'f', 1, 64) + " s"
			x.add(o)
		}
	}
}

// shifts finds pages whose content jumps: CLS above 0.25 is poor and costs
// everybody the place that they were at, 0.1 to 0.25 is static (web.dev). A page
// that draws its next view itself counts on: what it had jumped before is not
// the next view's.
func (x *examined) shifts() {
	worst := map[string]int{}
	for i := range x.w.Steps {
		v := x.w.Steps[i].Page.Vitals.CLS
		if i > 0 && x.places[i] != x.places[i-1] && v == x.w.Steps[i-1].Page.Vitals.CLS {
			continue // the same document's, which has not moved since
		}
		if at, known := worst[x.places[i]]; v > goodCLS && (!known || v > x.w.Steps[at].Page.Vitals.CLS) {
			worst[x.places[i]] = i
		}
	}
	x.jumps(worst)
	for i := range x.w.Steps {
		if at, ok := worst[x.places[i]]; !ok || at != i {
			continue
		}
		v := x.w.Steps[i].Page.Vitals.CLS
		channel := Static
		if v > poorCLS && !x.w.Persona.Facets.ScreenReader { // who hears a page loses no place
			channel = Observed
		}
		o := x.about(i, LayoutShift, channel, nil)
		o.Detail = "CLS " + strconv.FormatFloat(v, 'f', 2, 64)
		if channel == Observed {
			o.CostMS = 2 * assessMS // finding the place again: two fixations' worth
		}
		x.add(o)
	}
}

// jumpPX is by how much a field must have moved in its page while it was filled in for
// that to be seen as a jump: two lines of text and more (an assumption).
const jumpPX = 48

// jumps finds pages that move under who fills them in: the field that was just typed in
// stands elsewhere on the page, twice and more. What unfolds below a field moves others.
// The browser's own measure leaves out what follows an input at once.
func (x *examined) jumps(measured map[string]int) {
	moved, first, by := map[string]int{}, map[string]int{}, map[string]float64{}
	for i := 0; i+1 < len(x.w.Steps); i++ {
		r, next := &x.w.Steps[i], &x.w.Steps[i+1].Page
		t := r.Decision.Target
		if r.Decision.Purpose != walk.Fill || t == nil || x.places[i+1] != x.places[i] {
			continue
		}
		before, after := elementBySelector(&r.Page, t.Selector), elementBySelector(next, t.Selector)
		if before == nil || after == nil || before.InDialog {
			continue
		}
		if d := math.Abs(after.Box.Y + next.ScrollY - before.Box.Y - r.Page.ScrollY); d >= jumpPX {
			if moved[x.places[i]]++; moved[x.places[i]] == 1 {
				first[x.places[i]] = i
			}
			by[x.places[i]] = max(by[x.places[i]], d)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(moved)) {
		n := moved[place]
		if _, known := measured[place]; n < 2 || known {
			continue
		}
		o := x.about(first[place], LayoutShift, Observed, nil)
		o.Detail = "by " + strconv.Itoa(int(by[place])) + " px while a field was filled in"
		o.CostMS = n * 2 * assessMS
		x.add(o)
	}
}

// words finds blocks so long that they are skipped (mind keeps the threshold)
// and pages whose words are hard for the persona.
func (x *examined) words() {
	x.signals(walk.SigLongText, func(i int, s walk.Signal, _ *walk.Element) {
		o := x.about(i, WallOfText, Observed, nil)
		o.Detail, o.Area = s.Detail, longestText(&x.w.Steps[i].Page)
		o.CostMS = max(x.lostFrom(i), x.w.Steps[i].Decision.WordsRead*60000/readingPace)
		x.add(o)
	})
	for i := range x.w.Steps {
		if !x.firstLook(i) {
			continue
		}
		r := &x.w.Steps[i]
		reading := scoring.ReadingOf(&r.Page, x.w.Persona, x.w.Goal)
		if reading.Words < leastWords || reading.UnfamiliarShare <= unfamiliarShare || !language.Prose(textOf(&r.Page)) {
			continue
		}
		o := x.about(i, UnfamiliarWords, Observed, nil)
		o.Detail = strconv.Itoa(int(reading.UnfamiliarShare*100+0.5)) + " % of the words"
		// A hard word is read twice: at 238 words a minute (Brysbaert 2019).
		hard := reading.UnfamiliarShare * float64(reading.Words)
		o.CostMS = int(hard * 60000 / readingPace)
		x.add(o)
	}
}

// textOf is what stands on the screen.
func textOf(p *walk.Page) string {
	var out strings.Builder
	for i := range p.Texts {
		if t := &p.Texts[i]; t.InViewport {
			out.WriteString(t.Text + "\n")
		}
	}
	return out.String()
}

// readingPace is silent reading in words a minute (Brysbaert 2019).
const readingPace = 238

var consentText = regexp.MustCompile(`(?i)cookie|your privacy|consent|datenschutz`)

// interruptions finds what nobody had asked for and lay over the page: a layer
// that was put away, or one that was open when a page had loaded, whether people
// closed it, did what it wants or read on around it. A banner that asks for
// consent is what everybody knows from everywhere: it is static unless it took
// long to get rid of.
func (x *examined) interruptions() {
	first, cost := map[string]int{}, map[string]int{}
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		inside := r.Decision.Target != nil && r.Decision.Target.InDialog
		again := inside && first[x.places[i]] > 0
		if !r.HasSignal(walk.SigInterrupted) && !x.unasked(i) && !again {
			continue
		}
		if _, known := first[x.places[i]]; !known {
			first[x.places[i]] = i + 1
		}
		if inside || r.HasSignal(walk.SigInterrupted) {
			cost[x.places[i]] += r.Decision.SimulatedMS
		}
	}
	for i := range x.w.Steps {
		if first[x.places[i]] != i+1 {
			continue
		}
		page := &x.w.Steps[i].Page
		detail := detailOf(&x.w.Steps[i], walk.SigInterrupted)
		if detail == "" {
			detail = dialogTitle(page)
		}
		ms := max(cost[x.places[i]], missMS)
		channel := Observed
		stayed := x.stayedOpen(i)
		if stayed {
			ms = max(ms, x.w.SimulatedMS-x.w.Steps[i].ClockMS)
		} else if ms < consentMS && (consentText.MatchString(detail) || consentDialog(page)) {
			channel = Static
		}
		o := x.about(i, Interruption, channel, nil)
		o.Detail, o.Area, o.Deterministic = detail, dialogArea(page), stayed
		if channel == Observed {
			o.CostMS = ms
		}
		x.add(o)
	}
}

// stayedOpen: a layer that nobody asked for was open at look i and at all later ones of a
// walk that fell short.
func (x *examined) stayedOpen(i int) bool {
	if !x.fellShort() || !x.unasked(i) {
		return false
	}
	for j := i; j < len(x.w.Steps); j++ {
		if dialogArea(&x.w.Steps[j].Page) == nil {
			return false
		}
	}
	return true
}

// unasked: a dialog is open on a page that has just been loaded. One that is
// called what was clicked is the answer to the click.
func (x *examined) unasked(i int) bool {
	if i > 0 && !x.w.Steps[i-1].Effect.Navigated {
		return false
	}
	if i > 0 && x.w.Steps[i-1].Decision.Target != nil && sameWords(dialogTitle(&x.w.Steps[i].Page), x.w.Steps[i-1].Decision.Target.Name) {
		return false
	}
	area := dialogArea(&x.w.Steps[i].Page)
	return area != nil && area.W > 0 && area.H > 0
}

// dialogTitle is what a dialog calls itself, else its first words.
func dialogTitle(p *walk.Page) string {
	title := ""
	for i := range p.Texts {
		t := &p.Texts[i]
		if !t.InDialog {
			continue
		}
		if t.Kind == "heading" {
			return clip(t.Text, 60)
		}
		if title == "" {
			title = clip(t.Text, 60)
		}
	}
	return title
}

// dialogArea is the box around all that is in a dialog, nil without any.
func dialogArea(p *walk.Page) *walk.Box {
	var area *walk.Box
	for i := range p.Texts {
		if p.Texts[i].InDialog {
			area = around(area, p.Texts[i].Box)
		}
	}
	for i := range p.Elements {
		if p.Elements[i].InDialog {
			area = around(area, p.Elements[i].Box)
		}
	}
	return area
}

func around(a *walk.Box, b walk.Box) *walk.Box {
	if a == nil {
		return &b
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return &walk.Box{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

// longestText is the box of the text with the most words on the screen.
func longestText(p *walk.Page) *walk.Box {
	var box *walk.Box
	most := 0
	for i := range p.Texts {
		if n := strings.Count(p.Texts[i].Text, " "); p.Texts[i].InViewport && n > most {
			b := p.Texts[i].Box
			box, most = &b, n
		}
	}
	return box
}

func consentDialog(p *walk.Page) bool {
	for i := range p.Texts {
		if t := &p.Texts[i]; t.InDialog && consentText.MatchString(t.Text) {
			return true
		}
	}
	return false
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + strings.TrimSuffix(noun, "s") + "s"
}
