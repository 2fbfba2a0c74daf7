package findings

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"understudy/domain"
	"understudy/domain/stats"
)

// Issue is one root cause with its evidence, as reports show it.
type Issue struct {
	ID          string `json:"id"`
	Rank        int    `json:"rank"`
	Kind        string `json:"kind"`
	Title       string `json:"title"`
	Description string `json:"description"`
	// Severity: 4 blocked, 3 abandoned or a long detour, 2 delayed, 1 a rule
	// says so and nobody was impeded.
	Severity      int        `json:"severity"`
	SeverityLabel string     `json:"severity_label"`
	Frequency     Frequency  `json:"frequency"`
	Criteria      []string   `json:"criteria"`
	PageURL       string     `json:"page_url"`
	Element       *Element   `json:"element"`
	Evidence      []Evidence `json:"evidence"`
	Suggestion    string     `json:"suggestion"`
	Standard      string     `json:"standard"`
	// Score is what the rank follows.
	Score float64 `json:"-"`
}

// Frequency is how many of the sessions that met the page were affected, with
// the 95 % Wilson interval of the share.
type Frequency struct {
	Affected int     `json:"affected"`
	Total    int     `json:"total"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Evidence points into a session's trace.
type Evidence struct {
	SessionID string `json:"session_id"`
	Step      int    `json:"step"`
	Quote     string `json:"quote"`
}

// LimitNote is one limit of the simulation and how many sessions it touched.
type LimitNote struct {
	Kind        string `json:"kind"`
	Description string `json:"description"`
	Sessions    int    `json:"sessions"`
}

// SeverityLabels by severity.
var SeverityLabels = [...]string{"none", "note", "minor", "major", "critical"}

// costs of consequences; a recovery costs at most 0.4, by the time it took.
const (
	costBlocked   = 1.0
	costAbandoned = 0.8
	costDetour    = 0.4
	costStatic    = 0.02
	// recoveredFullMS is the delay at which a recovery costs all of its 0.4.
	recoveredFullMS = 60000
)

// maxEvidence bounds the evidence that an issue carries; the worst come first.
const maxEvidence = 10

type cluster struct {
	key      string
	sample   Observation
	sessions map[string]Observation // the worst of each session
	order    []string
}

// Rank merges the observations of all sessions of a test into issues, one per
// detector, normalised selector and page template, ordered by the Wilson lower
// bound of affected ÷ exposed × the share of sessions exposed × cost. Limits of
// the simulation come apart and are never issues. The result does not depend
// on the order of the sessions beyond the order of evidence.
func Rank(sessions []Session) (issues []Issue, limits []LimitNote) {
	clusters := map[string]*cluster{}
	exposed := map[string]int{}
	limited := map[string]map[string]bool{}
	for _, s := range sessions {
		for _, t := range s.Templates {
			exposed[t]++
		}
		for _, o := range s.Observations {
			if o.Channel == Limit {
				if limited[o.Kind] == nil {
					limited[o.Kind] = map[string]bool{}
				}
				limited[o.Kind][s.SessionID] = true
				continue
			}
			key := o.Kind + "\x00" + normalSelector(o.Element) + "\x00" + o.Template
			c := clusters[key]
			if c == nil {
				c = &cluster{key: key, sample: o, sessions: map[string]Observation{}}
				clusters[key] = c
			}
			old, known := c.sessions[s.SessionID]
			if !known {
				c.order = append(c.order, s.SessionID)
			}
			if !known || costOf(o) > costOf(old) {
				c.sessions[s.SessionID] = o
			}
		}
	}
	for _, c := range clusters {
		issues = append(issues, c.issue(max(exposed[c.sample.Template], len(c.sessions)), len(sessions)))
	}
	sort.Slice(issues, func(i, j int) bool {
		a, b := issues[i], issues[j]
		switch {
		case a.Score != b.Score:
			return a.Score > b.Score
		case a.Severity != b.Severity:
			return a.Severity > b.Severity
		}
		return a.ID < b.ID
	})
	for i := range issues {
		issues[i].Rank = i + 1
	}
	for kind, by := range limited {
		limits = append(limits, LimitNote{Kind: kind, Description: texts[kind].title, Sessions: len(by)})
	}
	sort.Slice(limits, func(i, j int) bool { return limits[i].Kind < limits[j].Kind })
	return issues, limits
}

// costOf is what one observation cost its session, 0 to 1.
func costOf(o Observation) float64 {
	if o.Channel == Static {
		return costStatic
	}
	switch o.Consequence {
	case ConsequenceBlocked:
		return costBlocked
	case ConsequenceAbandoned:
		return costAbandoned
	case ConsequenceDetour:
		return costDetour
	case ConsequenceRecovered, ConsequenceNone:
	}
	return 0.05 + 0.35*math.Min(1, float64(o.CostMS)/recoveredFullMS)
}

func (c *cluster) issue(exposed, total int) Issue {
	affected := len(c.sessions)
	low, high := stats.Wilson(affected, exposed, stats.Z95)
	cost := 0.0
	worst := map[Consequence]int{}
	observed := false
	for _, id := range c.order {
		o := c.sessions[id]
		cost += costOf(o)
		worst[o.Consequence]++
		observed = observed || o.Channel == Observed
	}
	cost /= float64(affected)
	// Two sessions, or one reproduction of what is deterministic, for the
	// severities that stop releases.
	enough := func(n int) bool { return n >= 2 || n == 1 && c.sample.Deterministic }
	severity := 1
	switch {
	case enough(worst[ConsequenceBlocked]):
		severity = 4
	case enough(worst[ConsequenceBlocked] + worst[ConsequenceAbandoned] + worst[ConsequenceDetour]):
		severity = 3
	case observed:
		severity = 2
	}
	t := texts[c.sample.Kind]
	i := Issue{
		ID:   "iss_" + strings.ReplaceAll(domain.DeriveUUID("issue", c.key).String(), "-", ""),
		Kind: c.sample.Kind, Title: titled(t.title, c.sample.Element), Description: t.description,
		Severity: severity, SeverityLabel: SeverityLabels[severity],
		Frequency: Frequency{Affected: affected, Total: exposed, Low: round4(low), High: round4(high)},
		Criteria:  append([]string{}, t.criteria...), PageURL: c.sample.PageURL, Element: c.sample.Element,
		Suggestion: t.suggestion, Standard: t.standard,
		Score: low * float64(exposed) / float64(max(1, total)) * cost,
	}
	if c.sample.Detail != "" {
		i.Description += " (" + c.sample.Detail + ")"
	}
	ids := append([]string{}, c.order...)
	sort.SliceStable(ids, func(a, b int) bool { return costOf(c.sessions[ids[a]]) > costOf(c.sessions[ids[b]]) })
	for _, id := range ids[:min(len(ids), maxEvidence)] {
		o := c.sessions[id]
		i.Evidence = append(i.Evidence, Evidence{SessionID: id, Step: o.Step, Quote: o.Quote})
	}
	return i
}

func titled(format string, e *Element) string {
	if !strings.Contains(format, "%s") {
		return format
	}
	name := "A control"
	if e != nil {
		switch {
		case e.Name != "":
			name = "“" + clip(e.Name, 60) + "”"
		case e.Role != "":
			name = "A " + e.Role + " without a name"
		}
	}
	return fmt.Sprintf(format, name)
}

func clip(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + "…"
}

func round4(v float64) float64 { return math.Round(v*10000) / 10000 }
