package runner

import (
	"testing"

	"understudy/domain/session"
	"understudy/domain/walk"
)

// A walk that a late machine has hurt is walked again once, but not where that would
// send again what was accepted.
func TestAWalkThatWasHurtIsWalkedAgainOnce(t *testing.T) {
	t.Parallel()
	hurt := walk.StepRecord{Signals: []walk.Signal{{Kind: walk.SigLimitBusy}}}
	sent := walk.StepRecord{
		Decision: walk.Decision{Purpose: walk.Submit},
		Effect:   walk.Effect{Requests: []walk.Request{{Method: "POST", URL: "https://shop.example/order", Status: 303, Kind: "document"}}},
	}
	for name, c := range map[string]struct {
		walked walk.Walked
		number int
		again  bool
		want   bool
	}{
		"hurt":                    {walk.Walked{Steps: []walk.StepRecord{hurt}}, 1, false, true},
		"not hurt":                {walk.Walked{Steps: make([]walk.StepRecord, 3)}, 1, false, false},
		"hurt, and arrived still": {walk.Walked{Steps: []walk.StepRecord{hurt}, Outcome: walk.Succeeded}, 1, false, false},
		"again":                   {walk.Walked{Steps: []walk.StepRecord{hurt}}, 2, true, false},
		"the last attempt":        {walk.Walked{Steps: []walk.StepRecord{hurt}}, session.MaxAttempts, false, false},
		"after it has sent":       {walk.Walked{Steps: []walk.StepRecord{sent, hurt}}, 1, false, false},
	} {
		w := &walker{attempt: &attempt{number: c.number, again: c.again}}
		if got := w.mend(&c.walked); got != c.want {
			t.Errorf("%s: walked again %v", name, got)
		}
	}
}
