package sites

import (
	"context"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"time"
)

// The names of the sites.
const (
	Shop   = "shop"   // "Fern & Fire": ceramics, basket, checkout
	SaaS   = "saas"   // "Tidewater": landing page, pricing, sign-up, login
	Docs   = "docs"   // "Packhorse": documentation with search
	Clinic = "clinic" // "Larkfield Clinic": booking in five steps
	Bank   = "bank"   // "Harrow & Pike": online banking behind a login
)

// Names returns the names of all sites in alphabetical order.
func Names() []string { return []string{Bank, Clinic, Docs, SaaS, Shop} }

// Options vary a site. The zero value is the flawless site at today's date.
type Options struct {
	// Defects are names of AllDefects; only the site "saas" has any.
	Defects []string
	// SlowBy is how long the page of the defect slow_page waits; 0 means 4 s,
	// where web.dev/lcp starts to call a page poor.
	SlowBy time.Duration
	// Now is the clock that booking dates are judged by; nil means time.Now.
	Now func() time.Time
}

// New returns a site mounted at the root of a server. It refuses a name that is
// not in Names and a defect that the site does not have.
func New(name string, o Options) (http.Handler, error) {
	return newSite(name, "", o)
}

// Site returns a site without defects, mounted at the root of a server. For a
// name that is not in Names it answers every request with 404.
func Site(name string) http.Handler {
	h, err := New(name, Options{})
	if err != nil {
		return http.NotFoundHandler()
	}
	return h
}

// Handler serves every site without defects under its own prefix ("/shop/", …)
// and a list of them at the root.
func Handler() http.Handler {
	mux := http.NewServeMux()
	for _, name := range Names() {
		h, err := newSite(name, "/"+name, Options{})
		if err != nil {
			continue // not reached: the names are ours and there are no defects
		}
		mux.Handle("/"+name+"/", http.StripPrefix("/"+name, h))
	}
	index := template.Must(template.ParseFS(web, "web/shared/index.html"))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = index.Execute(w, Names()) // a failed write means that the client has gone
	})
	return mux
}

// Serve serves one site on a free loopback port until ctx ends or stop is
// called. The address has no slash at its end.
func Serve(ctx context.Context, name string, o Options) (address string, stop func(), err error) {
	h, err := New(name, o)
	if err != nil {
		return "", nil, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for site %s: %w", name, err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	go func() { _ = srv.Serve(l) }() // always ends with ErrServerClosed
	unhook := context.AfterFunc(ctx, func() { _ = srv.Close() })
	stop = func() {
		unhook()
		_ = srv.Close()
	}
	return "http://" + l.Addr().String(), stop, nil
}

func newSite(name, base string, o Options) (http.Handler, error) {
	if name != SaaS && len(o.Defects) > 0 {
		return nil, fmt.Errorf("site %q has no defects", name)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.SlowBy == 0 {
		o.SlowBy = 4 * time.Second
	}
	switch name {
	case Shop:
		return newShop(base), nil
	case SaaS:
		return newSaaS(base, o)
	case Docs:
		return newDocs(base), nil
	case Clinic:
		return newClinic(base, o.Now), nil
	case Bank:
		return newBank(base, o.Now), nil
	}
	return nil, fmt.Errorf("no site is called %q; there are %s", name, strings.Join(Names(), ", "))
}
