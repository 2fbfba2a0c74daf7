package sessions

import "understudy/domain/session"

// Trace is the steps of a session as the API shows them.
type Trace struct {
	SessionID string         `json:"session_id"`
	Steps     []session.Step `json:"steps"`
}

// Recording is the film of a session as the API shows it; its address is made
// at the edge.
type Recording struct {
	ArtifactID      string  `json:"artifact_id"`
	Bytes           int64   `json:"bytes"`
	DurationSeconds float64 `json:"duration_seconds"`
	Format          string  `json:"format"`
	SessionID       string  `json:"session_id"`
}

// Shown is the recording among the evidence of a session, if there is one.
func (e Evidence) Shown(sessionID string) (Recording, bool) {
	if e.Recording == nil {
		return Recording{}, false
	}
	r := e.Recording
	return Recording{
		ArtifactID: r.ID, Bytes: r.Bytes, DurationSeconds: r.DurationSeconds, Format: r.Format, SessionID: sessionID,
	}, true
}
