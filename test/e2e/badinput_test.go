package e2e

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/test/harness"
)

func TestTargetsThatCannotBeTested(t *testing.T) {
	t.Parallel()
	c := running(t).live()
	hook := receive(t, c, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`)) // a failed write means that the client has gone
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/and-round", http.StatusFound) })
	mux.HandleFunc("/and-round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/missing", http.NotFound)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for name, target := range map[string]struct{ url, says string }{
		"a host without address": {"http://nowhere.invalid/", "does not resolve"},
		"a port nobody serves":   {"http://" + closedPort(t) + "/", "refuses"},
		"not a page":             {server.URL + "/json", "not an HTML page but application/json"},
		"redirects for ever":     {server.URL + "/round", "redirects more than 10 times"},
		"not there":              {server.URL + "/missing", "404"},
		"never answers":          {"http://" + silent(t) + "/", "does not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created := c.create(t, map[string]any{"url": target.url, "task": "Find the price", "sessions": 2})
			failed := c.ended(t, created.ID, time.Minute)
			if failed.Status != "failed" || failed.Failure == nil || failed.Failure.Code != "target_unreachable" ||
				!strings.Contains(failed.Failure.Message, target.says) {
				t.Fatalf("the test is %s: %+v", failed.Status, failed.Failure)
			}
			got := hook.await(t, created.ID, 20*time.Second, "test.failed")[0]
			wellFormed(t, got)
			var data struct {
				Reason struct{ Code, Message string }
				Total  int `json:"sessions_total"`
			}
			if err := json.Unmarshal(got.Data, &data); err != nil || data.Reason.Code != "target_unreachable" ||
				data.Reason.Message != failed.Failure.Message || data.Total != 2 {
				t.Errorf("test.failed says %s", got.Data)
			}
			c.send(t, http.MethodGet, "/tests/"+created.ID+"/report", nil).wants(t, http.StatusNotFound, "not_found")
			if m := follow(t, created.StreamURL, 0).rest(t, 20*time.Second); kinds(m)["test.failed"] != 1 || kinds(m)["session.started"] != 0 {
				t.Errorf("the stream told %v", kinds(m))
			}
		})
	}
}

// closedPort is an address that nobody listens on: it was this test's.
func closedPort(t *testing.T) string {
	t.Helper()
	address, err := harness.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// silent is a server that takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed by the clean-up
			}
			t.Cleanup(func() { _ = conn.Close() })
		}
	}()
	return l.Addr().String()
}

func TestBodiesThatAreWrong(t *testing.T) {
	t.Parallel()
	c := running(t).live()
	const ok = `"url":"http://127.0.0.1:9/","task":"Find the price"`
	for name, bad := range map[string]struct {
		body    string
		status  int
		code    string
		pointer string
	}{
		"not JSON":            {`{"url": `, 400, "malformed_body", ""},
		"words":               {`hello`, 400, "malformed_body", ""},
		"nothing":             {``, 400, "malformed_body", ""},
		"a list":              {`[]`, 422, "validation_failed", ""},
		"an unknown field":    {`{` + ok + `,"sesions":3}`, 422, "validation_failed", "/sesions"},
		"no task":             {`{"url":"http://127.0.0.1:9/"}`, 422, "validation_failed", "/task"},
		"no address":          {`{"task":"Find the price"}`, 422, "validation_failed", "/url"},
		"an address in words": {`{"url":"my shop","task":"Find the price"}`, 422, "validation_failed", "/url"},
		"a file's address":    {`{"url":"file:///etc/passwd","task":"Find the price"}`, 422, "validation_failed", "/url"},
		"task a number":       {`{"url":"http://127.0.0.1:9/","task":3}`, 422, "validation_failed", "/task"},
		"sessions a string":   {`{` + ok + `,"sessions":"10"}`, 422, "validation_failed", "/sessions"},
		"sessions a fraction": {`{` + ok + `,"sessions":1.5}`, 422, "validation_failed", "/sessions"},
		"sessions 0":          {`{` + ok + `,"sessions":0}`, 422, "validation_failed", "/sessions"},
		"sessions 10001":      {`{` + ok + `,"sessions":10001}`, 422, "validation_failed", "/sessions"},
		"viewport a string":   {`{` + ok + `,"viewport":"desktop"}`, 422, "validation_failed", "/viewport"},
		"an unknown viewport": {`{` + ok + `,"viewport":["desktop","watch"]}`, 422, "validation_failed", "/viewport/1"},
		"an unknown score":    {`{` + ok + `,"criteria":["beauty"]}`, 422, "validation_failed", "/criteria/0"},
		"a threshold of 2":    {`{` + ok + `,"quality_gate":{"threshold":2}}`, 422, "validation_failed", "/quality_gate/threshold"},
		"a model not here":    {`{` + ok + `,"model":"openai/nothing"}`, 422, "", "/model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused := c.send(t, http.MethodPost, "/tests", bad.body).wants(t, bad.status, bad.code).problem(t)
			if bad.pointer == "" {
				return
			}
			if len(refused.Errors) != 1 || refused.Errors[0].Pointer != bad.pointer || refused.Errors[0].Message == "" {
				t.Errorf("want one error at %s, got %+v", bad.pointer, refused.Errors)
			}
		})
	}
	c.send(t, http.MethodPost, "/tests", `{`+ok+`}`, "Content-Type", "text/plain").wants(t, http.StatusUnsupportedMediaType, "")
}
