package replay_test

import (
	"testing"

	"understudy/domain/findings"
	"understudy/domain/replay"
	"understudy/domain/walk"
)

// lost is a session that gave up with these things in its way, the likeliest first.
func lost(barriers ...findings.Observation) findings.Session {
	return findings.Session{Outcome: walk.GaveUp, Suspects: barriers}
}

func barrier(kind, selector string) findings.Observation {
	return findings.Observation{Kind: kind, Channel: findings.Static, Template: "shop/item", Element: &findings.Element{Selector: selector}}
}

// examine makes every replay and tells the selectors in their order; proven are those
// whose replay reaches the goal.
func examine(sessions []findings.Session, proven ...string) (walked []int, selectors []string) {
	var made []findings.Cause
	for {
		trial, more := replay.Next(sessions, made)
		if !more {
			return walked, selectors
		}
		for _, p := range proven {
			trial.Cause.Proven = trial.Cause.Proven || p == trial.Cause.Selector
		}
		made = append(made, trial.Cause)
		walked, selectors = append(walked, trial.Session), append(selectors, trial.Cause.Selector)
	}
}

func TestOneReplayASuspectedCauseHoweverManySessionsShareIt(t *testing.T) {
	t.Parallel()
	faint, vague, below := barrier(findings.LowContrast, "#buy-10001"), barrier(findings.UnclearLabel, "#go"), barrier(findings.BelowFold, "#end")
	other := faint // the page names the element anew for everybody
	other.Element = &findings.Element{Selector: "#buy-20002"}
	five := []findings.Session{lost(faint, vague, below), lost(other, vague), lost(faint), lost(vague, faint), {Outcome: walk.Succeeded, Suspects: []findings.Observation{below}}}

	walked, selectors := examine(five)
	if len(selectors) != 2 || selectors[0] != "#buy-10001" || selectors[1] != "#go" {
		t.Errorf("replays of %v", selectors)
	}
	if walked[0] != 2 {
		t.Errorf("session %d walks again, which has other reasons too", walked[0])
	}
	if n := replay.Suspected(five); n != 2 {
		t.Errorf("%d causes are suspected", n)
	}
	if _, selectors := examine(five, "#buy-10001"); len(selectors) != 1 {
		t.Errorf("what explains all is followed by replays of %v", selectors[1:])
	}
	if _, selectors := examine(five[4:]); len(selectors) != 0 {
		t.Errorf("replays of %v although everybody succeeded", selectors)
	}
}

func TestATestHasFewReplays(t *testing.T) {
	t.Parallel()
	var many []findings.Session
	for range 9 {
		many = append(many, lost(barrier(findings.LowContrast, "#"+string(rune('a'+len(many))))))
	}
	if _, selectors := examine(many); len(selectors) != replay.Most {
		t.Errorf("%d replays", len(selectors))
	}
}
