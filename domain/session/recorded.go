package session

import (
	"understudy/domain/findings"
	"understudy/domain/walk"
)

// Findings are what the detectors noticed in a walk, as it is recorded: what a
// report and a comparison are made of. They are the findings package's Session
// in names of their own, so that logs stay readable however that package
// changes; TakeFindings and Taken go from one to the other.
type Findings struct {
	SessionID    string        `json:"session_id"`
	Observations []Observation `json:"observations"`
	// Templates of the pages that the session visited.
	Templates   []string      `json:"templates"`
	Succeeded   bool          `json:"succeeded"`
	Outcome     string        `json:"outcome,omitempty"`
	SimulatedMS int           `json:"simulated_ms,omitempty"`
	WayMS       int           `json:"way_ms,omitempty"`
	Moves       int           `json:"moves,omitempty"`
	Stuck       bool          `json:"stuck,omitempty"`
	Misled      bool          `json:"misled,omitempty"`
	Frontier    string        `json:"frontier,omitempty"`
	Visits      []string      `json:"visits,omitempty"`
	Way         []Passage     `json:"way,omitempty"`
	Suspects    []Observation `json:"suspects,omitempty"`
	Violations  []Violation   `json:"violations,omitempty"`
	Causes      []Cause       `json:"causes,omitempty"`
	// Sought are the task's words for what was looked for, Stops the pages that a session
	// which fell short came to.
	Sought []string `json:"sought,omitempty"`
	Stops  []Stop   `json:"stops,omitempty"`
}

// Stop is a page that a session which fell short came to, and what was on offer there.
type Stop struct {
	Place    string  `json:"place"`
	Template string  `json:"template"`
	PageURL  string  `json:"page_url"`
	Title    string  `json:"title"`
	Step     int     `json:"step"`
	Quote    string  `json:"quote"`
	CostMS   int     `json:"cost_ms"`
	Offers   []Offer `json:"offers,omitempty"`
}

// Offer is a control of a stop.
type Offer struct {
	Role     string  `json:"role"`
	Name     string  `json:"name"`
	Selector string  `json:"selector"`
	Leads    string  `json:"leads,omitempty"`
	Promise  float64 `json:"promise"`
	Taken    bool    `json:"taken,omitempty"`
	Noticed  string  `json:"noticed"`
}

// Observation is one thing that went wrong at one step.
type Observation struct {
	Kind          string   `json:"kind"`
	Channel       string   `json:"channel"`
	Template      string   `json:"template"`
	Place         string   `json:"place,omitempty"`
	PageURL       string   `json:"page_url"`
	Element       *Target  `json:"element,omitempty"`
	Area          *Box     `json:"area,omitempty"`
	Viewport      Size     `json:"viewport,omitzero"`
	Step          int      `json:"step"`
	Quote         string   `json:"quote"`
	Detail        string   `json:"detail,omitempty"`
	Consequence   string   `json:"consequence"`
	CostMS        int      `json:"cost_ms"`
	Deterministic bool     `json:"deterministic,omitempty"`
	Resolved      bool     `json:"resolved,omitempty"`
	Astray        bool     `json:"astray,omitempty"`
	Compliant     bool     `json:"compliant,omitempty"`
	Unmet         bool     `json:"unmet,omitempty"`
	Guess         bool     `json:"guess,omitempty"`
	Leads         string   `json:"leads,omitempty"`
	Rivals        []string `json:"rivals,omitempty"`
}

// Size of a viewport in CSS px.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Passage is a step that led on: where, and by which element.
type Passage struct {
	Place       string  `json:"place"`
	Role        string  `json:"role,omitempty"`
	Name        string  `json:"name,omitempty"`
	Selector    string  `json:"selector,omitempty"`
	Step        int     `json:"step"`
	LostMS      int     `json:"lost_ms,omitempty"`
	WrongClicks int     `json:"wrong_clicks,omitempty"`
	Scent       float64 `json:"scent,omitempty"`
	Field       bool    `json:"field,omitempty"`
	Opens       bool    `json:"opens,omitempty"`
	OnPage      bool    `json:"on_page,omitempty"`
}

// Violation is what an accessibility audit found on one page.
type Violation struct {
	Rule      string   `json:"rule"`
	Impact    string   `json:"impact"`
	Template  string   `json:"template"`
	PageURL   string   `json:"page_url"`
	Selectors []string `json:"selectors,omitempty"`
}

// Cause is the result of one replay without a barrier.
type Cause struct {
	Kind     string `json:"kind"`
	Selector string `json:"selector"`
	Template string `json:"template"`
	Proven   bool   `json:"proven"`
}

// TakeFindings is what the detectors found, as it is recorded.
func TakeFindings(s findings.Session) *Findings {
	return &Findings{
		SessionID: s.SessionID, Observations: each(s.Observations, takeObservation), Templates: s.Templates,
		Succeeded: s.Succeeded, Outcome: s.Outcome, SimulatedMS: s.SimulatedMS, WayMS: s.WayMS, Moves: s.Moves,
		Stuck: s.Stuck, Misled: s.Misled, Frontier: s.Frontier, Visits: s.Visits, Suspects: each(s.Suspects, takeObservation),
		Way:        each(s.Way, func(p findings.Passage) Passage { return Passage(p) }),
		Violations: each(s.Violations, func(v findings.Violation) Violation { return Violation(v) }),
		Causes:     each(s.Causes, func(c findings.Cause) Cause { return Cause(c) }),
		Sought:     s.Sought, Stops: each(s.Stops, takeStop),
	}
}

// Taken is what was recorded, for the findings package; of a session that was
// recorded without findings nothing.
func (f *Findings) Taken() findings.Session {
	if f == nil {
		return findings.Session{}
	}
	return findings.Session{
		SessionID: f.SessionID, Observations: each(f.Observations, Observation.taken), Templates: f.Templates,
		Succeeded: f.Succeeded, Outcome: f.Outcome, SimulatedMS: f.SimulatedMS, WayMS: f.WayMS, Moves: f.Moves,
		Stuck: f.Stuck, Misled: f.Misled, Frontier: f.Frontier, Visits: f.Visits, Suspects: each(f.Suspects, Observation.taken),
		Way:        each(f.Way, func(p Passage) findings.Passage { return findings.Passage(p) }),
		Violations: each(f.Violations, func(v Violation) findings.Violation { return findings.Violation(v) }),
		Causes:     each(f.Causes, func(c Cause) findings.Cause { return findings.Cause(c) }),
		Sought:     f.Sought, Stops: each(f.Stops, Stop.taken),
	}
}

func takeStop(s findings.Stop) Stop {
	return Stop{
		Place: s.Place, Template: s.Template, PageURL: s.PageURL, Title: s.Title, Step: s.Step, Quote: s.Quote, CostMS: s.CostMS,
		Offers: each(s.Offers, func(o findings.StopOffer) Offer { return Offer(o) }),
	}
}

func (s Stop) taken() findings.Stop {
	return findings.Stop{
		Place: s.Place, Template: s.Template, PageURL: s.PageURL, Title: s.Title, Step: s.Step, Quote: s.Quote, CostMS: s.CostMS,
		Offers: each(s.Offers, func(o Offer) findings.StopOffer { return findings.StopOffer(o) }),
	}
}

func takeObservation(o findings.Observation) Observation {
	out := Observation{
		Kind: o.Kind, Channel: string(o.Channel), Template: o.Template, Place: o.Place, PageURL: o.PageURL,
		Area: (*Box)(o.Area), Viewport: Size(o.Viewport), Step: o.Step, Quote: o.Quote, Detail: o.Detail,
		Consequence: string(o.Consequence), CostMS: o.CostMS, Deterministic: o.Deterministic, Resolved: o.Resolved,
		Astray: o.Astray, Compliant: o.Compliant, Unmet: o.Unmet, Guess: o.Guess, Leads: o.Leads, Rivals: o.Rivals,
	}
	if e := o.Element; e != nil {
		out.Element = &Target{Role: e.Role, Name: e.Name, Selector: e.Selector, Box: Box(e.Box)}
	}
	return out
}

func (o Observation) taken() findings.Observation {
	out := findings.Observation{
		Kind: o.Kind, Channel: findings.Channel(o.Channel), Template: o.Template, Place: o.Place, PageURL: o.PageURL,
		Area: (*walk.Box)(o.Area), Viewport: walk.Size(o.Viewport), Step: o.Step, Quote: o.Quote, Detail: o.Detail,
		Consequence: findings.Consequence(o.Consequence), CostMS: o.CostMS, Deterministic: o.Deterministic, Resolved: o.Resolved,
		Astray: o.Astray, Compliant: o.Compliant, Unmet: o.Unmet, Guess: o.Guess, Leads: o.Leads, Rivals: o.Rivals,
	}
	if e := o.Element; e != nil {
		out.Element = &findings.Element{Role: e.Role, Name: e.Name, Selector: e.Selector, Box: walk.Box(e.Box)}
	}
	return out
}

// each takes every element of a list over; no list stays none.
func each[From, To any](all []From, take func(From) To) []To {
	if all == nil {
		return nil
	}
	out := make([]To, len(all))
	for i, v := range all {
		out[i] = take(v)
	}
	return out
}
