package browser_test

import (
	"flag"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/patience"
)

var (
	shared   *browser.Browser
	programs browser.Config
	site     *httptest.Server
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		err := flag.Set("test.parallel", "6") // they wait for pages rather than compute
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		flag.Parse() // -parallel goes first
		said := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if programs, err = browser.Locate(browser.Config{Logger: said}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		// The limits are those of the service, which the tests of hostile pages meet, but for
		// audits and the coming of pages, which are work.
		programs.AuditLimit, programs.NavigationLimit = patience.Scaled(5*time.Second), patience.Scaled(15*time.Second)
		cfg := programs
		// Tests hold several sessions: with fewer places they would wait for each other.
		cfg.MaxContexts = 16
		shared = browser.New(cfg)
		site = httptest.NewServer(pages())
		code := m.Run()
		site.CloseClientConnections()
		site.Close()
		if err := shared.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

func pages() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata")))
	mux.HandleFunc("/submit", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>Done</title><p>Got %s</p>", r.PostForm.Encode())
	})
	mux.HandleFunc("/api", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) })
	mux.HandleFunc("/file.bin", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=file.bin")
		_, _ = w.Write([]byte("data"))
	})
	mux.HandleFunc("/computes", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><html lang=en><title>Computes</title><script>const end = Date.now() + 2000; while (Date.now() < end);</script><h1>Drawn at last</h1>")
	})
	mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>%s | %s</p><p id=b></p><script>b.textContent=[navigator.language,Intl.DateTimeFormat().resolvedOptions().timeZone,innerWidth,Math.random(),navigator.maxTouchPoints].join(' ')</script>",
			r.UserAgent(), r.Header.Get("Sec-Ch-Ua"))
	})
	mux.HandleFunc("/again", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p id=b></p><a href='/again'>Again</a><script>b.textContent=Math.random()</script>")
	})
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) { // 20,000 elements
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><html lang=en><title>Twenty thousand</title>")
		for i := range 6660 {
			fmt.Fprintf(w, "<div><p>Row %d</p><a href='/p/%d'>Product</a></div>", i, i)
		}
	})
	mux.HandleFunc("/crowd", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.RawQuery)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, crowd(n))
	})
	mux.HandleFunc("/late", func(w http.ResponseWriter, _ *http.Request) { // a banner pushes everything down
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><html lang=en><title>Late</title><h1>Offers</h1><div style='height:900px;background:#ddd'>Much to read</div>"+
			"<script>onload=()=>setTimeout(()=>{const b=document.createElement('div');b.style.height='400px';b.textContent='Good news';document.body.prepend(b)},700)</script>")
	})
	mux.HandleFunc("/leisurely", func(w http.ResponseWriter, r *http.Request) { // longer than a page that rests is watched
		select {
		case <-time.After(600 * time.Millisecond):
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p>Here at last</p>")
	})
	mux.HandleFunc("/away", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Wait</title><p>One moment.</p><script>setTimeout(()=>location='/late',500)</script>")
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	again := func(w http.ResponseWriter, r *http.Request, how string) {
		n, _ := strconv.Atoi(r.URL.RawQuery) // none is the first
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Round and round</title><p>One moment.</p>"+how, r.URL.Path+"?"+strconv.Itoa(n+1))
	}
	mux.HandleFunc("/jsloop", func(w http.ResponseWriter, r *http.Request) { again(w, r, "<script>location.replace('%s')</script>") })
	mux.HandleFunc("/metaloop", func(w http.ResponseWriter, r *http.Request) {
		again(w, r, "<meta http-equiv=refresh content='0;url=%s'>")
	})
	mux.HandleFunc("/json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"a":1}`)
	})
	mux.HandleFunc("/said", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p style='font:16px monospace'>Said %s</p>", html.EscapeString(r.URL.RawQuery))
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	return mux
}

func open(t *testing.T, o browser.SessionOptions) *browser.Session {
	t.Helper()
	return openIn(t, shared, o)
}

func openIn(t *testing.T, b *browser.Browser, o browser.SessionOptions) *browser.Session {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), 30*time.Second)
	defer cancel()
	s, err := b.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// visit opens a page of the test site in a session of its own.
func visit(t *testing.T, path string) *browser.Session {
	t.Helper()
	s := open(t, browser.SessionOptions{})
	if _, err := s.Goto(t.Context(), site.URL+path); err != nil {
		t.Fatal(err)
	}
	return s
}

// wasLeft reports whether an act took as long as a page that does not come to rest is waited
// for, so that what it shows later, on a busy machine, was not.
func wasLeft(began time.Time) bool { return time.Since(began) >= 3*time.Second }

func look(t *testing.T, s *browser.Session) walk.Page {
	t.Helper()
	p, err := s.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func element(t *testing.T, p walk.Page, name string) walk.Element {
	t.Helper()
	for _, e := range p.Elements {
		if e.Name == name {
			return e
		}
	}
	var names []string
	for _, e := range p.Elements {
		names = append(names, e.Role+" "+e.Name)
	}
	t.Fatalf("no element %q among %q", name, names)
	return walk.Element{}
}

func text(p walk.Page, words string) (walk.Text, bool) {
	for _, x := range p.Texts {
		if strings.Contains(x.Text, words) {
			return x, true
		}
	}
	return walk.Text{}, false
}

func act(t *testing.T, s *browser.Session, kind walk.ActionType, name, value string) walk.Effect {
	t.Helper()
	a := walk.Action{Type: kind, Text: value}
	if name != "" {
		a.Ref = element(t, look(t, s), name).Ref
	}
	e, err := s.Act(t.Context(), a, value)
	if err != nil {
		t.Fatalf("%s %s: %v", kind, name, err)
	}
	return e
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	patience.Eventually(t, 30*time.Second, what, ok)
}
