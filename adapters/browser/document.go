package browser

import (
	"net/url"
	"time"

	"github.com/playwright-community/playwright-go"
)

// document is what is known of the document that a tab asked for last.
type document struct {
	asked     bool // since begin
	told      bool // the tab was told of: one that a page opens is, a while after its request
	address   string
	status    int
	mediaType string
	egress    string // why our proxy refused it, if it said so
	netError  string // Chromium's name for why it did not come, "" if it did
	// missing are the hosts of other sites whose scripts did not come, for whatever reason.
	missing []string
	// private are the origins of private addresses that the test does not name.
	private []string
}

// journey is a document on its way to a tab.
type journey struct {
	since time.Time
	to    playwright.Frame // the tab's main frame, nil until the tab is told of
}

// documentOf is the record of the document that a request is for; the caller
// holds the lock. The request of a new tab comes before the tab.
func (r *record) documentOf(q playwright.Request) *document {
	first := q
	for first.RedirectedFrom() != nil {
		first = first.RedirectedFrom()
	}
	d := r.early[first]
	f := q.Frame()
	switch {
	case f == nil && d == nil:
		d = &document{}
		r.early[first] = d
	case f != nil && d != nil:
		delete(r.early, first)
		r.shown[f] = d
	case f != nil && r.shown[f] == nil:
		d = &document{}
		r.shown[f] = d
	case f != nil:
		d = r.shown[f]
	}
	return d
}

// tell notes that a tab was told of; the caller holds the lock.
func (r *record) tell(f playwright.Frame) {
	for q := range r.early {
		if q.Frame() == f {
			r.documentOf(q)
		}
	}
	for q, j := range r.documents {
		if q.Frame() == f {
			r.documents[q] = journey{since: j.since, to: f}
		}
	}
	if r.shown[f] == nil {
		r.shown[f] = &document{}
	}
	r.shown[f].told = true
}

// untold counts the tabs that are still to be told of; the caller holds the lock.
func (r *record) untold() (n int) {
	r.each(func(d *document) {
		if d.asked && !d.told {
			n++
		}
	})
	return n
}

func (r *record) each(fn func(*document)) {
	for _, d := range r.early {
		fn(d)
	}
	for _, d := range r.shown {
		fn(d)
	}
}

// documentIn tells of the document in a tab.
func (r *record) documentIn(t *tab) document {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.shown[t.page.MainFrame()]; d != nil {
		return *d
	}
	return document{}
}

// mainDocument: the request for what a tab shows, not for a frame within.
func (s *Session) mainDocument(q playwright.Request) bool {
	if !q.IsNavigationRequest() {
		return false
	}
	f := q.Frame()
	return f == nil || f.ParentFrame() == nil
}

// partOfPage: what a frame shows from this address is perceived as a part of the
// page, as all of the page's own origin is.
func partOfPage(f playwright.Frame, address string) bool {
	if f == nil {
		return false
	}
	for f.ParentFrame() != nil {
		f = f.ParentFrame()
	}
	return origin(address) != "" && origin(address) == origin(f.URL())
}

// origin is scheme and host of a web address, "" for others.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
