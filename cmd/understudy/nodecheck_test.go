package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/eventstore/node/engine"
)

func TestNodeCheckTellsWhatItCountedOrWhatIsWrong(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	data := t.TempDir()
	e, err := engine.Open(engine.Options{Dir: filepath.Join(data, "events")})
	if err != nil {
		t.Fatal(err)
	}
	for n := range byte(5) {
		if _, err := e.Append(ctx, engine.Append{Stream: "s", Expected: engine.Any, Events: []engine.NewEvent{{ID: [16]byte{n + 1}, Type: "t"}}}); err != nil {
			t.Fatal(err)
		}
	}
	check := func() (string, error) {
		var out strings.Builder
		err := checkEvents(ctx, data, archivesOf(data, ""), &out, func(string) {})
		return out.String(), err
	}
	if _, err := check(); err == nil || !strings.Contains(err.Error(), "stop it, then check") {
		t.Errorf("of a directory in use it says %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if out, err := check(); err != nil || !strings.HasPrefix(out, "5 events in 1 streams") {
		t.Errorf("of a good one it says %q, %v", out, err)
	}
	// The newest events are in the log: cut its end off.
	logs, err := filepath.Glob(filepath.Join(data, "events", "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	if err := os.Truncate(logs[0], 300); err != nil {
		t.Fatal(err)
	}
	if out, err := check(); err == nil || out != "" || !strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), data) {
		t.Errorf("of a damaged one it says %q, %v", out, err)
	}
}
