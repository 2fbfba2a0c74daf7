package mind

import (
	"math"
	"regexp"
	"strings"
)

// generalSuccess is how interfaces tell that something went well.
var generalSuccess = []string{"thank you", "thanks for", "thanks!", "thanks,", "success", "confirmed", "confirmation", "congratulations",
	"all set", "all done", "has been received", "have received", "has been sent", "is complete", "was completed"}

// toldSuccess is how they tell it for one verb.
var toldSuccess = map[string][]string{
	"signup":      {"account created", "account has been created", "welcome", "verify your email", "check your email", "check your inbox", "activate your account", "you're in", "registered", "registration complete"},
	"trial":       {"trial has started", "trial started", "welcome", "check your email", "check your inbox", "account created", "you're in"},
	"login":       {"welcome", "logged in", "signed in", "log out", "sign out", "dashboard"},
	"logout":      {"logged out", "signed out", "goodbye", "see you soon"},
	"buy":         {"order placed", "order number", "your order is", "your order has", "we have your order", "order received", "order confirmed", "order has been", "payment successful", "purchase complete", "is on its way"},
	"checkout":    {"order placed", "order number", "your order is", "your order has", "we have your order", "order received", "order confirmed", "order has been", "payment successful", "purchase complete", "is on its way"},
	"addcart":     {"added to", "in your cart", "in your basket", "in your bag", "1 item", "view cart", "cart (1"},
	"subscribe":   {"subscribed", "check your inbox", "check your email", "on the list", "almost there"},
	"unsubscribe": {"unsubscribed", "removed from"},
	"contact":     {"message sent", "message has been", "get back to you", "in touch", "will reply", "received your"},
	"send":        {"sent", "submitted", "received", "get back to you", "in touch"},
	"demo":        {"request received", "in touch", "contact you", "booked", "get back to you"},
	"quote":       {"request received", "in touch", "get back to you", "your quote"},
	"book":        {"booked", "booking is", "booking number", "reservation is", "reservation number", "reserved", "see you", "appointment is"},
	"cancel":      {"cancelled", "canceled", "terminated"},
	"delete":      {"deleted", "removed"},
	"edit":        {"saved", "updated", "changed"},
	"save":        {"saved", "updated"},
	"create":      {"created", "added", "published"},
	"download":    {"downloading", "your download", "download will start", "download started"},
	"donate":      {"donation", "generosity", "your gift"},
	"search":      {"results", "found"},
	"apply":       {"application received", "application submitted", "application has been"},
	"vote":        {"your vote", "you voted", "counted"},
	"comment":     {"comment posted", "your comment", "awaiting moderation"},
	"share":       {"shared", "invitation sent", "invited", "copied"},
	"upgrade":     {"upgraded", "your new plan", "your plan is"},
	"choose":      {"selected", "your selection", "you chose", "your choice", "your plan"},
	"return":      {"return is", "return has", "refund is", "refund has", "we refund", "return label"},
	"undo":        {"undone", "restored", "reverted"},
	"compare":     {"comparison", "compare"},
}

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
	from    string  // what the page before calls itself
	met     float64 // how far headings so far named the object of the subgoal
	// best confidence so far for the current subgoal and for the last one.
	confidence float64
	evidence   string
	finished   []float64
	proof      []string
}

func newWitness(g *Goal, w func(string) *words) *witness {
	return &witness{goal: g, known: map[uint64]bool{}, words: w, submits: 99}
}

// observe takes one look and what led to it. It reports whether a subgoal was
// reached just now.
func (w *witness) observe(page *Page, eff *Effect, sees func(*Text) bool) bool {
	if eff.Navigated || eff.Mutated || eff.NewTab || eff.Download {
		w.acted = true
	}
	w.submits++
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
	w.lastURL = page.URL
	w.from = mainHeading(page)
	return w.at > before
}

func (w *witness) pass(c float64, proof string) {
	w.finished = append(w.finished, c)
	w.proof = append(w.proof, proof)
	w.at++
	w.confidence, w.evidence, w.met = 0, "", 0
}

func (w *witness) done() bool { return w.at >= len(w.goal.Subgoals) }

// signs is the confidence that a subgoal is reached on this look.
func (w *witness) signs(s *Subgoal, page *Page, eff *Effect, sees func(*Text) bool) (float64, string) {
	if page.Status >= 400 {
		return 0, ""
	}
	if s.Kind != Act {
		strength, quote := answerStrength(s, page, w.words, sees)
		if strength < 0.4 {
			return 0, ""
		}
		// The threshold of strength becomes the confidence that is enough.
		return math.Min(0.97, 0.8+(strength-answerLeast)*0.5), "read: " + quote
	}
	if !w.acted || refused(page, sees) {
		return 0, ""
	}
	return w.actSigns(s, page, eff, sees)
}

// actSigns adds up the independent signs of an act: words of success that were
// not there before 0.5 (0.1 more in a heading, alert or title), an accepted
// request 0.35, the goal's own words in what is told 0.3, a telling address 0.2.
// The sizes are judgements: any two of the strong ones make a success.
func (w *witness) actSigns(s *Subgoal, page *Page, eff *Effect, sees func(*Text) bool) (float64, string) {
	c, proof := 0.0, ""
	if s.Verb == "download" && eff.Download {
		return 0.95, "a download started"
	}
	told := ""
	emphasis := false
	for i := range page.Texts {
		t := &page.Texts[i]
		if !sees(t) || w.known[hash(0, t.Text)] || !tells(s, t.Text) {
			continue
		}
		if told == "" || t.Kind != "paragraph" && !emphasis {
			told = t.Text
		}
		emphasis = emphasis || t.Kind == "heading" || t.Kind == "alert" || t.Kind == "status"
	}
	if told == "" && !w.known[hash(0, page.Title)] && tells(s, page.Title) {
		told, emphasis = page.Title, true
	}
	if told != "" && !w.meant(s, page, told) {
		return meantLeast, "the page says “" + clip(told, 100) + "”, which need not be about this"
	}
	passing := told != "" && !emphasis && w.submits > 1
	asks := told != "" && w.submits > 1 && stillAsks(page)
	if told != "" {
		c, proof = 0.5, "the page says “"+clip(told, 100)+"”"
		if emphasis {
			c += 0.1
		}
		own := coverage(s, w.words(told+" "+mainHeading(page)))
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
	case asks:
		c = math.Min(c, askedLeast)
	case passing:
		c = math.Min(c, passingLeast) // nothing was sent, and the words do not stand out
	}
	switch s.Verb {
	case "login":
		if gone, out := !hasPassword(page), hasControl(page, "logout"); gone && out && !w.known[hash(0, "control:logout")] {
			c += 0.5
			proof = join(proof, "one can log out now")
		}
	case "search":
		if q := strings.ToLower(query(page.URL)); eff.Navigated && q != "" && containsAny(q, s.Object) {
			c += 0.6
			proof = join(proof, "the results are for what was searched")
		}
	case "addcart":
		if h := w.words(mainHeading(page)); w.acted && has(h.concepts, "cart") && coverage(s, w.words(pageWords(page, sees))) > 0.5 {
			c += 0.5
			proof = join(proof, "it is in the cart")
		}
	case "choose":
		if eff.Navigated && coverage(s, w.words(mainHeading(page))) >= 0.6 {
			c += 0.6
			proof = join(proof, "the chosen thing opened")
		}
	}
	return math.Min(0.98, c), proof
}

// tells reports a text that says a subgoal's act succeeded.
func tells(s *Subgoal, text string) bool {
	if text == "" || len(text) > 400 {
		return false
	}
	text = strings.ToLower(text)
	return containsAny(text, generalSuccess) || containsAny(text, toldSuccess[s.Verb])
}

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
