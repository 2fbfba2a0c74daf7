package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// logWalk prints a session's walk for people to read, and returns its trace.
func logWalk(t *testing.T, c client, s sessionResource) *trace {
	t.Helper()
	walked := get[sessionResource](t, c, "/sessions/"+s.ID).Trace
	var b strings.Builder
	fmt.Fprintf(&b, "session %d (%s, %s): %s after %d steps on %d pages", s.Index, s.Persona.Name, s.Viewport, s.outcome(), s.Steps, s.PagesVisited)
	if s.Completion != nil {
		fmt.Fprintf(&b, "; %s: %s", s.Completion.Status, s.Completion.Evidence)
	}
	for _, step := range walked.Steps {
		fmt.Fprintf(&b, "\n  %2d %s %s", step.Index, path(step.URL), step.Action.Type)
		if to := step.Action.Target; to != nil {
			fmt.Fprintf(&b, " %s %q", to.Role, short(to.Name))
		}
		if step.Action.Text != "" {
			fmt.Fprintf(&b, " %q", short(step.Action.Text))
		}
		fmt.Fprintf(&b, " | %s", short(step.Thought))
	}
	t.Log(b.String())
	return walked
}

// path is an address without its host.
func path(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return "/" + rest
}

func short(s string) string {
	const most = 90
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
