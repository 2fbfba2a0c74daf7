package projections_test

import (
	"encoding/json"
	"strings"
	"testing"

	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/projections/tests"
)

// TestATestWithoutEvidenceSaysSo: no score is shown as null, and the gate is
// closed for that reason, in logs of before reasons were told as well.
func TestATestWithoutEvidenceSaysSo(t *testing.T) {
	t.Parallel()
	var row tests.Row
	for _, e := range []domain.Event{
		testrun.Created{TestID: "test_1", Criteria: []string{"trust"}, Sessions: 2},
		testrun.GateJudged{Threshold: 0.7, FailedCriteria: []string{"overall"}},
		testrun.Completed{AggregateScores: map[string]float64{}},
	} {
		row = tests.Fold(row, domain.Recorded{Event: e})
	}
	shown, err := json.Marshal(row.Doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"aggregate_scores":{"overall":null}`, `"passed":false`, `"reason":"no_evidence"`} {
		if !strings.Contains(string(shown), want) {
			t.Errorf("%s lacks %s", shown, want)
		}
	}
}
