package projections_test

import (
	"strings"
	"testing"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain/session"
	"understudy/projections"
	"understudy/projections/sessions"
)

// TestArtifactsOfABatchAreOneStatement: however many there are, and though some are
// there already.
func TestArtifactsOfABatchAreOneStatement(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t)
	other, made := traced(t, pool)
	log := history(99)
	want := map[string]bool{}
	for _, e := range log {
		switch e := e.Event.(type) {
		case session.ScreenshotTaken:
			want[e.ID] = true
		case session.Completed:
			if e.Recording != nil {
				want[e.Recording.ID] = true
			}
		}
	}
	if err := projections.Prepare(testContext(t), pool, sessions.Projection); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		fill(t, other, sessions.Projection, log)
	}
	statements := strings.Count(strings.Join(made.since(""), "\n"), "INSERT INTO artifacts")
	rows := dump(t, pool, sessions.Projection)["artifacts"]
	if statements != 2 || len(rows) != len(want) || len(rows) < 2 {
		t.Errorf("%d statements for two batches with the same %d artifacts, which became %d rows", statements, len(want), len(rows))
	}
}
