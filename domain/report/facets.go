package report

import (
	"cmp"
	"slices"
	"strconv"

	"understudy/domain/scoring"
	"understudy/domain/stats"
)

// Traits are the facets of a session's persona, with their names and ranges
// there, all filled in.
type Traits struct {
	AgeBand               string
	Motivation            string
	InformationProcessing string
	SelfEfficacy          string
	RiskAttitude          string
	LearningStyle         string
	DomainKnowledge       string
	LanguageLevel         string
	// ReadingWPM and TypingWPM are in words a minute.
	ReadingWPM, TypingWPM int
	// Patience, MotorPrecision, ContrastFactor and Zoom are factors, 1 the usual.
	Patience, MotorPrecision, ContrastFactor, Zoom float64
	KeyboardOnly, ScreenReader                     bool
}

// smallGroup is the size below which a group's numbers are mostly chance: with
// fewer than ten sessions the 95 % interval of a share of one half is wider than
// half of the whole range.
const smallGroup = 10

// facet is how one facet divides people. Numbers are cut at round bounds
// (judgements; adults read 175–300 words a minute: Brysbaert 2019).
type facet struct {
	name  string
	order []string
	of    func(*Session) string
}

var facets = []facet{
	word("viewport", func(s *Session) string { return s.Viewport }),
	word("age_band", func(s *Session) string { return s.Traits.AgeBand }),
	word("motivation", func(s *Session) string { return s.Traits.Motivation }),
	word("information_processing", func(s *Session) string { return s.Traits.InformationProcessing }),
	word("self_efficacy", func(s *Session) string { return s.Traits.SelfEfficacy }, "low", "medium", "high"),
	word("risk_attitude", func(s *Session) string { return s.Traits.RiskAttitude }, "averse", "neutral", "tolerant"),
	word("learning_style", func(s *Session) string { return s.Traits.LearningStyle }),
	word("domain_knowledge", func(s *Session) string { return s.Traits.DomainKnowledge }, "low", "medium", "high"),
	word("language_level", func(s *Session) string { return s.Traits.LanguageLevel }, "basic", "intermediate", "fluent", "native"),
	banded("patience", func(t *Traits) float64 { return t.Patience }, 0.7, 1.5),
	banded("reading_wpm", func(t *Traits) float64 { return float64(t.ReadingWPM) }, 175, 250),
	banded("typing_wpm", func(t *Traits) float64 { return float64(t.TypingWPM) }, 30, 60),
	banded("motor_precision", func(t *Traits) float64 { return t.MotorPrecision }, 0.5, 0.9),
	banded("vision.contrast_factor", func(t *Traits) float64 { return t.ContrastFactor }, 1.1, 1.5),
	banded("zoom", func(t *Traits) float64 { return t.Zoom }, 1.1),
	word("keyboard_only", func(s *Session) string { return strconv.FormatBool(s.Traits.KeyboardOnly) }),
	word("screen_reader", func(s *Session) string { return strconv.FormatBool(s.Traits.ScreenReader) }),
}

// word divides people by a word; groups are in the given order, else in that of
// the alphabet.
func word(name string, of func(*Session) string, order ...string) facet {
	return facet{name, order, of}
}

// banded divides people by a number at bounds in ascending order: "under 0.7",
// "0.7 to 1.5", "over 1.5"; a bound itself belongs to the middle.
func banded(name string, of func(*Traits) float64, bounds ...float64) facet {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	low, high := bounds[0], bounds[len(bounds)-1]
	order := []string{"under " + text(low), text(low) + " to " + text(high), "over " + text(high)}
	if low == high {
		order[1] = text(low)
	}
	return facet{name, order, func(s *Session) string {
		switch v := of(&s.Traits); {
		case v < low:
			return order[0]
		case v > high:
			return order[2]
		}
		return order[1]
	}}
}

// facetsOf divides the sessions by every facet that has at least two values
// among them, those that go with the greatest differences first.
func facetsOf(sessions []Session, criteria []string) []Facet {
	scores := make([]float64, len(sessions))
	scored := make([]bool, len(sessions))
	for i := range sessions {
		scores[i], scored[i] = scoring.Overall(sessions[i].Scores, criteria)
	}
	out := []Facet{}
	for _, f := range facets {
		members := map[string][]int{}
		for i := range sessions {
			if v := f.of(&sessions[i]); v != "" {
				members[v] = append(members[v], i)
			}
		}
		if len(members) < 2 {
			continue
		}
		out = append(out, f.divide(members, sessions, scores, scored))
	}
	slices.SortStableFunc(out, func(a, b Facet) int { return cmp.Compare(b.Explained, a.Explained) })
	return out
}

func (f facet) divide(members map[string][]int, sessions []Session, scores []float64, scored []bool) Facet {
	values := make([]string, 0, len(members))
	for v := range members {
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(f.order, a), slices.Index(f.order, b)), cmp.Compare(a, b))
	})
	d := Facet{Facet: f.name}
	var spread [][]float64
	for _, v := range values {
		g := Group{Value: v, Sessions: len(members[v])}
		seconds := 0.0
		var overalls []float64
		for _, i := range members[v] {
			seconds += sessions[i].SimulatedSeconds
			if sessions[i].Findings.Succeeded {
				g.Succeeded++
			}
			if scored[i] {
				overalls = append(overalls, scores[i])
			}
		}
		low, high := stats.Wilson(g.Succeeded, g.Sessions, stats.Z95)
		g.Share, g.Low, g.High = round4(float64(g.Succeeded)/float64(g.Sessions)), round4(low), round4(high)
		g.MeanSimulatedSeconds = round4(seconds / float64(g.Sessions))
		if mean := describe(overalls); mean != nil {
			g.MeanOverall = &mean.Mean
		}
		spread = append(spread, overalls)
		d.Groups = append(d.Groups, g)
	}
	d.Explained = round4(stats.Explained(spread))
	d.conclude()
	return d
}

// conclude says what the numbers bear. Many facets are looked at, and one of
// twenty differs this clearly by chance.
func (d *Facet) conclude() {
	small := 0
	for i := range d.Groups {
		if d.Groups[i].Sessions < smallGroup {
			small++
		}
		for j := range i {
			d.Clear = d.Clear || d.Groups[i].Low > d.Groups[j].High || d.Groups[j].Low > d.Groups[i].High
		}
	}
	least := slices.MinFunc(d.Groups, func(a, b Group) int { return cmp.Compare(a.High, b.High) })
	switch {
	case d.Clear:
		d.Note = "Fewer succeed with “" + least.Value + "” than with others, by more than chance would explain; look at their sessions."
	default:
		d.Note = "The intervals overlap: no difference in success is shown."
	}
	switch {
	case small == len(d.Groups):
		d.Note += " All groups are small (fewer than " + strconv.Itoa(smallGroup) + " sessions), so this says little."
	case small > 0:
		d.Note += " Groups of fewer than " + strconv.Itoa(smallGroup) + " sessions say little."
	}
}
