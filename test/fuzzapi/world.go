package fuzzapi

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// world is what a client has learned from answers: identifiers, cursors, states
// and signed addresses, so that requests reach what is there.
type world struct {
	mu      sync.Mutex
	ids     map[string][]string // by prefix
	cursors map[string][]string // by path
	etags   map[string]string   // by path
	links   []*url.URL          // signed addresses of artifacts
	streams []*url.URL          // stream addresses with their tokens
	keys    []string            // of the sandbox
	kept    map[string]bool     // ids that must not be changed
}

// most is how many of a kind are remembered.
const most = 60

func newWorld() *world {
	return &world{ids: map[string][]string{}, cursors: map[string][]string{}, etags: map[string]string{}, kept: map[string]bool{}}
}

var (
	identifier = regexp.MustCompile(`^([a-z]+)_[0-9a-z]{26}$`)
	pack       = regexp.MustCompile(`^(pack)_[a-z_]+$`)
)

// remembered adds to what is remembered, the oldest of which is forgotten.
func remembered[T comparable](list []T, v T) []T {
	if at := slices.Index(list, v); at >= 0 {
		return list
	}
	return append(list[max(0, len(list)-most+1):], v)
}

// learn takes in an answer of success.
func (w *world) learn(path string, header http.Header, raw []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if etag := header.Get("ETag"); etag != "" {
		w.etags[path] = etag
	}
	var value any
	if json.Unmarshal(raw, &value) == nil {
		w.take(path, "", value)
	}
}

func (w *world) take(path, name string, value any) {
	switch v := value.(type) {
	case object:
		for name, inner := range v {
			w.take(path, name, inner)
		}
	case []any:
		for _, inner := range v {
			w.take(path, name, inner)
		}
	case string:
		w.word(path, name, v)
	}
}

func (w *world) word(path, name, v string) {
	switch {
	case name == "next_cursor":
		w.cursors[path] = remembered(w.cursors[path], v)
	case strings.HasPrefix(v, "svc_test_"):
		if len(v) > 40 { // not one that is shown by its beginning
			w.keys = remembered(w.keys, v)
		}
	case strings.Contains(v, "/artifacts/"):
		if at, err := url.Parse(v); err == nil && at.RawQuery != "" {
			w.links = remembered(w.links, at)
		}
	case name == "stream_url":
		if at, err := url.Parse(v); err == nil {
			w.streams = remembered(w.streams, at)
		}
	default:
		found := identifier.FindStringSubmatch(v)
		if found == nil {
			found = pack.FindStringSubmatch(v)
		}
		if found != nil {
			w.ids[found[1]] = remembered(w.ids[found[1]], v)
		}
	}
}

// one of a list, and whether there is any.
func one[T any](w *world, r *rand.Rand, list func() []T) (v T, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if all := list(); len(all) > 0 {
		if newest := 4; r.IntN(2) == 0 { // which is mostly still there
			all = all[max(0, len(all)-newest):]
		}
		return all[r.IntN(len(all))], true
	}
	return v, false
}

func (w *world) id(r *rand.Rand, prefix string) (string, bool) {
	return one(w, r, func() []string { return w.ids[prefix] })
}

func (w *world) cursor(r *rand.Rand, path string) (string, bool) {
	return one(w, r, func() []string { return w.cursors[path] })
}

func (w *world) etag(path string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	etag, ok := w.etags[path]
	return etag, ok
}

func (w *world) link(r *rand.Rand) (*url.URL, bool) {
	return one(w, r, func() []*url.URL { return w.links })
}

func (w *world) stream(r *rand.Rand) (*url.URL, bool) {
	return one(w, r, func() []*url.URL { return w.streams })
}

func (w *world) key(r *rand.Rand) (string, bool) {
	return one(w, r, func() []string { return w.keys })
}

// keep protects what is known now of a kind.
func (w *world) keep(prefix string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range w.ids[prefix] {
		w.kept[id] = true
	}
}

func (w *world) isKept(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.kept[id]
}
