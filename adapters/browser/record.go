package browser

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"understudy/domain/walk"
)

// Bounds of what one effect tells.
const (
	maxRequests = 200
	maxErrors   = 20
	maxDialogs  = 20
	maxMissing  = 5
	maxErrorLen = 500
)

// record collects what the browser reports between two looks at it. Handlers
// run on the driver's only reading goroutine: they note things down and return.
// Only there may a request be asked for its frame, which the driver sets there
// without a lock.
type record struct {
	mu      sync.Mutex
	changed chan struct{} // holds one token: something was noted

	navigated bool
	newTab    bool
	download  bool
	shown     map[playwright.Frame]*document   // by the main frame of each tab
	early     map[playwright.Request]*document // of tabs that are still to be told of
	turn      int                              // how many effects have begun
	surplus   int                              // tabs that were closed because there were maxTabs
	inner     map[playwright.Frame]int         // the turn in which a frame within a page showed its first document
	reframed  bool                             // a frame shows another document now
	visits    map[playwright.Frame]int         // documents that tabs asked for, redirects not counted
	withheld  bool                             // something was kept from being sent, see Withhold
	held      bool                             // they went in circles: the tab was stopped, see hold
	acting    bool                             // an act is under way, see enact
	idle      bool                             // nobody is doing anything, see rested
	given     []*given                         // what was typed and chosen in this session
	habits    map[string]*habit                // by method and address
	tunnels   map[string]string                // our proxy's words for those it refused, by host
	starts    map[playwright.Request]start     // requests that began since begin
	requests  []walk.Request
	errors    []string
	console   []string
	dialogs   []string
	documents map[playwright.Request]journey // under way
	fetches   map[playwright.Request]bool
	served    time.Duration                   // what the longest answer took of what was waited for
	file      string                          // what to call the file that is asked for
	choosers  map[playwright.FileChooser]bool // being answered, see answerChooser
	chosen    bool                            // one was answered
	refused   error                           // why it could not be
}

func newRecord() *record {
	r := &record{changed: make(chan struct{}, 1), shown: map[playwright.Frame]*document{}, early: map[playwright.Request]*document{}, inner: map[playwright.Frame]int{}, habits: map[string]*habit{}, tunnels: map[string]string{}}
	r.begin()
	return r
}

// begin starts a new effect. Requests that were under way before it (long polls,
// streams) are no longer waited for.
func (r *record) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.navigated, r.newTab, r.download = false, false, false
	r.held, r.reframed = false, false
	r.acting, r.idle = false, false
	r.starts = map[playwright.Request]start{}
	r.turn++
	r.each(func(d *document) { d.asked, d.egress, d.netError = false, "", "" })
	r.visits = map[playwright.Frame]int{}
	r.requests, r.errors, r.console, r.dialogs = nil, nil, nil, nil
	r.documents = map[playwright.Request]journey{}
	r.fetches, r.served = map[playwright.Request]bool{}, 0
	r.file, r.chosen, r.refused = "", false, nil
	r.choosers = map[playwright.FileChooser]bool{}
}

// pending counts what is waited for: requests of scripts and frames, choosers of
// files, and tabs that have been asked for.
func (r *record) pending() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.fetches) + len(r.choosers) + r.untold()
}

// answeredIn is what the longest answer took, or a document takes that has not come; the
// caller holds the lock.
func (r *record) answeredIn() time.Duration {
	longest := r.served
	for _, j := range r.documents {
		longest = max(longest, time.Since(j.since))
	}
	return longest
}

// underWay: a document is on its way to some tab.
func (r *record) underWay() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.documents) > 0
}

// coming says whether a document is on its way to a tab, and how much of limit
// it has left.
func (r *record) coming(t *tab, limit time.Duration) (left time.Duration, coming bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.documents {
		if j.to == nil || j.to == t.page.MainFrame() {
			left, coming = max(left, limit-time.Since(j.since)), true
		}
	}
	return left, coming
}

// abandon counts the documents under way as failed; the caller holds the lock.
func (r *record) abandon() {
	for q := range r.documents {
		r.exchange(q, 0)
	}
	clear(r.documents)
}

func (r *record) note(fn func()) {
	r.mu.Lock()
	fn()
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// listen follows everything that happens in a context, new tabs included.
func (s *Session) listen(c playwright.BrowserContext) {
	r := s.log
	c.OnPage(s.opened)
	c.OnRequest(func(q playwright.Request) {
		r.note(func() {
			r.began(q)
			switch {
			case s.mainDocument(q):
				if r.held {
					return // it is refused
				}
				r.documents[q] = journey{since: time.Now(), to: q.Frame()}
				d := r.documentOf(q)
				d.asked, d.address, d.netError, d.missing, d.private = true, q.URL(), "", nil, nil
				if f := q.Frame(); f != nil && q.RedirectedFrom() == nil {
					r.visits[f]++
				}
			case q.ResourceType() == "xhr" || q.ResourceType() == "fetch" || q.IsNavigationRequest() && partOfPage(q.Frame(), q.URL()):
				r.fetches[q] = true
			}
		})
	})
	c.OnResponse(func(p playwright.Response) {
		q := p.Request()
		word := s.refusedBy(p)
		r.note(func() {
			if s.mainDocument(q) {
				d := r.documentOf(q)
				d.status, d.mediaType, d.egress = p.Status(), p.Headers()["content-type"], word
				// Chromium keeps such an answer as a file; on a busy machine its word of that comes late.
				attached := strings.HasPrefix(strings.ToLower(p.Headers()["content-disposition"]), "attachment")
				r.download = r.download || attached && p.Status()/100 == http.StatusOK/100
			}
			r.exchange(q, p.Status())
			if word != "" {
				r.miss(q)
			}
			if word == unlisted {
				r.shownBy(q).bar(q.URL())
			}
		})
	})
	over := func(q playwright.Request) {
		delete(r.documents, q)
		delete(r.fetches, q)
	}
	c.OnRequestFinished(func(q playwright.Request) {
		r.note(func() {
			if _, document := r.documents[q]; document || r.fetches[q] {
				r.served = max(r.served, time.Duration(q.Timing().ResponseEnd*float64(time.Millisecond)))
			}
			over(q)
		})
	})
	c.OnRequestFailed(func(q playwright.Request) {
		r.note(func() {
			over(q)
			failure := q.Failure()
			// Given up by the page or turned into a download: nothing went wrong.
			if failure != nil && !strings.Contains(failure.Error(), "ERR_ABORTED") {
				if s.mainDocument(q) && !r.held {
					d := r.documentOf(q)
					d.status, d.netError = 0, netName(failure.Error())
				}
				r.exchange(q, 0)
				if strings.Contains(failure.Error(), tunnelFailed) {
					s.inquire(q.URL(), r.shownBy(q))
				}
				if !strings.Contains(failure.Error(), "ERR_BLOCKED_BY") { // what came and may not be used is for nobody
					r.miss(q)
				}
			}
		})
	})
	c.OnWebError(func(e playwright.WebError) {
		r.note(func() {
			if err := e.Error(); err != nil && len(r.errors) < maxErrors {
				r.errors = append(r.errors, cut(strings.TrimPrefix(err.Error(), "playwright: "), maxErrorLen)) // the library's prefix to every error
			}
		})
	})
	c.OnConsole(func(m playwright.ConsoleMessage) {
		// What could not be loaded is among the requests.
		if m.Type() != "error" || strings.HasPrefix(m.Text(), "Failed to load resource") {
			return
		}
		r.note(func() {
			if len(r.console) < maxErrors {
				r.console = append(r.console, cut(m.Text(), maxErrorLen))
			}
		})
	})
	c.OnDialog(func(d playwright.Dialog) {
		kind := d.Type()
		r.note(func() {
			if len(r.dialogs) < maxDialogs && kind != "beforeunload" {
				r.dialogs = append(r.dialogs, kind+": "+cut(d.Message(), maxErrorLen))
			}
		})
		// A person says yes to what they asked for and leaves questions empty.
		// An answer that fails means that the page has gone, dialog and all.
		go func() {
			if kind == "prompt" {
				_ = d.Dismiss()
			} else {
				_ = d.Accept()
			}
		}()
	})
}

// opened takes a new tab to the front, as a browser does.
func (s *Session) opened(p playwright.Page) {
	t := &tab{page: p, token: s.token, crashed: make(chan struct{})}
	p.OnCrash(func(playwright.Page) { t.once.Do(func() { close(t.crashed) }) })
	p.OnDownload(func(playwright.Download) { s.log.note(func() { s.log.download = true }) })
	p.OnFileChooser(s.answerChooser)
	p.OnFrameNavigated(func(f playwright.Frame) {
		s.log.note(func() {
			if f.ParentFrame() == nil {
				s.log.navigated = true
			} else if turn, known := s.log.inner[f]; !known {
				s.log.inner[f] = s.log.turn
			} else if turn < s.log.turn && partOfPage(f, f.URL()) {
				s.log.reframed = true
			}
		})
	})
	p.OnFrameDetached(func(f playwright.Frame) {
		s.log.note(func() {
			delete(s.log.inner, f)
			maps.DeleteFunc(s.log.fetches, func(q playwright.Request, _ bool) bool { return q.Frame() == f })
		})
	})
	p.OnClose(func(playwright.Page) {
		s.mu.Lock()
		s.tabs = slices.DeleteFunc(s.tabs, func(x *tab) bool { return x == t })
		s.mu.Unlock()
		s.log.note(func() {
			maps.DeleteFunc(s.log.documents, func(_ playwright.Request, j journey) bool { return j.to == p.MainFrame() })
		})
	})
	s.mu.Lock()
	full := len(s.tabs) >= maxTabs
	if !full {
		s.tabs = append(s.tabs, t)
	}
	s.mu.Unlock()
	storm := false
	s.log.note(func() {
		if full {
			s.log.surplus++
		}
		storm = s.log.surplus > maxSurplus+s.log.turn
		s.log.newTab = s.log.newTab || !full
		s.log.tell(p.MainFrame())
	})
	switch {
	case storm:
		_ = s.end(fmt.Errorf("%w: it opens windows without end", ErrPageHung)) // the next call tells
	case full:
		go func() { _ = p.Close() }() // one of a storm: it matters to nobody
	}
}

// exchange adds a request to the effect; the caller holds the lock.
func (r *record) exchange(q playwright.Request, status int) {
	address := bare(q.URL())
	if len(r.requests) >= maxRequests || !strings.HasPrefix(address, "http") {
		return
	}
	kind := q.ResourceType()
	switch kind {
	case "document", "xhr", "fetch", "script", "stylesheet", "image", "font":
	default:
		kind = "other"
	}
	at := r.starts[q] // none: it was under way before
	r.requests = append(r.requests, walk.Request{
		Method: q.Method(), URL: address, Status: status, Kind: kind, Carries: at.carries, Caused: at.caused,
	})
}

// miss keeps the host of a script that got no answer, where it is not the
// page's own: whether people would get it is not known here. The caller holds
// the lock.
func (r *record) miss(q playwright.Request) {
	f := q.Frame()
	if q.ResourceType() != "script" || f == nil || f.ParentFrame() != nil || r.shown[f] == nil {
		return
	}
	d := r.shown[f]
	host := hostOf(q.URL())
	if host != hostOf(d.address) && len(d.missing) < maxMissing && !slices.Contains(d.missing, host) {
		d.missing = append(d.missing, host)
	}
}

// shownBy is the document of the tab that a request comes from, nil before it is known.
// The caller holds the lock.
func (r *record) shownBy(q playwright.Request) *document {
	f := q.Frame()
	for f != nil && f.ParentFrame() != nil {
		f = f.ParentFrame()
	}
	return r.shown[f]
}

// bar keeps the origin of a private address that the test does not name.
func (d *document) bar(address string) {
	at := origin(address)
	if d != nil && len(d.private) < maxMissing && !slices.Contains(d.private, at) {
		d.private = append(d.private, at)
	}
}

// refusedBy is our proxy's word for why it did not fetch something, "" when it did or has
// no part in the answer: what comes encrypted is the site's own, through a tunnel.
func (s *Session) refusedBy(p playwright.Response) string {
	if s.device.ProxyURL == "" || !strings.HasPrefix(p.URL(), "http://") {
		return ""
	}
	return p.Headers()["x-understudy-egress"]
}

// inquire finds out whether our proxy refused a tunnel for a document because the address
// is private, once for each host of a session. The caller holds the lock.
func (s *Session) inquire(address string, d *document) {
	r, host := s.log, hostOf(address)
	if word, known := r.tunnels[host]; known || len(r.tunnels) >= maxHabits {
		if word == unlisted {
			d.bar(address)
		}
		return
	}
	r.tunnels[host] = ""
	go func() {
		word := s.askProxy(context.Background(), address)
		r.note(func() {
			if r.tunnels[host] = word; word == unlisted {
				d.bar(address)
			}
		})
	}()
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// unnamed is an address of the web without user name and password.
func unnamed(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || !strings.HasPrefix(scheme, "http") {
		return address
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + rest[strings.LastIndexByte(host, '@')+1:]
}

// bare is an address without user name, password, query and fragment, which may hold
// personal data.
func bare(address string) string {
	address = unnamed(address)
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	return cut(address, 2000)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
