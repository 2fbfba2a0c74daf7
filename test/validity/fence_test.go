package validity

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
)

// fence is a proxy that lets the browser reach this machine and nothing else:
// pages of others link to the world, and walks must not depend on it.
func fence() *httptest.Server {
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme = "http" }}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if ip := net.ParseIP(host); r.Method == http.MethodConnect || err != nil || ip == nil || !ip.IsLoopback() {
			http.Error(w, "outside the fence", http.StatusForbidden)
			return
		}
		forward.ServeHTTP(w, r)
	}))
}
