package report

// The bounds of the list of sessions; GET lists them all.
const (
	maxLines     = 100
	maxLinePages = 6
)

// lines are the sessions one by one, with their way as the atlas has it.
func (a *atlas) lines(sessions []Session) []SessionLine {
	ways := map[*Session][]int{}
	for _, w := range a.walks {
		ways[w.session] = w.pages
	}
	var out []SessionLine
	for i := range sessions[:min(len(sessions), maxLines)] {
		s := &sessions[i]
		way := ways[s]
		line := SessionLine{
			SessionID: s.ID, Persona: s.Persona, Viewport: s.Viewport, Outcome: s.outcome(), SimulatedSeconds: s.SimulatedSeconds,
			Steps: len(s.Steps), Pages: []Page{}, Length: len(way),
		}
		for _, n := range way[:min(len(way), maxLinePages)] {
			line.Pages = append(line.Pages, a.pages[n])
		}
		out = append(out, line)
	}
	return out
}

// outcome is that of the session, "" where nothing confirms what it took for done.
func (s *Session) outcome() string {
	if s.Findings.Misled {
		return ""
	}
	return s.Outcome
}
