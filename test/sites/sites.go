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
	News   = "news"   // "The Tern Gazette": a newspaper behind a cookie wall
	Permit = "permit" // "Borough of Eastmere": a council's services and forms
	App    = "app"    // "Loaf": a bakery's app with pre-orders
)

// Names returns the names of all sites in alphabetical order.
func Names() []string { return []string{App, Bank, Clinic, Docs, News, Permit, SaaS, Shop} }

// Options vary a site. The zero value is the flawless site at today's date.
type Options struct {
	// Faults are put into the pages as they are served, in this order.
	Faults []Fault
	// Decoys are harmless changes, of DecoyKinds.
	Decoys []Fault
	// Now is the clock that booking dates are judged by; nil means time.Now.
	Now func() time.Time
}

// New returns a site mounted at the root of a server. It refuses a name that is
// not in Names and a fault that cannot be injected.
func New(name string, o Options) (http.Handler, error) {
	h, err := newSite(name, "", o)
	if err != nil {
		return nil, err
	}
	return inject(h, o)
}

// Site returns a site without faults, mounted at the root of a server. For a
// name that is not in Names it answers every request with 404.
func Site(name string) http.Handler {
	h, err := New(name, Options{})
	if err != nil {
		return http.NotFoundHandler()
	}
	return h
}

// Handler serves every site without faults under its own prefix ("/shop/", …)
// and a list of them at the root.
func Handler() http.Handler {
	mux := http.NewServeMux()
	for _, name := range Names() {
		h, err := newSite(name, "/"+name, Options{})
		if err != nil {
			continue // not reached: the names are ours
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
	if o.Now == nil {
		o.Now = time.Now
	}
	switch name {
	case Shop:
		return newShop(base), nil
	case SaaS:
		return newSaaS(base), nil
	case Docs:
		return newDocs(base), nil
	case Clinic:
		return newClinic(base, o.Now), nil
	case Bank:
		return newBank(base, o.Now), nil
	case News:
		return newNews(base), nil
	case Permit:
		return newPermit(base, o.Now), nil
	case App:
		return newApp(base, o.Now), nil
	}
	return nil, fmt.Errorf("no site is called %q; there are %s", name, strings.Join(Names(), ", "))
}
