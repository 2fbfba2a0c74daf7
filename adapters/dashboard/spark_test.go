package dashboard

import (
	"fmt"
	"slices"
	"testing"

	"understudy/projections/tests"
)

// TestASparkIsOfTheTestsLikeThisOne: of the scores, newest first, it takes those of the same
// address and task until then, twelve at most, and draws them from left to right.
func TestASparkIsOfTheTestsLikeThisOne(t *testing.T) {
	this := tests.Document{ID: "test_30", URL: "https://a.example/", Task: "Buy a tent"}
	score := func(id, url, task string, overall float64) tests.Score {
		return tests.Score{ID: id, URL: url, Task: task, Overall: &overall}
	}
	s := sparkOf(this, []tests.Score{
		score("test_31", this.URL, this.Task, 0.9), score(this.ID, this.URL, this.Task, 1), {ID: "test_25", URL: this.URL, Task: this.Task},
		score("test_24", "https://b.example/", this.Task, 0.8), score("test_23", this.URL, "Sell a tent", 0.7), score("test_22", this.URL, this.Task, 0.5),
	})
	if !slices.Equal(s.Scores, []float64{0.5, 1}) || !s.Shown() || s.Line() != "3.0,11.0 85.0,3.0" || s.LastX() != "85.0" || s.LastY() != "3.0" {
		t.Errorf("%v is drawn as %s, with its end at %s,%s", s.Scores, s.Line(), s.LastX(), s.LastY())
	}
	if want := "Overall scores of the last 2 tests of this address and task: 50 %, 100 %"; s.Words() != want {
		t.Errorf("it is told as %q, not as %q", s.Words(), want)
	}
	var many []tests.Score
	for i := range 20 {
		many = append(many, score(fmt.Sprintf("test_%d", 29-i), this.URL, this.Task, float64(20-i)/20))
	}
	if s := sparkOf(this, many); len(s.Scores) != sparkMost || s.Scores[0] != 9.0/20 || s.Scores[sparkMost-1] != 1 {
		t.Errorf("of twenty it shows %v", s.Scores)
	}
	if sparkOf(this, many[:1]).Shown() {
		t.Error("one score is shown as a course")
	}
}
