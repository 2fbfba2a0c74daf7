package browser

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/playwright-community/playwright-go"

	"understudy/domain/walk"
)

// Bounds of what is compared.
const (
	maxGiven  = 200       // texts of a session
	maxBody   = 256 << 10 // bytes of a request that are read
	maxValues = 2000      // of a request
	maxHabits = 500
	leastPart = 4 // characters of a text that is known within a longer value
)

// given is a text that was typed or chosen, in the forms in which pages send it:
// what is written on an option and its value. They are compared and never told.
type given struct{ forms []string }

// habit is how often a page has asked for something, and how often of that when
// nobody was doing anything.
type habit struct{ all, idle int }

// start is what is known of a request when it begins.
type start struct {
	carries int
	caused  bool
}

// enact begins the time in which what a page asks for counts as its answer to an
// act, and remembers what the act gives to the page.
func (r *record) enact(kind walk.ActionType, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acting = kind != walk.Wait && kind != walk.GiveUp && kind != walk.Done
	r.idle = kind == walk.Wait
	if kind != walk.Type && kind != walk.Append && kind != walk.Select {
		return
	}
	if text = plain(text); text == "" || len(r.given) >= maxGiven {
		return
	}
	for _, g := range r.given {
		if g.forms[0] == text {
			return
		}
	}
	r.given = append(r.given, &given{forms: []string{text}})
}

// alias adds another form of a text that was given.
func (r *record) alias(text, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if value = plain(value); value == "" {
		return
	}
	for _, g := range r.given {
		if g.forms[0] == plain(text) && len(g.forms) < 4 {
			g.forms = append(g.forms, value)
		}
	}
}

// rested ends the time of an act: what comes now comes by itself.
func (r *record) rested() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acting, r.idle = false, true
}

// began judges a request that begins; the caller holds the lock.
func (r *record) began(q playwright.Request) {
	if len(r.starts) >= maxRequests {
		return
	}
	key := q.Method() + " " + bare(q.URL())
	h := r.habits[key]
	if h == nil {
		if h = (&habit{}); len(r.habits) < maxHabits {
			r.habits[key] = h
		}
	}
	recurring := h.idle > 0 && h.all > 1
	h.all++
	if r.idle {
		h.idle++
	}
	at := start{caused: r.acting && !recurring}
	if len(r.given) > 0 && q.ResourceType() != "image" && q.ResourceType() != "stylesheet" && q.ResourceType() != "font" {
		body, err := q.PostDataBuffer()
		if err != nil {
			body = nil // it has none that can be read
		}
		kind := ""
		if len(body) > 0 {
			kind = q.Headers()["content-type"]
		}
		at.carries = carried(r.given, values(q.URL(), kind, body))
	}
	r.starts[q] = at
}

// carried counts the texts that some of the values are or, where they are not
// too short, hold.
func carried(all []*given, sent []string) (n int) {
	for _, g := range all {
		if g.in(sent) {
			n++
		}
	}
	return n
}

func (g *given) in(sent []string) bool {
	for _, form := range g.forms {
		for _, v := range sent {
			if v == form || len([]rune(form)) >= leastPart && strings.Contains(v, form) {
				return true
			}
		}
	}
	return false
}

// plain draws runs of blanks together: fields and pages write lines in their own
// ways.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// values are the single values that a request carries in its address and body.
func values(address, kind string, body []byte) []string {
	var out []string
	add := func(v string) {
		if v = plain(v); v != "" && len(out) < maxValues {
			out = append(out, v)
		}
	}
	fields := func(all url.Values) {
		for _, list := range all {
			for _, v := range list {
				add(v)
			}
		}
	}
	if u, err := url.Parse(address); err == nil {
		fields(u.Query())
		for part := range strings.SplitSeq(u.Path, "/") {
			add(part)
		}
	}
	body = body[:min(len(body), maxBody)]
	media, params, err := mime.ParseMediaType(kind)
	if err != nil {
		media = ""
	}
	text := bytes.TrimSpace(body)
	switch {
	case len(text) == 0:
	case media == "multipart/form-data":
		form := multipart.NewReader(bytes.NewReader(body), params["boundary"])
		for len(out) < maxValues {
			part, err := form.NextPart()
			if err != nil {
				break
			}
			v, err := io.ReadAll(part)
			if err == nil || len(v) > 0 {
				add(string(v))
			}
		}
	case text[0] == '{' || text[0] == '[' || text[0] == '"':
		var v any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&v) == nil {
			leaves(v, add)
		} else {
			add(string(text))
		}
	case media == "application/x-www-form-urlencoded":
		if all, err := url.ParseQuery(string(text)); err == nil {
			fields(all)
		}
	default:
		add(string(text))
	}
	return out
}

// leaves adds every text and number of decoded JSON; what is JSON again within a
// text is found in that text.
func leaves(v any, add func(string)) {
	switch v := v.(type) {
	case string:
		add(v)
	case json.Number:
		add(v.String())
	case []any:
		for _, w := range v {
			leaves(w, add)
		}
	case map[string]any:
		for _, w := range v {
			leaves(w, add)
		}
	}
}
