package sites

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// "all:" because layouts and partials begin with an underscore.
//
//go:embed all:web
var web embed.FS

// maxBody bounds the body of a form without files, in bytes.
const maxBody = 64 << 10

// cookieName holds the visitor's key in /_truth.
const cookieName = "sid"

// chassis is what all sites share: routes, templates, assets, session cookies.
type chassis struct {
	name  string
	base  string // path prefix of every link, "" at the root
	mux   *http.ServeMux
	pages map[string]*template.Template
	limit int64 // of a request's body, in bytes
}

// view is what a template sees.
type view struct {
	Path   string // of this page, without the base
	Chrome any    // what the layout needs on every page
	Data   any
}

func newChassis(name, base string, truth func() map[string]map[string]bool) *chassis {
	c := &chassis{name: name, base: base, mux: http.NewServeMux(), pages: map[string]*template.Template{}, limit: maxBody}
	funcs := template.FuncMap{
		"url":   func(parts ...string) string { return base + strings.Join(parts, "") },
		"under": func(p, prefix string) bool { return p == prefix || strings.HasPrefix(p, prefix+"/") },
	}
	dir := "web/" + name
	files, err := fs.Glob(web, dir+"/*.html")
	if err != nil {
		panic("sites: " + err.Error()) // the pattern is a constant
	}
	common := template.Must(template.New(name).Funcs(funcs).ParseFS(web, "web/shared/_*.html", dir+"/_*.html"))
	for _, f := range files {
		if page := path.Base(f); page[0] != '_' {
			c.pages[strings.TrimSuffix(page, ".html")] = template.Must(template.Must(common.Clone()).ParseFS(web, f))
		}
	}
	for _, asset := range []string{"style.css", "site.js"} {
		c.mux.HandleFunc("GET /"+asset, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, web, dir+"/"+asset)
		})
	}
	c.mux.HandleFunc("GET /_truth", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, truth())
	})
	return c
}

// ServeHTTP gives every visitor a session cookie and the routes a bounded body.
func (c *chassis) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, c.limit)
	if p := r.URL.Path; p != "/_truth" && path.Ext(p) == "" {
		r = c.identify(w, r)
	}
	c.mux.ServeHTTP(w, r)
}

type visitorKey struct{}

func (c *chassis) identify(w http.ResponseWriter, r *http.Request) *http.Request {
	id := ""
	if k, err := r.Cookie(cookieName); err == nil && len(k.Value) == 32 {
		if _, err := hex.DecodeString(k.Value); err == nil {
			id = k.Value
		}
	}
	if id == "" {
		var b [16]byte
		_, _ = rand.Read(b[:]) // documented never to fail
		id = hex.EncodeToString(b[:])
		http.SetCookie(w, &http.Cookie{
			Name: cookieName, Value: id, Path: c.base + "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
	}
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, id))
}

// visitor is the session key of a request that came through ServeHTTP.
func visitor(r *http.Request) string {
	id, _ := r.Context().Value(visitorKey{}).(string)
	return id
}

// render writes a page whole or, when its template fails, a 500 that says why.
func (c *chassis) render(w http.ResponseWriter, r *http.Request, status int, page string, chrome, data any) {
	var b bytes.Buffer
	err := c.pages[page].ExecuteTemplate(&b, "layout", view{Path: r.URL.Path, Chrome: chrome, Data: data})
	if err != nil {
		http.Error(w, "template "+page+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a failed write means that the client has gone
}

// redirect sends the browser to a page of the site with GET.
func (c *chassis) redirect(w http.ResponseWriter, r *http.Request, to string) {
	http.Redirect(w, r, c.base+to, http.StatusSeeOther)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // a failed write means that the client has gone
}
