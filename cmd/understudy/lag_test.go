package main

import (
	"context"
	"path/filepath"
	"testing"

	"understudy/domain/process"
	"understudy/eventstore"
)

// A failure is told again for a while, so that not everybody asks a log that
// does not answer; but not the failure of one who did not wait.
func TestWhoGoesAwayIsNoFailureOfTheLog(t *testing.T) {
	t.Parallel()
	store, err := eventstore.Open(eventstore.Config{Socket: filepath.Join(t.TempDir(), "none"), Codec: eventstore.NewCodec(process.Catalogue()), CallTimeout: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() }) // nobody listens: its client may be busy looking
	r := &lagReader{store: store}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.read(gone); err == nil || !r.at.IsZero() {
		t.Errorf("whoever has gone away: %v, kept at %v", err, r.at)
	}
	if _, err := r.read(t.Context()); err == nil || r.at.IsZero() || r.err == nil {
		t.Errorf("a log that does not answer: %v, kept at %v", err, r.at)
	}
}
