package browser_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/test/patience"
)

// printing is a browser for printing alone, as the product has it. Its tests do
// not run beside others: a Chromium that starts and prints takes both cores, and
// other tests have pages that must answer within seconds.
func printing(t *testing.T) *browser.Browser {
	t.Helper()
	b := browser.New(programs)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestPrinting(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	html := `<!doctype html><html lang="en"><title>A report (of tests)</title><h1>Printed</h1>
<img src="` + server.URL + `/pixel"><link rel="stylesheet" href="` + server.URL + `/style"><iframe src="` + server.URL + `/frame"></iframe>
<script>document.title = 'changed'; fetch('` + server.URL + `/fetch')</script>` + strings.Repeat("<p>A line of it.</p>", 100)
	ctx, cancel := patience.Context(t.Context(), 30*time.Second)
	defer cancel()
	pdf, err := printing(t).PDF(ctx, []byte(html))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte(`(A report \(of tests\))`)) {
		t.Errorf("%d bytes without their title: %.300q", len(pdf), pdf)
	}
	if pages := bytes.Count(pdf, []byte("/Type /Page\n")); pages < 2 {
		t.Errorf("a hundred paragraphs on %d pages", pages)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("printing has asked the network %d times", n)
	}
}

func TestPrintingIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := printing(t)
	if _, err := b.PDF(ctx, []byte("<title>Late</title>")); !errors.Is(err, context.Canceled) {
		t.Errorf("whoever does not wait gets %v", err)
	}
	if _, err := b.PDF(t.Context(), []byte("<title>In time</title>")); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
