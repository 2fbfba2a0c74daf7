package validity

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Origin is where every site lives as far as the browser knows. Each walk has a
// proxy of its own, which answers for it: so all visitors of a site see the same
// addresses, and each has the site for itself. Nobody listens there.
const Origin = "http://127.0.0.1:7000"

// serve is that proxy: it answers for the Origin and lets nothing else through,
// since pages of others link to the world and walks must not depend on it.
func serve(site http.Handler) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect || r.URL.Scheme+"://"+r.URL.Host != Origin {
			http.Error(w, "outside the fence", http.StatusForbidden)
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.Scheme, inner.URL.Host = "", ""
		inner.RequestURI = inner.URL.RequestURI()
		site.ServeHTTP(w, inner)
	}))
}

// Served is the HTML that one visitor was given.
type Served struct {
	// Pages are by path: what differs only, the latest last.
	Pages map[string][]string
	// Answers are the paths of pages that answered a form, with the paths of the
	// pages that the form stood on.
	Answers map[string][]string
}

// maxVersions bounds how many versions of one page are kept.
const maxVersions = 4

// shelf keeps the pages that a site serves.
type shelf struct {
	mu sync.Mutex
	Served
}

func newShelf() *shelf {
	return &shelf{Served: Served{Pages: map[string][]string{}, Answers: map[string][]string{}}}
}

// taken is what the shelf holds now.
func (s *shelf) taken() Served {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Served{Pages: maps.Clone(s.Pages), Answers: maps.Clone(s.Answers)}
}

// keep passes a site on and puts its pages on the shelf.
func (s *shelf) keep(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &copied{ResponseWriter: w}
		site.ServeHTTP(c, r)
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.Pages[r.URL.Path] = latest(s.Pages[r.URL.Path], c.body.String())
		if from, err := url.Parse(r.Referer()); err == nil && r.Method == http.MethodPost {
			s.Answers[r.URL.Path] = latest(s.Answers[r.URL.Path], from.Path)
		}
	})
}

// latest puts a text at the end of a list of different ones.
func latest(list []string, text string) []string {
	list = append(slices.DeleteFunc(slices.Clone(list), func(v string) bool { return v == text }), text)
	return list[max(0, len(list)-maxVersions):]
}

// maxKept bounds the copy of one page, in bytes.
const maxKept = 1 << 20

// copied is an answer of which a copy is kept.
type copied struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (c *copied) Write(b []byte) (int, error) {
	if c.body.Len() < maxKept {
		c.body.Write(b)
	}
	return c.ResponseWriter.Write(b)
}
