package findings

import "slices"

// ways are those that led the successful sessions of a test to the goal.
type ways struct {
	// winners is how many sessions succeeded.
	winners int
	// left is the fewest passages that were left from a place, by place.
	left map[string]int
	// used counts the elements that led on from a place, by normalised selector.
	used map[string]map[string]int
	by   map[string]map[string]Passage
	// usual are the wrong turns that are taken at a place by at least half of
	// those who come there, by turn.
	usual map[string]bool
	// idle is what no key reaches and somebody who succeeded pressed with a pointer
	// to no purpose, by place and normalised selector.
	idle map[string]map[string]bool
}

// usualShare is the part of those who came to a place that must take a wrong
// turn for it to be the page's doing, however little it cost each: what one
// person does is a slip (an assumption).
const usualShare = 0.5

// turn is what a wrong turn is counted by: which of two like labels people take
// is chance.
func turn(o *Observation) string { return o.Kind + "\x00" + o.Place }

// usualTurns counts the wrong turns of all sessions.
func usualTurns(sessions []Session) map[string]bool {
	came, took := map[string]int{}, map[string]int{}
	place := map[string]string{}
	for i := range sessions {
		s := &sessions[i]
		once := map[string]bool{}
		for _, v := range s.Visits {
			if !once[v] {
				once[v] = true
				came[v]++
			}
		}
		for j := range s.Observations {
			o := &s.Observations[j]
			if t := turn(o); slightKinds[o.Kind] && o.Channel == Observed && !once[t] {
				once[t] = true
				took[t]++
				place[t] = o.Place
			}
		}
	}
	out := map[string]bool{}
	for t, n := range took {
		out[t] = n >= severalSessions && float64(n) >= usualShare*float64(came[place[t]])
	}
	return out
}

func waysOf(sessions []Session) ways {
	w := ways{left: map[string]int{}, used: map[string]map[string]int{}, by: map[string]map[string]Passage{}, usual: usualTurns(sessions), idle: map[string]map[string]bool{}}
	for i := range sessions {
		s := &sessions[i]
		if !s.Succeeded {
			continue
		}
		w.winners++
		w.noteIdle(s)
		if n := len(s.Visits); n > 0 {
			w.use(s.Visits[n-1], stayed)
		}
		stays := 0
		for j := len(s.Way) - 1; j >= 0; j-- {
			p := s.Way[j]
			if j == len(s.Way)-1 || p.Place != s.Way[j+1].Place {
				stays++
			}
			if least, known := w.left[p.Place]; !known || stays < least {
				w.left[p.Place] = stays
			}
			if p.Field || p.Selector == "" {
				continue
			}
			if p.OnPage {
				w.use(p.Place, stayed)
				continue
			}
			key := normalSelector(&Element{Role: p.Role, Name: p.Name, Selector: p.Selector})
			w.use(p.Place, key)
			if old, known := w.by[p.Place][key]; !known || p.Scent > old.Scent || p.Scent == old.Scent && p.Name < old.Name {
				w.by[p.Place][key] = p // the same whichever session comes first
			}
		}
	}
	return w
}

// stayed is what is counted as used where the way went on, or ended, on the page
// itself: nothing has to be found there but by reading on.
const stayed = ""

func (w *ways) use(place, key string) {
	if w.used[place] == nil {
		w.used[place], w.by[place] = map[string]int{}, map[string]Passage{}
	}
	w.used[place][key]++
}

// noteIdle notes what a session pressed that no key reaches, and did not go on by: the
// rule is told of what is pressed.
func (w *ways) noteIdle(s *Session) {
	for i := range s.Observations {
		o := &s.Observations[i]
		if o.Kind != MouseOnly || o.Channel != Static || slices.ContainsFunc(s.Way, func(p Passage) bool { return p.Step == o.Step }) {
			continue
		}
		if w.idle[o.Place] == nil {
			w.idle[o.Place] = map[string]bool{}
		}
		w.idle[o.Place][normalSelector(o.Element)] = true
	}
}

// needless: what no key reaches did nothing for those who pressed it, so that who
// could not lacked nothing.
func (w *ways) needless(o *Observation) bool {
	if o.Kind != MouseOnly {
		return false
	}
	key := normalSelector(o.Element)
	return w.idle[o.Place][key] && w.used[o.Place][key] == 0
}

// divergence is the place where a session was nearest to the goal by the ways
// of others, "" when it never was on one: where it left the way.
func (w *ways) divergence(s *Session) string {
	at, least := "", 0
	for _, place := range s.Visits {
		if n, known := w.left[place]; known && (at == "" || n <= least) {
			at, least = place, n
		}
	}
	return at
}

// off: nobody who succeeded went on from this place. Who was there had missed
// the way before, and what that page lacks is not what they came for.
func (w *ways) off(place string) bool {
	_, known := w.left[place]
	return len(w.left) > 0 && !known
}

// wayOn is the element that most successful sessions went on with at a place, nil
// where as many stayed on the page.
func (w *ways) wayOn(place string) *Element {
	best, key := 0, ""
	for k, n := range w.used[place] {
		if n > best || n == best && k < key {
			best, key = n, k
		}
	}
	if best == 0 || key == stayed {
		return nil
	}
	p := w.by[place][key]
	return &Element{Role: p.Role, Name: p.Name, Selector: p.Selector}
}

// readOn: most who succeeded went on from a place by reading on there.
func (w *ways) readOn(place string) bool {
	return w.used[place][stayed] > 0 && w.wayOn(place) == nil
}

// agreeShare is the part of those who succeeded that must go on from a place by
// the same thing for its label to say what it leads to (an assumption).
const agreeShare = 2.0 / 3

// split: those who succeeded do not agree on what leads on from a place.
func (w *ways) split(place string) bool {
	most, all := 0, 0
	for _, n := range w.used[place] {
		most, all = max(most, n), all+n
	}
	return all >= severalSessions && float64(most) < agreeShare*float64(all)
}

// choices is how many things led on from a place.
func (w *ways) choices(place string) int {
	n := len(w.used[place])
	if _, read := w.used[place][stayed]; read {
		n--
	}
	return n
}

// inside is what most went on with at a place after they had opened something.
func (w *ways) inside(place string) *Element {
	best, key := 0, ""
	for k, n := range w.used[place] {
		if k != stayed && !w.by[place][k].Opens && (n > best || n == best && k < key) {
			best, key = n, k
		}
	}
	if best == 0 {
		return nil
	}
	p := w.by[place][key]
	return &Element{Role: p.Role, Name: p.Name, Selector: p.Selector}
}
