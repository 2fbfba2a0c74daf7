package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// requestLimit bounds one request. It is above the service's own limits, of
// which that for printing a report is the longest.
const requestLimit = 2 * time.Minute

// caller has connections of its own: whoever closes a test server closes idle
// ones of the default transport, and with them what others are about to send.
var caller = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}

// client is a program that uses the service with one key. Every answer it gets
// is held against the OpenAPI document that the service itself serves.
type client struct {
	addr, key string
}

func (s *service) live() client    { return client{s.addr, s.keys.Live} }
func (s *service) sandbox() client { return client{s.addr, s.keys.Test} }

// answer is a response, read to its end.
type answer struct {
	*http.Response
	body []byte
	took time.Duration
}

// send makes a request. path begins after /v1, or is a whole address. A string
// or []byte is the body as it is, anything else but nil is sent as JSON.
// headers are names and values; one with the value "" is left out.
func (c client) send(t testing.TB, method, path string, body any, headers ...string) answer {
	t.Helper()
	a, err := c.try(t, method, path, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (c client) try(t testing.TB, method, path string, body any, headers ...string) (answer, error) {
	t.Helper()
	url := path
	if strings.HasPrefix(path, "/") {
		url = "http://" + c.addr + "/v1" + path
	}
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	if reader != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	began := time.Now()
	res, err := caller.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	read, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{res, read, time.Since(began)}
	c.conforms(t, r, a)
	return a, nil
}

// documents are the parsed OpenAPI documents by address of the service.
var documents sync.Map

func (c client) router(t testing.TB) routers.Router {
	t.Helper()
	if r, ok := documents.Load(c.addr); ok {
		return r.(routers.Router)
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.addr+"/v1/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := caller.Do(r)
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatalf("the OpenAPI document: %v\n%.200s", err, raw)
	}
	doc.Servers = openapi3.Servers{{URL: "http://" + c.addr + "/v1"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	documents.Store(c.addr, router)
	return router
}

// conforms holds an answer of the interface against its document.
func (c client) conforms(t testing.TB, r *http.Request, a answer) {
	t.Helper()
	if !strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Host != c.addr {
		return
	}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if n, err := strconv.ParseInt(a.Header.Get(name), 10, 64); err != nil || n < 0 {
			t.Errorf("%s %s: %d with %s %q", r.Method, r.URL.Path, a.StatusCode, name, a.Header.Get(name))
		}
	}
	route, params, err := c.router(t).FindRoute(r)
	if err != nil {
		return // no such route: the answer is the service's 404 or 405
	}
	file := strings.Contains(r.URL.Path, "/artifacts/") && a.StatusCode < 300
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 a.StatusCode, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: file},
	})
	if err != nil {
		t.Errorf("%s %s: the answer %d is not what the OpenAPI document says: %v\n%.2000s", r.Method, r.URL.Path, a.StatusCode, err, a.body)
	}
}

// problem is an error as clients read it.
type problem struct {
	Code, Detail, Title string
	Status              int
	Errors              []struct{ Pointer, Parameter, Code, Message string }
}

// wants checks the status and, of an error, the code.
func (a answer) wants(t testing.TB, status int, code string) answer {
	t.Helper()
	if a.StatusCode != status {
		t.Fatalf("%s %s: status %d, want %d: %.1000s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.body)
	}
	if code != "" {
		if p := a.problem(t); p.Code != code || p.Status != status {
			t.Fatalf("%s %s: problem %s with status %d, want %s", a.Request.Method, a.Request.URL.Path, p.Code, p.Status, code)
		}
	}
	return a
}

func (a answer) problem(t testing.TB) problem {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("an error of type %q: %.500s", got, a.body)
	}
	return read[problem](t, a)
}

// read decodes an answer's JSON.
func read[T any](t testing.TB, a answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%s %s: %v: %.500s", a.Request.Method, a.Request.URL.Path, err, a.body)
	}
	return v
}

// get reads a resource that must be there.
func get[T any](t testing.TB, c client, path string) T {
	t.Helper()
	return read[T](t, c.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, ""))
}

// all reads a whole list, page by page.
func all[T any](t testing.TB, c client, path string) (out []T) {
	t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for cursor := ""; ; {
		p := get[page[T]](t, c, path+sep+"limit=100"+cursor)
		out = append(out, p.Data...)
		if !p.HasMore {
			return out
		}
		cursor = "&cursor=" + *p.NextCursor
	}
}

type page[T any] struct {
	Data       []T
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}
