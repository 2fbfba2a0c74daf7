package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"understudy/test/oldlog"
)

// The installation of an older version, without its read models, answers as it
// did then, and starting it has no effects: nothing is recorded, and so no
// delivery is attempted and no session walked.
func TestAnOldLogAnswersAsItDid(t *testing.T) {
	t.Parallel()
	fixture := filepath.Join(root, "test", "golden", "log")
	position, answers, err := oldlog.ReadAnswers(filepath.Join(fixture, oldlog.Answers))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "e2e-") //nolint:usetesting // its sockets' paths must stay short
	if err != nil {
		t.Fatal(err)
	}
	s := newService(dir, oldlog.Settings...)
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("stop the service: %v", err)
		}
		if t.Failed() {
			t.Logf("the service's output:\n%s", s.tail())
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := oldlog.Unpack(filepath.Join(fixture, oldlog.Installation), s.data()); err != nil {
		t.Fatal(err)
	}
	s.begin(t)
	s.logPosition(t) // reactors, who have no checkpoints, have seen all of it
	keys := map[string]string{"live": s.keys.Live, "test": s.keys.Test}
	for _, was := range answers {
		is, err := oldlog.Get(t.Context(), s.addr, keys, was.Ask)
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
