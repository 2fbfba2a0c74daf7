package findings

import "slices"

// barred are the elements that others went on with and that a session without a
// pointer could not use, although it got on by another way (WCAG 2.2 2.1.1).
func (s *Session) barred(known []Observation, w *ways) []Observation {
	var out []Observation
	for i := range s.Suspects {
		o := &s.Suspects[i]
		key := normalSelector(o.Element)
		if o.Kind != MouseOnly || w.used[o.Place][key] == 0 || s.clearedOf(o) ||
			slices.ContainsFunc(known, func(k Observation) bool {
				return k.Kind == MouseOnly && k.Place == o.Place && normalSelector(k.Element) == key
			}) {
			continue
		}
		p := *o
		p.Channel, p.Consequence = Observed, ConsequenceRecovered
		out = append(out, p)
	}
	return out
}
