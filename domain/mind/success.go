package mind

import (
	"math"
	"regexp"
	"strings"
)

var (
	successURL = regexp.MustCompile(`(?i)thank|success|confirm|complete|welcome|done|submitted|receipt`)
	errorText  = regexp.MustCompile(`(?i)\b(?:error|invalid|required|failed|incorrect|not valid|try again|please (?:enter|fill|select|choose|check|provide|correct)|must (?:be|have|contain|match)|went wrong|does not match|already (?:exists|taken|in use)|denied|expired)\b`)
	beacon     = regexp.MustCompile(`(?i)analytics|beacon|collect|pixel|telemetry|/track|sentry|metrics|gtm|/log\b`)
)

// witness looks for signs that subgoals are reached. The oracle has one that
// sees everything, the mind one that sees what the persona sees.
type witness struct {
	goal    *Goal
	at      int // index of the subgoal that is next
	known   map[uint64]bool
	words   func(string) *words
	acted   bool
	submits int // observations since an accepted request, capped
	lastURL string
	from    string              // what the page before calls itself
	ways    map[string][]string // names of the links to sections on the last look, by address
	came    []string            // the links to the section that one of them has just led to, by name
	goods   string              // what the last look listed with a count
	met     float64             // how far headings so far named the object of the subgoal
	states  map[string]state    // of the toggles, as the last look showed them
	turned  bool                // something was switched as the subgoal wants it
	gated   bool                // the last look asked for a password
	// best confidence so far for the current subgoal and for the last one.
	confidence float64
	evidence   string
	finished   []float64
	proof      []string
}

func newWitness(g *Goal, w func(string) *words) *witness {
	return &witness{goal: g, known: map[uint64]bool{}, words: w, submits: longAgo}
}

// longAgo is the count of looks since an accepted request when there was none.
const longAgo = 99

// observe takes one look and what led to it. It reports whether a subgoal was
// reached just now.
func (w *witness) observe(page *Page, eff *Effect, sees func(*Text) bool) bool {
	if eff.Navigated || eff.Mutated || eff.NewTab || eff.Download {
		w.acted = true
	}
	w.submits++
	w.came = w.cameBy(page)
	if accepted(eff, page.URL) {
		w.submits = 0
	}
	if w.at < len(w.goal.Subgoals) {
		seen := w.words(headingsSeen(page, sees))
		share, _ := objectCoverage(&w.goal.Subgoals[w.at], seen)
		w.met = math.Max(w.met, share)
	}
	before := w.at
	const enough = 0.8 // confidence from which a subgoal counts as reached
	for w.at < len(w.goal.Subgoals) {
		c, proof := w.signs(&w.goal.Subgoals[w.at], page, eff, sees)
		if w.at != before && w.goal.Subgoals[w.at].Kind == Act {
			c = 0 // what was told for one act does not count for the next
		}
		if c > w.confidence {
			w.confidence, w.evidence = c, proof
		}
		if c < enough {
			// A later act that succeeded implies those before it.
			if last := len(w.goal.Subgoals) - 1; w.at < last && w.at == before && w.goal.Subgoals[last].Kind == Act {
				if c, proof := w.signs(&w.goal.Subgoals[last], page, eff, sees); c >= 0.9 && w.goal.Subgoals[last].Verb != w.goal.Subgoals[w.at].Verb {
					for w.at <= last {
						w.pass(0.95*c, proof)
					}
					break
				}
			}
			break
		}
		w.pass(c, proof)
	}
	w.remember(page)
	w.states = statesOf(page)
	w.gated = hasPassword(page)
	w.goods = goodsOn(page)
	w.lastURL = page.URL
	w.from = MainHeading(page)
	w.ways = sections(page)
	return w.at > before
}

func (w *witness) pass(c float64, proof string) {
	w.finished = append(w.finished, c)
	w.proof = append(w.proof, proof)
	w.at++
	w.confidence, w.evidence, w.met, w.turned = 0, "", 0, false
	w.submits = longAgo // what was accepted for one subgoal is none of the next
}

func (w *witness) done() bool { return w.at >= len(w.goal.Subgoals) }

// signs is the confidence that a subgoal is reached on this look.
func (w *witness) signs(s *Subgoal, page *Page, eff *Effect, sees func(*Text) bool) (float64, string) {
	if page.Status >= 400 {
		return 0, ""
	}
	if s.Kind != Act {
		strength, quote := answerStrength(s, page, w.words, sees)
		if c, proof := w.arrived(s, page, sees); c > 0 && strength < answerLeast {
			return c, proof
		}
		if strength < 0.4 {
			return 0, ""
		}
		// The threshold of strength becomes the confidence that is enough.
		return math.Min(0.97, 0.8+(strength-answerLeast)*0.5), "the page shows “" + quote + "”"
	}
	if !w.acted || refused(page, sees) {
		return 0, ""
	}
	return w.actSigns(s, page, eff, sees)
}

// actSigns adds up the independent signs of an act: words of success that were
// not there before 0.5 (0.1 more in a heading, alert or title), an accepted
// request 0.35, the goal's own words in what is told 0.3, a telling address 0.2,
// and what each verb leaves behind (traces.go). The sizes are judgements: any two
// of the strong ones make a success.
func (w *witness) actSigns(s *Subgoal, page *Page, eff *Effect, sees func(*Text) bool) (float64, string) {
	if s.Verb == "download" && downloaded(eff) {
		return 0.95, "a download started"
	}
	c, proof := 0.0, ""
	told, emphasis := w.told(s, page, eff, sees)
	if told != "" && (!w.meant(s, page, told) || otherDetail(w.goal, s, told)) {
		if more, trace := w.traces(s, page, eff, sees); more > meantLeast {
			return more, trace
		}
		return meantLeast, "the page says “" + clip(told, 100) + "”, which need not be about this"
	}
	if told != "" {
		c, proof = 0.5, "the page says “"+clip(told, 100)+"”"
		if emphasis {
			c += 0.1
		}
		own := coverage(s, w.words(told+" "+MainHeading(page)))
		if own < 0.5 {
			own = math.Max(own, coverage(s, w.words(pageWords(page, sees))))
		}
		c += 0.3 * math.Min(1, own*1.25)
	}
	if w.submits <= 1 {
		c += 0.35
		proof = join(proof, "the site accepted a request")
	}
	if page.URL != w.lastURL && successURL.MatchString(path(page.URL)) && !w.known[hash(0, path(page.URL))] {
		c += 0.2
		proof = join(proof, "the address is "+path(page.URL))
	}
	switch {
	case told != "" && w.submits > 1 && stillAsks(page):
		c = math.Min(c, askedLeast)
	case told != "" && !emphasis && w.submits > 1:
		c = math.Min(c, passingLeast) // nothing was sent, and the words do not stand out
	case eff.Navigated && w.submits > 1 && !lands[s.Verb] && !strings.HasPrefix(strings.ToLower(told), "thank"):
		c = math.Min(c, passingLeast) // a page that was only opened tells of nothing done
	}
	more, trace := w.traces(s, page, eff, sees)
	c, proof = c+more, join(proof, trace)
	if asksToConfirm(page, emphasis) {
		c = math.Min(c, pendingLeast)
	}
	return math.Min(0.98, c), proof
}

// lands are verbs that are done by arriving somewhere.
var lands = set(`search choose compare logout download filter sort play addcart login`)

// told is the text that says that the act succeeded, "" when none is new, and
// whether it stands out.
func (w *witness) told(s *Subgoal, page *Page, eff *Effect, sees func(*Text) bool) (told string, emphasis bool) {
	for _, d := range eff.Dialogs {
		if _, text, _ := strings.Cut(d, ": "); tells(s, text) && !errorText.MatchString(text) {
			return text, true
		}
	}
	for i := range page.Texts {
		t := &page.Texts[i]
		strong := t.Kind == "heading" || t.Kind == "alert" || t.Kind == "status"
		if t.Kind == "cell" || !sees(t) || w.known[hash(0, t.Text)] || !strong && prospect.MatchString(t.Text) ||
			!tells(s, t.Text) && (w.submits > 1 || !reference.MatchString(t.Text)) {
			continue
		}
		if told == "" || t.Kind != "paragraph" && !emphasis {
			told = t.Text
		}
		emphasis = emphasis || strong
	}
	if told == "" && !w.known[hash(0, page.Title)] && tells(s, page.Title) {
		return page.Title, true
	}
	return told, emphasis
}

// prospect is said of what is still to come.
var prospect = regexp.MustCompile(`(?i)\b(?:once|before|if|until|when) (?:you|your|we)\b`)

// remember what was there, so that only new words count.
func (w *witness) remember(page *Page) {
	for i := range page.Texts {
		w.known[hash(0, page.Texts[i].Text)] = true
	}
	w.known[hash(0, page.Title)] = true
	w.known[hash(0, path(page.URL))] = true
	if hasControl(page, "logout") {
		w.known[hash(0, "control:logout")] = true
	}
}
