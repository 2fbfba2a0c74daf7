package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command of root on the data of another user's service, while that is
// stopped, would leave files there that the service cannot read.
func TestACommandLeavesTheEventsOfAnotherUserAlone(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	cfg := config{dataDir: t.TempDir()}
	events := filepath.Join(cfg.dataDir, "events")
	s, err := (&storage{app: &app{}}), os.Mkdir(events, 0o700)
	if err == nil {
		_, err = s.openStore(t.Context(), cfg, quiet)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if s, err = attachLog(t.Context(), cfg, quiet); err != nil {
		t.Fatalf("its own events: %v", err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Join(events, "acknowledged"), 12345, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := attachLog(t.Context(), cfg, quiet); err == nil || !strings.Contains(err.Error(), "12345") {
		t.Errorf("another user's events: %v", err)
	}
}
