package findings

import (
	"regexp"
	"strings"

	"understudy/domain/mind"
)

// Channel keeps what impeded somebody apart from what an audit says.
type Channel string

// The channels.
const (
	// Observed: a step of someone was impeded.
	Observed Channel = "observed"
	// Static: a rule says so, nobody was impeded; an appendix.
	Static Channel = "static"
	// Limit: the simulation could not go on; never an issue of the page.
	Limit Channel = "limit"
)

// Consequence is what an observation cost the session.
type Consequence string

// The consequences, worst first.
const (
	ConsequenceBlocked   Consequence = "blocked"
	ConsequenceAbandoned Consequence = "abandoned"
	ConsequenceDetour    Consequence = "detour" // more than twice the steps that were needed
	ConsequenceRecovered Consequence = "recovered"
	ConsequenceNone      Consequence = "none"
)

// Element is what an observation or an issue points at.
type Element struct {
	Role     string   `json:"role"`
	Name     string   `json:"name"`
	Selector string   `json:"selector"`
	Box      mind.Box `json:"box"`
}

// Observation is one thing that went wrong at one step of one session.
type Observation struct {
	Kind    string  `json:"kind"`
	Channel Channel `json:"channel"`
	// Template is the page's address without what varies (Template).
	Template string   `json:"template"`
	PageURL  string   `json:"page_url"`
	Element  *Element `json:"element,omitempty"`
	Step     int      `json:"step"`
	// Quote of the trace, Detail in a few words.
	Quote       string      `json:"quote"`
	Detail      string      `json:"detail,omitempty"`
	Consequence Consequence `json:"consequence"`
	// CostMS is the simulated time that it cost.
	CostMS int `json:"cost_ms"`
	// Deterministic faults reproduce for everybody: one session proves them.
	Deterministic bool `json:"deterministic,omitempty"`
}

// Session is what one session contributes to the ranking.
type Session struct {
	SessionID    string        `json:"session_id"`
	Observations []Observation `json:"observations"`
	// Templates of the pages that it visited: what it was exposed to.
	Templates []string `json:"templates"`
	Succeeded bool     `json:"succeeded"`
}

// NewSession reduces a walk to what the ranking needs.
func NewSession(sessionID string, w mind.Walked) Session {
	s := Session{SessionID: sessionID, Observations: Detect(w), Succeeded: w.Outcome == mind.Succeeded}
	seen := map[string]bool{}
	add := func(url string) {
		if t := Template(url); t != "" && !seen[t] {
			seen[t] = true
			s.Templates = append(s.Templates, t)
		}
	}
	for i := range w.Steps {
		add(w.Steps[i].Page.URL)
		if w.Steps[i].Effect.Navigated {
			add(w.Steps[i].Effect.URL)
		}
	}
	return s
}

var (
	varying    = regexp.MustCompile(`^(?:\d+|[0-9a-fA-F]{8,}|[0-9a-fA-F-]{32,36}|[A-Za-z]*_?\d{3,}[A-Za-z0-9_-]*)$`)
	selectorID = regexp.MustCompile(`(#[A-Za-z_-]*)[0-9a-f]*\d[0-9a-fA-F_-]*`)
)

// Template is an address without scheme, query and fragment, and with numbers
// and identifiers in its path replaced by ":id", so that pages of one kind count as one.
func Template(raw string) string {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		rest = raw
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	parts := strings.Split(strings.TrimSuffix(rest, "/"), "/")
	for i := 1; i < len(parts); i++ {
		if varying.MatchString(parts[i]) {
			parts[i] = ":id"
		}
	}
	return strings.Join(parts, "/")
}

// normalSelector drops the counters of generated ids.
func normalSelector(e *Element) string {
	if e == nil {
		return ""
	}
	if e.Selector == "" {
		return e.Role + "|" + strings.ToLower(e.Name)
	}
	return selectorID.ReplaceAllString(e.Selector, "$1*")
}
