package dashboard

import "testing"

func TestAVerdictIsReadAsWords(t *testing.T) {
	for summary, want := range map[string]string{
		"failed: task_completion 0.40 is 0.30 below 0.70; cta_findability 0.65 is 0.05 below 0.70": "Task completion 0.40 is 0.30 below 0.70; CTA findability 0.65 is 0.05 below 0.70",
		"failed: cta_findability 0.65 is 0.05 below 0.70":                                          "CTA findability 0.65 is 0.05 below 0.70",
		"passed by 0.12":               "Passed by 0.12",
		"no evidence: cta_findability": "No evidence: CTA findability",
	} {
		if got := verdictWords(summary); got != want {
			t.Errorf("%q is read as %q, not as %q", summary, got, want)
		}
	}
}
