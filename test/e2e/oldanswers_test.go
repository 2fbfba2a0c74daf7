package e2e

import (
	"path/filepath"
	"testing"

	"understudy/test/harness"
	"understudy/test/oldlog"
)

// The installation of an older version, without its read models, answers as it
// did then, and starting it has no effects: nothing is recorded but what makes its
// owner a person who can sign in, and so no delivery is attempted and no session walked.
func TestAnOldLogAnswersAsItDid(t *testing.T) {
	t.Parallel()
	fixture := filepath.Join(harness.Root(), "test", "golden", "log")
	position, answers, err := oldlog.ReadAnswers(filepath.Join(fixture, oldlog.Answers))
	if err != nil {
		t.Fatal(err)
	}
	s := &service{harness.Prepare(t, oldlog.Settings...)}
	if err := oldlog.Unpack(filepath.Join(fixture, oldlog.Installation), s.Data()); err != nil {
		t.Fatal(err)
	}
	s.Begin(t)
	s.logPosition(t) // reactors, who have no checkpoints, have seen all of it
	keys := map[string]string{"live": s.Keys.Live, "test": s.Keys.Test}
	for _, was := range answers {
		// Which models there are is of the installation, not of the log: this one
		// has a successor of the simulated user that walked the old sessions.
		// The head of the log holds what a start adds, with its time.
		if was.Ask.Path == "/v1/models" || was.Ask.Path == "/v1/audit/head" {
			continue
		}
		is, err := oldlog.Get(t.Context(), s.Addr, keys, was.Ask)
		if err != nil {
			t.Fatal(err)
		}
		if difference := oldlog.Difference(was, is); difference != "" {
			t.Errorf("%s: %s", was.Ask, difference)
		}
	}
	if len(answers) < 1000 {
		t.Errorf("there are only %d answers", len(answers))
	}
	if now := s.logPosition(t); now != position {
		t.Errorf("the log has grown from %d to %d", position, now)
	}
}
