package fuzzapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/http/httpguts"
)

// How true to the document a request is meant to be.
const (
	valid = iota
	nearly
	wrong
)

// request is one that is made up.
type request struct {
	op     *operation
	method string
	path   string // as it is sent, after /v1
	query  string
	header http.Header
	body   []byte
	// forbidden is what in it the document does not allow; then it must be refused.
	forbidden string
}

// key is who calls: with what authorization, and whether live.
type caller struct {
	authorization string
	live          bool
}

func (q *request) String() string {
	return fmt.Sprintf("%s %s?%s %v %.600q", q.method, q.path, q.query, q.header, q.body)
}

// request makes one for an operation.
func (m maker) request(op *operation, who caller, manner int) *request {
	q := &request{op: op, method: op.method, header: http.Header{}}
	if who.authorization != "" {
		q.header.Set("Authorization", who.authorization)
	}
	q.path = m.path(op, manner)
	m.parameters(q, manner)
	m.special(q)
	if op.body != nil {
		m.body(q, manner)
	} else if op.method == http.MethodPost && manner == wrong && m.often(30) {
		q.body = []byte(pick(m, "{}", "null", " ", "x"))
	}
	if manner != valid && m.often(12) {
		q.header.Set("Accept", pick(m, "*/*", "application/*", "text/plain", "image/png;q=abc", "application/json;q=0", ",,", "text/html", "application/problem+json", "application/json, */*;q=0.1"))
	}
	if manner != valid && m.often(10) {
		q.header.Set(pick(m, "X-Request-Id", "Traceparent", "X-Forwarded-For", "Range", "If-Match", "If-Modified-Since", "Origin", "Cookie", "Content-Encoding"), m.headerText())
	}
	if op.method == http.MethodGet && m.often(3) {
		q.method = http.MethodHead
	}
	if who.live && (op.id == "createTest" || op.id == "createComparison") { // no crowds in browsers
		q.body, q.forbidden = []byte(`{"url":`), "half an object"
	}
	return q
}

// path puts identifiers into the operation's path.
func (m maker) path(op *operation, manner int) string {
	path := op.path
	for _, p := range op.params {
		if p.in != "path" {
			continue
		}
		id, known := m.world.id(m.Rand, p.prefix)
		switch {
		case manner == wrong && m.often(60):
			id = pick(m, append(odd, "\xff", "a\xc0\x80", "\xed\xa0\x80")...)
		case !known || manner != valid && m.often(30):
			id = p.prefix + "_" + m.matching("[0-7][0-9a-hjkmnp-tv-z]{25}")
		}
		if m.changes(op) && m.world.isKept(id) {
			id = p.prefix + "_01kaj8h2v4e6tvn2f3m9q0w7xz"
		}
		path = strings.ReplaceAll(path, "{"+p.name+"}", escaped(id))
	}
	return path
}

func (m maker) changes(op *operation) bool { return op.method != http.MethodGet }

// escaped is a text as one segment of a path that every client sends as it is.
func escaped(id string) string {
	switch id {
	case "", ".", "..":
		return "%" + fmt.Sprintf("%X", "~"+id)[:2]
	}
	return url.PathEscape(id)
}

func (m maker) parameters(q *request, manner int) {
	query := url.Values{}
	for _, p := range q.op.params {
		if p.in == "path" || !p.required && !m.often(25) || p.required && manner == wrong && m.often(20) {
			continue
		}
		v := fmt.Sprint(m.parameter(q, p))
		if manner != valid && m.often(40) {
			v = pick(m, append(odd, string(pick(m, numbers...)), "\xff", "\xed\xa0\x80")...)
		}
		if q.op.id == "deleteOrganization" { // never the right one while there is more to ask
			v = "not " + v
		}
		if p.in == "header" {
			if httpguts.ValidHeaderFieldValue(v) {
				q.header.Set(p.name, v)
			}
			continue
		}
		query.Set(p.name, v)
		m.forbids(q, p, v)
	}
	if manner == wrong && m.often(20) {
		query.Add(pick(m, "limit", "unknown", "cursor", "format", "", "at"), pick(m, odd...))
		if query.Has("unknown") {
			q.forbidden = "the parameter unknown"
		}
	}
	q.query = query.Encode()
	if manner == wrong && m.often(5) {
		q.query += pick(m, "&%zz", "&a;b", "&=", "&&&", "&limit=1&limit=2")
	}
}

// forbids notes that a value of the query is none that its schema takes.
func (m maker) forbids(q *request, p param, v string) {
	value := any(v)
	if text(p.schema["type"]) == "integer" {
		value = json.Number(v)
		var n json.Number
		if json.Unmarshal([]byte(v), &n) != nil {
			value = v
		}
	}
	if err := p.checked.Validate(value); err != nil {
		q.forbidden = fmt.Sprintf("the parameter %s", p.name)
	}
}

func (m maker) parameter(q *request, p param) any {
	switch p.name {
	case "cursor":
		if cursor, ok := m.world.cursor(m.Rand, q.path); ok && m.often(80) {
			return cursor
		}
	case "If-None-Match", "If-Match":
		if etag, ok := m.world.etag(q.path); ok && m.often(70) {
			return etag
		}
		return pick(m, `"0"`, `W/"3"`, "*", `"a", "b"`, "", `"18446744073709551616"`)
	case "Idempotency-Key":
		return fmt.Sprintf("key-%d", m.IntN(2000))
	case "at":
		return pick(m, m.moment(), fmt.Sprint(m.IntN(5000)), "18446744073709551615")
	case "stream":
		if id, ok := m.world.id(m.Rand, "test"); ok && m.often(80) {
			return "testrun-" + id
		}
	case "format":
		if v := m.value(p.schema, p.name); v != "pdf" || m.often(10) { // which a browser prints
			return v
		}
		return "json"
	}
	return m.value(p.schema, p.name)
}

// special makes what no schema tells: signed addresses, and connections that
// become WebSockets.
func (m maker) special(q *request) {
	switch q.op.id {
	case "getArtifact":
		if link, ok := m.world.link(m.Rand); ok && m.often(60) {
			_, id, _ := strings.Cut(link.Path, "/artifacts/")
			q.path, q.query, q.forbidden = "/artifacts/"+id, link.RawQuery, ""
			if m.often(30) {
				q.header.Del("Authorization")
			}
			if m.often(20) {
				q.header.Set("Range", pick(m, "bytes=0-9", "bytes=-5", "bytes=999999999-", "bytes=5-1", "bytes=0-1,3-4", "lines=1-2", "bytes=0-18446744073709551616"))
			}
		}
	case "streamTest", "streamWebhookEvents":
		if stream, ok := m.world.stream(m.Rand); ok && m.often(40) && q.op.id == "streamTest" {
			_, after, _ := strings.Cut(stream.Path, "/v1")
			q.path, q.query, q.forbidden = after, stream.RawQuery, ""
			q.header.Del("Authorization")
		}
		if m.often(70) {
			q.header.Set("Connection", "Upgrade")
			q.header.Set("Upgrade", pick(m, "websocket", "websocket", "websocket", "h2c"))
			q.header.Set("Sec-WebSocket-Version", pick(m, "13", "13", "13", "8"))
			q.header.Set("Sec-WebSocket-Key", pick(m, "dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ==", "short"))
		}
	}
}

func (m maker) headerText() string {
	for {
		if v := pick(m, append(odd, "bytes=0-1", `"3"`, "gzip", "identity", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")...); httpguts.ValidHeaderFieldValue(v) {
			return v
		}
	}
}

func (m maker) body(q *request, manner int) {
	taken := q.op.body
	value := m.value(taken.schema, "")
	if len(taken.examples) > 0 && m.often(35) {
		value = m.placed(pick(m, taken.examples...), "")
	}
	switch manner {
	case nearly:
		for range 1 + m.IntN(2) {
			value = m.spoiled(value)
		}
	case wrong:
		value = m.anything(3)
	case valid:
		if !taken.required && m.often(20) {
			return
		}
	}
	raw, err := json.Marshal(value)
	if err != nil {
		raw = []byte("null")
	}
	q.body = raw
	q.header.Set("Content-Type", pick(m, taken.mediaTypes...))
	if read, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw)); err != nil || taken.checked.Validate(read) != nil {
		q.forbidden = "the body"
	}
	if manner == wrong {
		m.broken(q)
	}
}

// broken makes of a body what is no JSON, or no longer the JSON that it says.
func (m maker) broken(q *request) {
	switch m.IntN(12) {
	case 0:
		q.body, q.forbidden = q.body[:len(q.body)/2], ""
	case 1:
		q.body, q.forbidden = append(q.body, pick(m, "}", "x", "{}", "\x00", ",")...), "something after the body"
	case 2:
		q.body, q.forbidden = []byte("{\"a\":\"\xff\xfe\"}"), "no UTF-8"
	case 3:
		q.body, q.forbidden = []byte(strings.Repeat("[", 100_000)), "depth"
	case 4:
		q.body, q.forbidden = []byte(`{"name":"\ud800","a":1,"a":2}`), ""
	case 5:
		q.header.Set("Content-Type", pick(m, "text/plain", "application/xml", "application/json; charset=latin1", "json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"))
	case 6:
		q.header.Del("Content-Type")
	case 7:
		q.header.Set("Content-Encoding", pick(m, "gzip", "br", "identity"))
	case 8:
		if m.often(10) {
			q.body, q.forbidden = bytes.Repeat([]byte(" "), 1<<20+1+m.IntN(1000)), "more than 1 MiB"
		}
	}
}

// placed is an example with the addresses and identifiers of this place.
func (m maker) placed(v any, name string) any {
	switch in := v.(type) {
	case object:
		out := object{}
		for name, inner := range in {
			out[name] = m.placed(inner, name)
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range in {
			out = append(out, m.placed(inner, name))
		}
		return out
	case string:
		if strings.HasPrefix(in, "http://") || strings.HasPrefix(in, "https://") {
			return m.address()
		}
		if found := identifier.FindStringSubmatch(in); found != nil || ofField[name] != "" {
			return m.text(object{}, name)
		}
	case float64:
		if name == "sessions" {
			return 1 + m.IntN(2)
		}
	}
	return v
}
