package mind

import (
	"math"
	"regexp"
	"strings"
)

// SuccessConditions are what a test says success is. Every one that is given
// must have held at some time of the walk; they override the task's words.
type SuccessConditions struct {
	// URLMatches is a regular expression over the address; one that does not
	// compile is compared as a plain part of it.
	URLMatches string `json:"url_matches,omitempty"`
	// TextVisible is a text that must be visible, in any case.
	TextVisible string `json:"text_visible,omitempty"`
	// SelectorVisible is a CSS selector that must have a visible match.
	SelectorVisible string `json:"selector_visible,omitempty"`
	// RequestMade is "METHOD /path" or a part of a URL that must have been
	// requested and answered with a status below 400.
	RequestMade string `json:"request_made,omitempty"`
}

// Given reports whether there is any condition.
func (c SuccessConditions) Given() bool { return c != SuccessConditions{} }

// Oracle decides whether the goal was reached by looking at the pages and the
// network, never by what the walker claims.
//
// Without explicit conditions, an act is verified by what changed: words of
// success that were absent before together with an accepted request or the
// goal's own words; visible validation errors negate it. Finding something out
// or reaching a place is verified when a section whose heading and text carry
// the goal's words (and the kind of answer asked for) was on the screen during
// at least one look, that is, when the persona stood before it.
//
// An Oracle is for one walk and not safe for concurrent use.
type Oracle struct {
	explicit SuccessConditions
	pattern  *regexp.Regexp
	held     struct{ url, text, selector, request bool }
	w        *witness
	looks    int
}

// NewOracle starts watching a walk that begins on the page start. What start
// already says is not counted as a change.
func NewOracle(goal Goal, explicit SuccessConditions, start Page) *Oracle {
	o := &Oracle{explicit: explicit, w: newWitness(&goal, newDictionary().of)}
	if explicit.URLMatches != "" {
		if p, err := regexp.Compile(explicit.URLMatches); err == nil {
			o.pattern = p
		}
	}
	goal.adapt(&start)
	o.w.remember(&start)
	o.w.lastURL = start.URL
	return o
}

// Observe takes one look and the effect that led to it (zero for the first).
func (o *Oracle) Observe(page Page, eff Effect) {
	o.looks++
	o.observeExplicit(&page, &eff)
	o.w.observe(&page, &eff, func(t *Text) bool { return t.InViewport })
}

func (o *Oracle) observeExplicit(page *Page, eff *Effect) {
	c := o.explicit
	if c.URLMatches != "" {
		if o.pattern != nil {
			o.held.url = o.held.url || o.pattern.MatchString(page.URL)
		} else {
			o.held.url = o.held.url || strings.Contains(page.URL, c.URLMatches)
		}
	}
	if c.TextVisible != "" && !o.held.text {
		o.held.text = shows(page, c.TextVisible)
	}
	if c.SelectorVisible != "" && has(page.SelectorsVisible, c.SelectorVisible) {
		o.held.selector = true
	}
	if c.RequestMade != "" {
		for _, r := range eff.Requests {
			o.held.request = o.held.request || requested(r, c.RequestMade)
		}
	}
}

// shows looks for a text anywhere on the page, in any case and spacing.
func shows(page *Page, want string) bool {
	want = strings.ToLower(strings.Join(strings.Fields(want), " "))
	var all strings.Builder
	for i := range page.Texts {
		all.WriteString(strings.ToLower(strings.Join(strings.Fields(page.Texts[i].Text), " ")))
		all.WriteByte(' ')
	}
	if strings.Contains(all.String(), want) {
		return true
	}
	for i := range page.Elements {
		if strings.Contains(strings.ToLower(page.Elements[i].Name), want) {
			return true
		}
	}
	return false
}

func requested(r Request, want string) bool {
	if r.Status < 100 || r.Status >= 400 {
		return false
	}
	if method, part, ok := strings.Cut(want, " "); ok {
		return strings.EqualFold(r.Method, method) && strings.Contains(r.URL, strings.TrimSpace(part))
	}
	return strings.Contains(r.URL, want)
}

// Verdict is what the oracle believes so far.
func (o *Oracle) Verdict() Completion {
	total := len(o.w.goal.Subgoals)
	c := Completion{Status: NotReached, SubgoalsDone: min(o.w.at, total), SubgoalsTotal: total}
	if o.explicit.Given() {
		return o.explicitVerdict(c)
	}
	if o.w.done() && total > 0 {
		c.Status, c.Confidence = Verified, 1
		for _, f := range o.w.finished {
			c.Confidence = math.Min(c.Confidence, round3(f))
		}
		c.Evidence = sentence(o.w.proof[len(o.w.proof)-1])
		return c
	}
	c.Confidence = math.Min(0.79, round3(o.w.confidence))
	switch {
	case o.w.confidence >= 0.5 && o.w.at == total-1:
		c.Status, c.Evidence = Unverified, sentence(o.w.evidence)
	case o.w.evidence != "":
		c.Evidence = sentence("only weak signs: " + o.w.evidence)
	default:
		c.Evidence = "Nothing on the pages said that the task was done."
	}
	return c
}

func (o *Oracle) explicitVerdict(c Completion) Completion {
	var missing, met []string
	check := func(want string, ok bool, thing, was string) {
		switch {
		case want == "":
		case ok:
			met = append(met, "the "+thing+" "+was)
		default:
			missing = append(missing, "the "+thing+" never "+was)
		}
	}
	check(o.explicit.URLMatches, o.held.url, "address", "matched")
	check(o.explicit.TextVisible, o.held.text, "text", "appeared")
	check(o.explicit.SelectorVisible, o.held.selector, "selector", "had a visible match")
	check(o.explicit.RequestMade, o.held.request, "request", "succeeded")
	if len(missing) == 0 {
		c.Status, c.Confidence, c.SubgoalsDone = Verified, 1, c.SubgoalsTotal
		c.Evidence = sentence(strings.Join(met, "; "))
		return c
	}
	c.Evidence = sentence(strings.Join(missing, "; "))
	c.SubgoalsDone = min(c.SubgoalsDone, max(0, c.SubgoalsTotal-1))
	return c
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	for _, end := range []string{".”", "!”", "?”", "…”"} {
		if strings.HasSuffix(s, end) {
			return s // what is quoted brings its own end
		}
	}
	return s + "."
}
