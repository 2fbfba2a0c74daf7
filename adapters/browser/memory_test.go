package browser_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"understudy/adapters/browser"
)

// TestWhatSessionsHold: what a page takes is told as held while its session is open, by
// one session of two.
func TestWhatSessionsHold(t *testing.T) {
	t.Parallel()
	const taken = 200 << 20
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>Hoard</title><h1>Hoard</h1><script>const all=new Uint8Array(%d).fill(7)</script>`, taken)
	}))
	t.Cleanup(server.Close)
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	if held, sessions := b.Held(); held != 0 || sessions != 0 {
		t.Errorf("%d bytes are held by %d sessions before the first", held, sessions)
	}
	var all []*browser.Session
	for range 2 {
		s, err := b.Open(t.Context(), browser.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	before, sessions := b.Held()
	if before <= 0 || sessions != 2 {
		t.Errorf("%d bytes are held by %d sessions", before, sessions)
	}
	if _, err := all[0].Goto(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "what the page takes is held", func() bool {
		held, _ := b.Held()
		return held >= taken && held >= before+taken/2
	})
	if err := errors.Join(all[0].Close(), all[1].Close()); err != nil {
		t.Error(err)
	}
	if held, sessions := b.Held(); held != 0 || sessions != 0 {
		t.Errorf("%d bytes are held by %d sessions after the last", held, sessions)
	}
}
