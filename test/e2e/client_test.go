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

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"understudy/test/harness"
)

// client is one whose every answer is held against the OpenAPI document that
// the service itself serves.
type client struct{ harness.Client }

// answer is one that is checked.
type answer struct{ harness.Answer }

// send makes a request that gets an answer.
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
	a, err := c.Send(context.Background(), method, path, body, headers...)
	if err == nil {
		c.conforms(t, a)
	}
	return answer{a}, err
}

// documents are the parsed OpenAPI documents by address of the service.
var documents sync.Map

func (c client) router(t testing.TB) routers.Router {
	t.Helper()
	if r, ok := documents.Load(c.Addr); ok {
		return r.(routers.Router)
	}
	a, err := harness.Client{Addr: c.Addr}.Send(context.Background(), http.MethodGet, "/openapi.json", nil) // not of the key's rate
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(a.Body)
	if err != nil {
		t.Fatalf("the OpenAPI document: %v\n%.200s", err, a.Body)
	}
	doc.Servers = openapi3.Servers{{URL: "http://" + c.Addr + "/v1"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	documents.Store(c.Addr, router)
	return router
}

// conforms holds an answer of the interface against its document.
func (c client) conforms(t testing.TB, a harness.Answer) {
	t.Helper()
	r := a.Request
	if !strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Host != c.Addr {
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
		Status:                 a.StatusCode, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: file},
	})
	if err != nil {
		t.Errorf("%s %s: the answer %d is not what the OpenAPI document says: %v\n%.2000s", r.Method, r.URL.Path, a.StatusCode, err, a.Body)
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
		t.Fatalf("%s %s: status %d, want %d: %.1000s", a.Request.Method, a.Request.URL.Path, a.StatusCode, status, a.Body)
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
		t.Fatalf("an error of type %q: %.500s", got, a.Body)
	}
	return read[problem](t, a)
}

// read decodes an answer's JSON.
func read[T any](t testing.TB, a answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("%s %s: %v: %.500s", a.Request.Method, a.Request.URL.Path, err, a.Body)
	}
	return v
}

// get reads a resource that must be there.
func get[T any](t testing.TB, c client, path string) T {
	t.Helper()
	return read[T](t, c.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, ""))
}

// all reads a whole list.
func all[T any](t testing.TB, c client, path string) []T {
	t.Helper()
	out, err := harness.List(path, func(path string) (harness.Page[T], error) { return get[harness.Page[T]](t, c, path), nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}
