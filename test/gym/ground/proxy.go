package ground

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	cookie = "gym_visitor"
	report = "/.gym"
	// most bounds the visitors that have a site of their own.
	most = 60
	// pageLimit bounds a page that is looked into, in bytes.
	pageLimit = 32 << 20
)

//go:embed watch.js
var watch string

// Visitor is a browser context that came to a ground.
type Visitor struct {
	place *Place
	mu    sync.Mutex
	// First and Last are when it was heard of first and last.
	First, Last time.Time
	// Acts is when it pressed, typed or scrolled, Pages the addresses of the pages
	// that ran in its browser.
	Acts  []time.Time
	Pages []string
	seen  map[int]bool
}

// Ground is a site as it is visited for one task: one address for everybody,
// and behind it a copy of the site for each.
type Ground struct {
	URL  string // where a visitor begins
	site Site
	task Task

	ctx      context.Context
	server   *http.Server
	origin   string
	spare    chan *Place
	mu       sync.Mutex
	visitors map[string]*Visitor
	others   *Visitor // who comes without being a browser
	shared   *Place
	places   []*Place
	opened   int
	closed   bool
}

// Prepare opens a ground, with copies of the site that wait for visitors.
func Prepare(ctx context.Context, site Site, task Task, copies int) (*Ground, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &Ground{site: site, task: task, ctx: ctx, origin: "http://" + l.Addr().String(), spare: make(chan *Place, copies), visitors: map[string]*Visitor{}}
	g.URL = g.origin + "/" + strings.TrimPrefix(task.At, "/")
	if site.Static {
		copies = 0
	}
	for range copies {
		p, err := g.open()
		if err != nil {
			return nil, errors.Join(err, l.Close(), g.Close())
		}
		g.spare <- p
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: askLimit}
	go func() { _ = g.server.Serve(l) }() // ends with Close
	return g, nil
}

// open starts a copy of the site; nobody else waits for it, but where all share one.
func (g *Ground) open() (*Place, error) {
	g.mu.Lock()
	if g.site.Static {
		defer g.mu.Unlock()
		if g.shared != nil {
			return g.shared, nil
		}
	} else {
		if g.opened >= most {
			g.mu.Unlock()
			return nil, errors.New("too many visitors")
		}
		g.opened++
		g.mu.Unlock()
	}
	p, err := open(g.ctx, g.site, g.origin)
	if err != nil {
		return nil, err
	}
	if g.site.Static {
		g.shared = p
	} else {
		g.mu.Lock()
		defer g.mu.Unlock()
	}
	if g.closed {
		return nil, errors.Join(errors.New("the ground is closed"), p.close())
	}
	g.places = append(g.places, p)
	return p, nil
}

func (g *Ground) visit() (*Visitor, error) {
	v := &Visitor{First: time.Now(), seen: map[int]bool{}}
	select {
	case v.place = <-g.spare:
		return v, nil
	default:
	}
	var err error
	v.place, err = g.open()
	return v, err
}

// visitor is who sends a request; a browser that opens a page without having
// been here is a new one.
func (g *Ground) visitor(r *http.Request) (v *Visitor, id string, err error) {
	if c, err := r.Cookie(cookie); err == nil {
		g.mu.Lock()
		v = g.visitors[c.Value]
		g.mu.Unlock()
		if v != nil {
			return v, "", nil
		}
	}
	if r.Header.Get("Sec-Fetch-Dest") != "document" {
		defer lock(g.origin)()
		if g.others == nil {
			g.others, err = g.visit()
		}
		return g.others, "", err
	}
	if v, err = g.visit(); err != nil {
		return nil, "", err
	}
	id = rand.Text()
	g.mu.Lock()
	g.visitors[id] = v
	g.mu.Unlock()
	return v, id, nil
}

func (g *Ground) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v, id, err := g.visitor(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if r.URL.Path == report {
		v.hear(r)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	v.mu.Lock()
	v.Last = time.Now()
	v.mu.Unlock()
	if id != "" {
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: id, Path: "/", SameSite: http.SameSiteLaxMode})
	}
	proxy := &httputil.ReverseProxy{Rewrite: v.place.rewrite, ModifyResponse: g.watched, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}}
	if v.place.Handler != nil {
		proxy.Transport = handled{v.place.Handler}
	}
	proxy.ServeHTTP(w, r)
}

// hear takes in what the script in the page tells.
func (v *Visitor) hear(r *http.Request) {
	var told struct {
		Address string
		Loaded  bool
		Acted   bool
		Met     *int
	}
	if json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&told) != nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Last = time.Now()
	if told.Acted {
		v.Acts = append(v.Acts, v.Last)
	}
	if told.Loaded {
		v.Pages = append(v.Pages, told.Address)
	}
	if told.Met != nil {
		v.seen[*told.Met] = true
	}
}

func (p *Place) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host = "http", p.Address
	r.Out.Host = r.In.Host
	for name, values := range p.Header {
		r.Out.Header[name] = values
	}
	r.Out.Header.Set("Accept-Encoding", "identity")
	// What is cached has no script in it, or one that looks for something else.
	r.Out.Header.Del("If-None-Match")
	r.Out.Header.Del("If-Modified-Since")
	r.Out.Header.Del("Cookie")
	for _, c := range r.In.Cookies() {
		if c.Name != cookie {
			r.Out.AddCookie(c)
		}
	}
}

var head = regexp.MustCompile(`(?i)<head(\s[^>]*)?>|<!doctype[^>]*>`)

// watched puts the script in a page.
func (g *Ground) watched(res *http.Response) error {
	res.Header.Del("Content-Security-Policy")
	res.Header.Del("Content-Security-Policy-Report-Only")
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	// A page that a script fetched is not kept either, or it would be shown later
	// without the script in it.
	res.Header.Set("Cache-Control", "no-store")
	if dest := res.Request.Header.Get("Sec-Fetch-Dest"); dest != "document" && dest != "iframe" {
		return nil
	}
	var from io.Reader = res.Body
	if res.Header.Get("Content-Encoding") == "gzip" {
		unzip, err := gzip.NewReader(res.Body)
		if err != nil {
			return err
		}
		from = unzip
	}
	page, err := io.ReadAll(io.LimitReader(from, pageLimit))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	sights := []*Sight{}
	if g.task.Seen != nil {
		sights = append(sights, g.task.Seen)
	}
	looked, err := json.Marshal(sights)
	if err != nil {
		return err
	}
	at := 0
	for _, found := range head.FindAllIndex(page, 2) { // the head when there is one, else after the doctype
		at = found[1]
	}
	script := "<script>" + strings.Replace(watch, "SIGHTS", string(looked), 1) + "</script>"
	page = bytes.Join([][]byte{page[:at], []byte(script), page[at:]}, nil)
	res.Header.Del("Content-Encoding")
	res.Header.Del("Etag")
	res.Header.Set("Content-Length", strconv.Itoa(len(page)))
	res.ContentLength = int64(len(page))
	res.Body = io.NopCloser(bytes.NewReader(page))
	return nil
}

// handled lets a handler answer where a process would.
type handled struct{ http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(w, r)
	if w.header.Get("Content-Type") == "" {
		w.header.Set("Content-Type", http.DetectContentType(w.body.Bytes()))
	}
	return &http.Response{StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Request: r,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len())}, nil
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

// Truth is a visitor as the gym knows it.
type Truth struct {
	*Visitor
	Done bool
}

// Truths are those in whose browser a page ran, in the order of their coming.
func (g *Ground) Truths() (all []Truth, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, v := range g.visitors {
		v.mu.Lock()
		ran, seen := len(v.Pages) > 0, v.seen[0]
		v.mu.Unlock()
		if !ran {
			continue
		}
		done := g.task.Seen == nil || seen
		if done && g.task.Done != nil {
			if done, err = g.task.Done(v.place); err != nil {
				return nil, fmt.Errorf("%s/%s: %w", g.site.Name, g.task.Name, err)
			}
		}
		all = append(all, Truth{v, done && g.task.Limit == ""})
	}
	slices.SortFunc(all, func(a, b Truth) int { return a.First.Compare(b.First) })
	return all, nil
}

// Close ends the sites of all visitors.
func (g *Ground) Close() (err error) {
	if g.server != nil {
		err = g.server.Close()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.places {
		err = errors.Join(err, p.close())
	}
	g.places, g.closed = nil, true
	return err
}
