package cli

import (
	"fmt"
	"slices"
	"strings"

	"understudy/adapters/client"
)

// warning begins the reason of what failed and is not to fail the run.
const warning = "only a warning: "

// judge gives a test that has ended its exit status, and the reason in words.
func (r *run) judge(out *result) {
	switch out.Test.Status {
	case client.TestStatusFailed:
		out.Status, out.Reason = ExitTestFailed, "the test failed: "+out.Test.Failure.Message
		return
	case client.TestStatusCancelled:
		out.Status, out.Reason = ExitNotJudged, "the test was cancelled"
		return
	case client.TestStatusCompleted, client.TestStatusRunning: // nobody judges before the end
	}
	gate := out.Report.QualityGate
	if gate.Reason != "" { // no evidence
		out.Status, out.Reason = ExitNotJudged, "there is no evidence to judge by: "+gate.Summary
		return
	}
	var reasons []string
	failed := false
	if out.Compared != nil {
		worse, text := worsened(out.Compared, r.flags.strict)
		failed, reasons = worse, append(reasons, text)
	}
	// Beside a baseline, only a threshold that was asked for counts.
	if out.Compared == nil || r.asked {
		failed = failed || !gate.Passed
		reasons = append(reasons, "quality gate "+gate.Summary)
	}
	out.Reason = strings.Join(reasons, "; ")
	if failed && r.flags.gate == gateWarn {
		out.Reason = warning + out.Reason
	} else if failed {
		out.Status = ExitGateFailed
	}
}

// worsened reports whether the second side of a comparison, this run, is to fail:
// a criterion is significantly worse, or, strictly, the scores as a whole are not
// shown to be as good.
func worsened(c *client.ComparisonResult, strict bool) (bool, string) {
	var worse []string
	for name, score := range c.Criteria {
		if score.Verdict == client.ComparedScoreVerdictABetter && score.Strength == client.Significant {
			worse = append(worse, fmt.Sprintf("%s %+.2f (95 %% interval %+.2f to %+.2f)", strings.ReplaceAll(name, "_", " "), score.Difference.Estimate, score.Difference.Low, score.Difference.High))
		}
	}
	if len(worse) > 0 {
		slices.Sort(worse)
		return true, "significantly worse than the baseline: " + strings.Join(worse, ", ")
	}
	if overall := c.Criteria[overallScore]; strict && overall.Strength != client.Significant {
		return true, "the comparison with the baseline is inconclusive: " + c.Decision
	}
	return false, "not significantly worse than the baseline: " + c.Decision
}
