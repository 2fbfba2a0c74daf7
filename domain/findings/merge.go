package findings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"understudy/domain/walk"
)

// clusters gathers observations by root cause.
type clusters struct {
	by map[string]*cluster
	// of are the sessions by their ids.
	of map[string]*Session
}

// keyOf is one issue per detector, normalised selector and page template. What
// is the page's matter has no selector: the element of a lost scent only says
// what should have been found, and competing labels are one matter whichever of
// them was taken.
func keyOf(o *Observation) string {
	selector := normalSelector(o.Element)
	if o.Kind == LostScent || o.Kind == CompetingLabels {
		selector = ""
	}
	if o.Leads != "" {
		return o.Kind + "\x00" + o.Leads
	}
	return o.Kind + "\x00" + selector + "\x00" + o.Template
}

func (cs *clusters) add(sessionID string, o Observation) {
	key := keyOf(&o)
	c := cs.by[key]
	if c == nil {
		c = &cluster{key: key, sample: o, sessions: map[string]Observation{}}
		cs.by[key] = c
	}
	c.put(sessionID, o)
}

// put keeps the worst of a session; the sample is the worst of all.
func (c *cluster) put(sessionID string, o Observation) {
	old, known := c.sessions[sessionID]
	if !known {
		c.order = append(c.order, sessionID)
	} else if o.Leads != "" {
		o = where(old, o)
	}
	if !known || costOf(&o) > costOf(&old) {
		c.sessions[sessionID] = o
	}
	if cmp.Or(cmp.Compare(costOf(&o), costOf(&c.sample)), cmp.Compare(c.sample.Detail+c.sample.PageURL, o.Detail+o.PageURL)) > 0 {
		c.sample = o
	}
}

// represent shows one failure that several pages lead to at the page on which
// most met it first.
func (c *cluster) represent() {
	if c.sample.Leads == "" {
		return
	}
	count := map[string]int{}
	for _, o := range c.sessions {
		count[o.Template]++
	}
	for _, id := range c.order {
		o := c.sessions[id]
		if cmp.Or(cmp.Compare(count[o.Template], count[c.sample.Template]), cmp.Compare(costOf(&o), costOf(&c.sample)), cmp.Compare(c.sample.PageURL, o.PageURL)) > 0 {
			c.sample = o
		}
	}
}

// where is the costlier of two observations of one failure at the page on which
// the session met it first: what is tried elsewhere afterwards fails likewise.
func where(a, b Observation) Observation {
	first, worse := a, b
	if b.Step < a.Step {
		first = b
	}
	if costOf(&a) > costOf(&b) {
		worse = a
	}
	first.Consequence, first.CostMS, first.proven = worse.Consequence, worse.CostMS, a.proven || b.proven
	return first
}

// rootShare is how many of an effect's sessions a root must have been observed
// in, relatively, to explain the effect in the others too (an assumption).
const rootShare = 1.0 / 3

// mergeEffects moves sessions that only saw an effect to the root that explains
// it in enough of the other sessions at the same page: who was lost on a page
// whose way on others saw covered was lost for that reason. A wrong turn or a
// lack of scent is no evidence of its own then. Sessions that a replay has shown
// to end likewise without a root that people differ by keep what they saw.
func (cs *clusters) mergeEffects() {
	for _, key := range slices.Sorted(maps.Keys(cs.by)) {
		effect := cs.by[key]
		root := cs.rootOf(effect)
		if root == nil {
			continue
		}
		left := &cluster{key: effect.key, sample: effect.sample, sessions: map[string]Observation{}}
		for _, id := range effect.order {
			o := effect.sessions[id]
			if !root.sample.Deterministic && cs.of[id].clearedOf(&root.sample) {
				left.put(id, o)
				continue
			}
			if _, known := root.sessions[id]; known && effect.sample.Kind == QuickBack {
				continue
			}
			moved := root.sample
			moved.Step, moved.Quote, moved.CostMS, moved.Consequence = o.Step, o.Quote, o.CostMS, o.Consequence
			moved.proven, moved.Channel, moved.Area = false, Observed, nil
			if moved.Element != nil {
				e := *moved.Element // its box was another session's
				e.Box.W, e.Box.H = 0, 0
				moved.Element = &e
			}
			root.put(id, moved)
		}
		if delete(cs.by, key); len(left.order) > 0 {
			left.sample = left.sessions[left.order[0]]
			cs.by[key] = left
		}
	}
}

// rootOf is the most frequent root of an effect at the same page template.
func (cs *clusters) rootOf(effect *cluster) *cluster {
	var best *cluster
	seen := func(c *cluster) (n int) {
		for _, o := range c.sessions {
			n += here(o.Channel == Observed)
		}
		return n
	}
	for _, key := range slices.Sorted(maps.Keys(cs.by)) {
		c := cs.by[key]
		if c == effect || c.sample.Template != effect.sample.Template || !explainsAcross(&c.sample, &effect.sample) {
			continue
		}
		if n := seen(c); n > 0 && float64(n) >= rootShare*float64(len(effect.sessions)) && (best == nil || n > seen(best)) {
			best = c
		}
	}
	return best
}

// wentBy are the kinds that say what somebody went on by who had to guess: where
// it stood, or what it stood beside. They are no reason for guessing.
var wentBy = map[string]bool{BelowFold: true, CompetingLabels: true}

// explainsAcross reports whether what one person saw explains what another did:
// words that cannot be read where others could not read them, and whatever
// happens to people who have missed the way.
func explainsAcross(root, effect *Observation) bool {
	for _, e := range explanations {
		if e.effect != effect.Kind || !contains(e.roots, root.Kind) {
			continue
		}
		switch effect.Kind {
		case LostScent, QuickBack:
			if root.Kind == Interruption && !root.Deterministic {
				return false
			}
			return e.scope == samePlace && (!effect.Guess || !wentBy[root.Kind])
		case UnclearLabel, LowContrast:
			return e.scope == sameElement && normalSelector(root.Element) == normalSelector(effect.Element)
		}
	}
	return false
}

// titled is the title of an issue with its element's name in it.
func titled(o *Observation) string {
	if o.Kind == LostScent && o.Element != nil && o.Element.Name != "" {
		return walk.Quote(clip(o.Element.Name, 60)) + " was not found here"
	}
	format := wordsOf(o).title
	if !strings.Contains(format, "%s") {
		return format
	}
	return fmt.Sprintf(format, namedIn(format, o.Element))
}

// namedIn is an element as a title calls it that may begin with something else.
func namedIn(format string, e *Element) string {
	if strings.HasPrefix(format, "%s") {
		return named(e)
	}
	return lowerFirst(named(e))
}

// unnamed: nothing in a name can be read out, "..." for one.
func unnamed(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) })
}

// named is an element as titles call it.
func named(e *Element) string {
	switch {
	case e == nil || unnamed(e.Name) && e.Role == "":
		return "A control"
	case unnamed(e.Name):
		return "A " + e.Role + " without a name"
	}
	return walk.Quote(clip(e.Name, 60))
}

// CauseKey identifies what an issue is about apart from its page, so that issues of
// different tests can be matched: its kind, and its element where the kind is
// about one.
func CauseKey(kind string, e *Element) string {
	if kind == LostScent || kind == CompetingLabels {
		return kind
	}
	return kind + "\x00" + normalSelector(e)
}
