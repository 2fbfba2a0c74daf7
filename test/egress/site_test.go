package egress

import (
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

// site is the server that the policy allows. Its pages lead elsewhere.
type site struct {
	port   string
	bodies map[string]string // pages of the tests by path, set before they are opened
	done   chan string       // what a page of a test reports when it has tried everything
}

func startSite(t *testing.T) *site {
	t.Helper()
	s := &site{bodies: make(map[string]string), done: make(chan string, 10)}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", allowedAddr+":0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	server := httptest.NewUnstartedServer(s)
	_ = server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	switch r.URL.Path {
	case "/to":
		status, _ := strconv.Atoi(q.Get("status")) // the corpus has numbers only
		h.Set("Location", q.Get("url"))
		w.WriteHeader(status)
	case "/page":
		h.Set("Content-Type", "text/html; charset=utf-8")
		if q.Get("how") == "refresh-header" {
			h.Set("Refresh", "0; url="+q.Get("url"))
		}
		fmt.Fprintf(w, "<!doctype html><title>page</title>"+leading[q.Get("how")], html.EscapeString(q.Get("url")))
	case "/csp":
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "img-src 'none'; report-uri http://"+q.Get("at")+"/csp-report")
		fmt.Fprint(w, "<img src=/forbidden>")
	case "/reports": // to every kind of endpoint, of errors in the network as well
		h.Set("Content-Type", "text/html; charset=utf-8")
		to := "http://" + q.Get("at") + "/reporting"
		h.Set("Reporting-Endpoints", `default="`+to+`"`)
		h.Set("Report-To", `{"group":"default","max_age":60,"endpoints":[{"url":"`+to+`"}]}`)
		h.Set("NEL", `{"report_to":"default","max_age":60,"success_fraction":1,"failure_fraction":1}`)
		h.Set("Content-Security-Policy", "img-src 'none'; report-to default")
		fmt.Fprint(w, "<img src=/forbidden>")
	case "/hints":
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Link", fmt.Sprintf("<http://%[1]s/early-hint>; rel=preload; as=image, <http://%[1]s>; rel=preconnect", q.Get("at")))
		w.WriteHeader(http.StatusEarlyHints)
		h.Del("Link")
		fmt.Fprint(w, "hinted")
	case "/worker.js":
		h.Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "fetch('http://%s/service-worker')", q.Get("at"))
	case "/done":
		s.done <- q.Get("what")
	default:
		h.Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, s.bodies[r.URL.Path])
	}
}

// leading are the ways in which a page takes a browser to an address.
var leading = map[string]string{
	"refresh-header": "<p hidden>%s",
	"meta-refresh":   `<meta http-equiv=refresh content="0; url=%s">`,
	"script":         `<a id=a href="%s">x</a><script>location.href = a.href</script>`,
	"script-replace": `<a id=a href="%s">x</a><script>location.replace(a.href)</script>`,
	"form-post":      `<form id=f method=post action="%s"><input name=a value=b></form><script>f.submit()</script>`,
	"base-form":      `<base href="%s"><form id=f method=post><input name=a></form><script>f.action = document.baseURI; f.submit()</script>`,
	// Past the blocker of windows nobody pressed for.
	"window-open": `<a id=a target=_blank href="%s">x</a><script>EventTarget.prototype.dispatchEvent.call(a, new MouseEvent("click"))</script>`,
}
