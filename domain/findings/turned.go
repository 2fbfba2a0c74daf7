package findings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"understudy/domain/walk"
)

// Stop is a page that a session which fell short came to: its name, the step of the
// last look at it, the simulated time in ms that was spent there, and what was on offer.
type Stop struct {
	Place    string
	Template string
	PageURL  string
	Title    string
	Step     int
	Quote    string
	CostMS   int
	Offers   []StopOffer
}

// StopOffer is a control of a stop: what it promised of the task, 0 to 1, whether the
// session took it, the template of the page that it leads to, and how it was noticed.
type StopOffer struct {
	Role     string
	Name     string
	Selector string
	Leads    string
	Promise  float64
	Taken    bool
	Noticed  string
}

// How a control was noticed.
const (
	noticedSeen   = "seen"
	noticedUnread = "unread"
	noticedUnseen = "unseen"
)

// How the ways on from where people turned back are known.
const (
	knownBySessions = "sessions"
	knownByLinks    = "links"
	knownByPage     = "page"
	knownByNothing  = "unknown"
)

// The bounds of what is recorded and told: pages of a session, controls of a page, and
// of each list of a Turn.
const maxStops, maxOffers, maxTold = 12, 12, 6

// took reports whether the session took a control of the stop.
func (t *Stop) took(selector string) bool {
	return slices.ContainsFunc(t.Offers, func(o StopOffer) bool {
		return o.Taken && normalSelector(&Element{Role: o.Role, Name: o.Name, Selector: o.Selector}) == selector
	})
}

// sought are the words of the task for what the walk was after at its end.
func (x *examined) sought() (out []string) {
	at := min(x.w.Steps[len(x.w.Steps)-1].Decision.Subgoal, len(x.w.Goal.Subgoals)-1)
	if at < 0 {
		return nil
	}
	s := &x.w.Goal.Subgoals[at]
	for _, w := range s.Wanted() {
		if !w.Part && !w.Function && !slices.Contains(out, w.Text) && len(out) < maxTold {
			out = append(out, w.Text)
		}
	}
	if len(out) == 0 && s.Verb != "" {
		out = append(out, s.Verb)
	}
	return out
}

// stops are the pages of a walk; of many the last ones.
func (x *examined) stops() []Stop {
	at := map[string]int{}
	var out []Stop
	for i := range x.w.Steps {
		r := &x.w.Steps[i]
		j, known := at[x.places[i]]
		if !known {
			j = len(out)
			at[x.places[i]] = j
			out = append(out, Stop{Place: x.places[i], Template: Template(r.Page.URL)})
		}
		s := &out[j]
		s.PageURL, s.Title, s.Step, s.CostMS = r.Page.URL, titleOf(&r.Page), i, s.CostMS+r.Decision.SimulatedMS
		if r.Decision.Thought != "" {
			s.Quote = r.Decision.Thought
		}
		x.offer(s, i)
	}
	out = out[max(0, len(out)-maxStops):]
	for i := range out {
		offers := out[i].Offers
		slices.SortStableFunc(offers, func(a, b StopOffer) int {
			return cmp.Or(cmp.Compare(here(b.Taken), here(a.Taken)), cmp.Compare(b.Promise, a.Promise))
		})
		out[i].Offers = slices.Clip(offers[:min(len(offers), maxOffers)])
	}
	return out
}

// titleOf is what a page calls itself: its main heading, else its title or address.
func titleOf(p *walk.Page) string {
	for i := range p.Texts {
		if t := &p.Texts[i]; t.Kind == "heading" && t.Level == 1 && strings.TrimSpace(t.Text) != "" {
			return clip(t.Text, 60)
		}
	}
	return clip(cmp.Or(p.Title, Template(p.URL)), 60)
}

// offer adds what is on offer at look i, and what was taken of it.
func (x *examined) offer(s *Stop, i int) {
	r := &x.w.Steps[i]
	for j := range r.Page.Elements {
		e := &r.Page.Elements[j]
		if walk.IsField(e) || e.Disabled || e.Selector == "" {
			continue
		}
		k := slices.IndexFunc(s.Offers, func(o StopOffer) bool { return o.Selector == e.Selector })
		if k < 0 {
			k = len(s.Offers)
			o := StopOffer{Role: e.Role, Name: clip(e.Name, 80), Selector: e.Selector, Promise: round4(x.promise(i, e.Name)), Noticed: noticedUnseen}
			if e.Href != "" {
				o.Leads = Template(e.Href)
			}
			s.Offers = append(s.Offers, o)
		}
		o := &s.Offers[k]
		o.Taken = o.Taken || r.Decision.Target != nil && r.Decision.Target.Selector == e.Selector && r.Decision.Action.Type == walk.Click
		switch _, faint := weak(e); {
		case !e.InViewport || o.Noticed == noticedSeen:
		case unnamed(e.Name) || shapeOnly(e) || faint && e.Contrast < leastLarge || e.CoveredBy != "":
			o.Noticed = noticedUnread
		default:
			o.Noticed = noticedSeen
		}
	}
}

// turnedBack is the page where a session that fell short, for which nothing else is to
// blame, turned back: where it left the ways of others, else behind what it had sent,
// else the one that it spent most time on.
func (s *Session) turnedBack(w *ways) *Observation {
	if slices.ContainsFunc(s.Observations, func(o Observation) bool { return o.Kind == LimitUnsure || o.Kind == LimitScript }) {
		return nil // it may have stood before it, or what leads on was not there for it
	}
	place := cmp.Or(w.divergence(s), s.Frontier)
	at := slices.IndexFunc(s.Stops, func(t Stop) bool { return t.Place == place })
	if at < 0 {
		for i := range s.Stops {
			if at < 0 || s.Stops[i].CostMS > s.Stops[at].CostMS {
				at = i
			}
		}
	}
	if at < 0 {
		return nil
	}
	t := &s.Stops[at]
	return &Observation{
		Kind: LostScent, Channel: Observed, Template: t.Template, Place: t.Place, PageURL: t.PageURL, Step: t.Step, Quote: t.Quote,
		CostMS: t.CostMS, Consequence: s.ending(), Element: w.wayOn(t.Place),
	}
}

// Lost are the places at which sessions that fell short were lost, by their ids: of each
// where what its end is blamed on stands.
func Lost(sessions []Session) map[string]string {
	known := waysOf(sessions)
	out := map[string]string{}
	for i := range sessions {
		s := &sessions[i]
		if !s.fellShort() {
			continue
		}
		for _, o := range blamed(s, &known) {
			if o.Consequence == ConsequenceBlocked || o.Consequence == ConsequenceAbandoned {
				out[s.SessionID] = o.Place
			}
		}
	}
	return out
}

// turnedBack tells in an issue about a page without a way on who turned back there, and
// what was on offer; where nobody did, whether the way on was to read on.
func (g *group) turnedBack(i *Issue, of map[string]*Session, w *ways) {
	turn, title := g.turn(of, w)
	if i.Cost.Ended == 0 && w.readOn(g.sample.Place) {
		i.Title = "Nothing says that what people came for is on this page"
		i.Description = "Who found it read on until they came to it; no label promised it."
		i.Suggestion = nameOnTop
	}
	if turn == nil || i.Cost.Ended == 0 {
		return
	}
	i.Turn = turn
	i.Title = fmt.Sprintf("%d of %d turned back on %s", i.Cost.Ended, i.Frequency.Total, walk.Quote(title))
	i.Description = "Nothing here promised them enough of what the task is about."
	if len(turn.Ways) > 0 {
		way := &turn.Ways[0]
		i.Description = fmt.Sprintf("%s would have led on and was %s.", named(&Element{Role: way.Role, Name: way.Name}), passedBy[way.Noticed])
		i.Suggestion = "Say on it, in words like those of the task, what is behind it, and put it where it is seen."
		if way.Sessions > 0 && slices.ContainsFunc(turn.Taken, func(o Offer) bool { return o.Selector == way.Selector && o.Sessions >= i.Cost.Ended }) {
			i.Description = fmt.Sprintf("%s leads on, and who turned back had taken it: what follows did not tell them that they were on the way.", named(&Element{Role: way.Role, Name: way.Name}))
			i.Suggestion = "Repeat the words of the way at the top of what it leads to, and show there what to do next."
		}
	} else if turn.KnownBy == knownByPage {
		i.Description = "What they came for is on this page, where others found it by reading on; nothing on the screen of those who turned back promised it."
		i.Suggestion = nameOnTop
	}
	if len(turn.Expected) > 0 {
		i.Description += " They looked for " + walk.Quote(strings.Join(turn.Expected, " ")) + "."
	}
}

// nameOnTop is the way out where what people come for stands on the page itself.
const nameOnTop = "Name what people come for, in the words that they use, on the first screen, with a link to where it stands."

// passedBy says how a way on was passed by.
var passedBy = map[string]string{noticedSeen: "on the screen, and not taken", noticedUnread: "on the screen, and could not be read", noticedUnseen: "never on the screen"}

// turn is what was on offer on the page of a group of sessions that were lost there,
// what they took, and what would have led on.
func (g *group) turn(of map[string]*Session, w *ways) (*Turn, string) {
	t := &Turn{KnownBy: knownByNothing}
	var offers []StopOffer
	count := map[string]int{}
	title := ""
	for _, id := range g.order {
		o, s := g.sessions[id], of[id]
		at := slices.IndexFunc(s.Stops, func(t Stop) bool { return t.Place == o.Place })
		if at < 0 {
			continue
		}
		if title == "" {
			title = s.Stops[at].Title
		}
		for _, word := range s.Sought {
			if !slices.Contains(t.Expected, word) && len(t.Expected) < maxTold {
				t.Expected = append(t.Expected, word)
			}
		}
		for _, offer := range s.Stops[at].Offers {
			count[offer.Selector] += here(offer.Taken)
			k := slices.IndexFunc(offers, func(known StopOffer) bool { return known.Selector == offer.Selector })
			if k < 0 {
				offers = append(offers, offer)
				continue
			}
			if offer.Noticed == noticedSeen || offers[k].Noticed == noticedUnseen {
				offers[k].Noticed = offer.Noticed
			}
			offers[k].Promise = math.Max(offers[k].Promise, offer.Promise)
		}
	}
	if title == "" {
		return nil, ""
	}
	slices.SortStableFunc(offers, func(a, b StopOffer) int {
		return cmp.Or(cmp.Compare(count[b.Selector], count[a.Selector]), cmp.Compare(b.Promise, a.Promise), cmp.Compare(a.Selector, b.Selector))
	})
	for _, o := range offers {
		told := Offer{Role: o.Role, Name: o.Name, Selector: o.Selector, Sessions: count[o.Selector], Noticed: o.Noticed}
		switch {
		case told.Sessions > 0 && len(t.Taken) < maxTold:
			t.Taken = append(t.Taken, told)
		case told.Sessions == 0 && o.Name != "" && len(t.NotTaken) < maxTold:
			t.NotTaken = append(t.NotTaken, told)
		}
	}
	t.Ways, t.KnownBy = w.onFrom(g.sample.Place, offers)
	return t, title
}

// onFrom are the controls that would have led on from a place: those by which others
// did, else links of the place to pages on their ways, unless it is done on the page.
func (w *ways) onFrom(place string, offers []StopOffer) (out []Offer, known string) {
	noticed := func(selector string) string {
		for _, o := range offers {
			if o.Selector == selector {
				return o.Noticed
			}
		}
		return noticedUnseen
	}
	for key, n := range w.used[place] {
		if p, ok := w.by[place][key]; ok && key != stayed {
			out = append(out, Offer{Role: p.Role, Name: p.Name, Selector: p.Selector, Sessions: n, Noticed: noticed(p.Selector)})
		}
	}
	known = knownBySessions
	if len(out) == 0 {
		on := map[string]bool{}
		for p := range w.left {
			template, _, _ := strings.Cut(p, "|")
			on[template] = true
		}
		here, _, _ := strings.Cut(place, "|")
		for _, o := range offers {
			if o.Leads != "" && o.Leads != here && on[o.Leads] {
				out = append(out, Offer{Role: o.Role, Name: o.Name, Selector: o.Selector, Noticed: o.Noticed})
			}
		}
		known = knownByLinks
	}
	switch {
	case len(out) == 0 && w.used[place][stayed] > 0:
		return nil, knownByPage
	case len(out) == 0:
		return nil, knownByNothing
	}
	slices.SortFunc(out, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Selector, b.Selector))
	})
	return out[:min(len(out), maxTold)], known
}
