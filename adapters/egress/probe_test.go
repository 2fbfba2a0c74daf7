package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"understudy/domain"
)

func page(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>Shop</title>")
}

// number is the {n} of a request's path.
func number(r *http.Request) int {
	n, _ := strconv.Atoi(r.PathValue("n")) // these tests ask with numbers only
	return n
}

func probeSite() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { page(w) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/page", http.StatusFound) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/hops/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := number(r)
		if n == 0 {
			page(w)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/hops/%d", n-1), http.StatusMovedPermanently)
	})
	mux.HandleFunc("/consent", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil {
			page(w)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
		http.Redirect(w, r, "/consent", http.StatusFound)
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("url"))
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/status/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(number(r))
	})
	mux.HandleFunc("/type", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = r.URL.Query()["t"]
		fmt.Fprint(w, r.URL.Query().Get("body"))
	})
	mux.HandleFunc("/download", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="page.html"`)
		page(w)
	})
	mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("User-Agent") != probeAgent || r.Header.Get("Accept-Language") == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		page(w)
	})
	return mux
}

func TestProbeTellsWhyAPageCannotBeTested(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(probeSite())
	t.Cleanup(site.Close)
	secure := httptest.NewUnstartedServer(probeSite())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	hangsUp := hangUpServer(t)
	names := startDNS(t)
	p := NewPolicy(loopback)
	p.Resolver = names.resolver()

	for url, want := range map[string]string{
		site.URL + "/page":                                 "",
		site.URL + "/page#part":                            "",
		site.URL + "/moved":                                "",
		site.URL + "/hops/10":                              "",
		site.URL + "/hops/11":                              CodeRedirectLoop,
		site.URL + "/loop":                                 CodeRedirectLoop,
		site.URL + "/consent":                              "",
		site.URL + "/agent":                                "",
		site.URL + "/status/401":                           "",
		site.URL + "/status/403":                           "",
		site.URL + "/status/429":                           "",
		site.URL + "/status/204":                           CodeNotHTML,
		site.URL + "/status/304":                           CodeHTTPError,
		site.URL + "/status/400":                           CodeHTTPError,
		site.URL + "/status/404":                           CodeHTTPError,
		site.URL + "/status/410":                           CodeHTTPError,
		site.URL + "/status/500":                           CodeHTTPError,
		site.URL + "/status/503":                           CodeHTTPError,
		site.URL + "/missing":                              CodeHTTPError,
		site.URL + "/type?t=application/xhtml%2Bxml":       "",
		site.URL + "/type?t=TEXT/HTML%3Bcharset%3D%3B%3B":  "",
		site.URL + "/type?body=<!doctype%20html><p>":       "",
		site.URL + "/type?body=%25PDF-1.7":                 CodeNotHTML,
		site.URL + "/type?t=application/json&body={}":      CodeNotHTML,
		site.URL + "/type?t=image/png":                     CodeNotHTML,
		site.URL + "/download":                             CodeNotHTML,
		site.URL + "/to?url=http://169.254.169.254/latest": ClassBlocked,
		site.URL + "/to?url=http://0xa9fea9fe/latest":      ClassBlocked,
		site.URL + "/to?url=http://gone.example/":          ClassDNS,
		site.URL + "/to?url=file:///etc/passwd":            CodeBadRedirect,
		site.URL + "/to?url=http://user:pass@127.0.0.1/":   CodeBadRedirect,
		secure.URL + "/page":                               ClassTLS,
		"https" + site.URL[len("http"):] + "/page":         ClassTLS,
		"http://no-such-name.example/":                     ClassDNS,
		"http://" + refusedAddress(t):                      ClassRefused,
		"http://" + hangsUp:                                ClassNetwork,
		"http://10.0.0.1/":                                 ClassBlocked,
		"ftp://127.0.0.1/":                                 CodeInvalidURL,
	} {
		t.Run(want+" "+url, func(t *testing.T) {
			t.Parallel()
			err := p.Probe(t.Context(), url)
			if want == "" {
				if err != nil {
					t.Errorf("Probe = %v, want a page", err)
				}
				return
			}
			var u *Unreachable
			if !errors.As(err, &u) || u.Code != want || u.Message == "" {
				t.Errorf("Probe = %v, want %s", err, want)
			}
			if want == ClassBlocked && domain.CodeOf(err) != domain.CodeTargetNotAllowed {
				t.Errorf("%v does not say that the policy refused", err)
			}
		})
	}
}

func TestProbeStatusIsReported(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(probeSite())
	t.Cleanup(site.Close)
	var u *Unreachable
	if err := NewPolicy(loopback).Probe(t.Context(), site.URL+"/status/503"); !errors.As(err, &u) || u.Status != 503 {
		t.Errorf("Probe = %+v", err)
	}
}

func TestProbeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}))
	t.Cleanup(site.Close)
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	err := NewPolicy(loopback).Probe(ctx, site.URL)
	var u *Unreachable
	if !errors.Is(err, context.Canceled) || errors.As(err, &u) {
		t.Errorf("Probe = %v, want the caller's cancellation", err)
	}
}

func TestASilentServerIsATimeout(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String(), nil)
	res, err := NewPolicy(loopback).Reach(ctx, req.URL.String()).client().Do(req)
	if err == nil {
		res.Body.Close()
	}
	if u := unreachable(err); u.Code != ClassTimeout {
		t.Errorf("%v is classed %s", err, u.Code)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// refusedAddress is an address on which nothing listens.
func refusedAddress(t *testing.T) string {
	t.Helper()
	l := listen(t)
	defer l.Close()
	return l.Addr().String()
}

// hangUpServer takes connections and closes them without an answer.
func hangUpServer(t *testing.T) string {
	t.Helper()
	l := listen(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}
