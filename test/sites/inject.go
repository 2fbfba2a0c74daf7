package sites

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// maxAnswer bounds a page that is rewritten, in bytes.
const maxAnswer = 1 << 20

func compile(selector string) (cascadia.Selector, error) { return cascadia.Compile(selector) }

// injector serves a clean site with faults.
type injector struct {
	site   http.Handler
	faults []planted

	mu sync.Mutex
	// lessons are what serving a page has taught about the requests it will
	// cause: by method and path.
	lessons map[string][]lesson
	// done remembers, by visitor and mark, what a visitor has already put up with.
	done *memory[map[string]bool]
}

// planted is a fault of this site with its kind.
type planted struct {
	Fault
	kind kind
}

// lesson is that a request belongs to a fault of the page it comes from.
type lesson struct {
	fault planted
	// field is the one whose values are judged, and rule how.
	field string
	rule  fieldRule
}

// inject puts faults and decoys around a clean site.
func inject(site http.Handler, o Options) (http.Handler, error) {
	in := &injector{site: site, lessons: map[string][]lesson{}, done: newMemory[map[string]bool](maxVisits)}
	for _, list := range []struct {
		faults []Fault
		known  []string
	}{{o.Faults, FaultKinds()}, {o.Decoys, DecoyKinds()}} {
		for _, f := range list.faults {
			if err := f.check(list.known); err != nil {
				return nil, err
			}
			k, _ := kindOf(f.Kind) // check has found it
			in.faults = append(in.faults, planted{f.dosed(k), k})
		}
	}
	if len(in.faults) == 0 {
		return site, nil
	}
	return in, nil
}

// exchange is one request that a fault may answer.
type exchange struct {
	*injector
	w     http.ResponseWriter
	r     *http.Request
	fault planted
	// of is what is known about the request when it comes from a faulty page.
	of *lesson
}

// injection is one page that a fault may change.
type injection struct {
	*injector
	doc    *goquery.Document
	fault  planted
	el     *goquery.Selection // what the fault's selector matches
	status int
}

// ServeHTTP answers as the faults have it and otherwise as the site does.
func (in *injector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	taught := in.taught(r)
	for _, f := range in.faults {
		if f.Path == r.URL.Path && f.kind.serve != nil && f.kind.serve(&exchange{in, w, r, f, nil}) {
			return
		}
	}
	for _, l := range taught {
		if l.fault.kind.serve != nil && l.fault.kind.serve(&exchange{in, w, r, l.fault, &l}) {
			return
		}
	}
	page := r.URL.Path
	if len(taught) > 0 && r.Method == http.MethodPost {
		page = taught[0].fault.Path // the form is shown again at its action's address
	}
	if !in.concerns(page) {
		in.site.ServeHTTP(w, r)
		return
	}
	answer := in.ask(r)
	if strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") && answer.Code != http.StatusNotFound {
		if doc, err := goquery.NewDocumentFromReader(answer.Body); err == nil {
			in.rewrite(doc, page, answer.Code)
			send(w, answer, doc)
			return
		}
	}
	copyHeader(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // a failed write means that the client has gone
}

func (in *injector) concerns(page string) bool {
	for _, f := range in.faults {
		if f.Path == page {
			return true
		}
	}
	return false
}

// ask lets the clean site answer.
func (in *injector) ask(r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	in.site.ServeHTTP(answer, r)
	return answer
}

// rewrite makes all faults of a page.
func (in *injector) rewrite(doc *goquery.Document, page string, status int) {
	for _, f := range in.faults {
		if f.Path != page {
			continue
		}
		el := doc.Find("no-such-element")
		if f.Selector != "" {
			el = doc.Find(f.Selector)
		}
		in.learnPosts(doc, f)
		if f.kind.rewrite != nil {
			f.kind.rewrite(&injection{in, doc, f, el, status})
		}
	}
}

// learnPosts notes which requests the page's forms will send.
func (in *injector) learnPosts(doc *goquery.Document, f planted) {
	doc.Find("form[method=post]").Each(func(_ int, form *goquery.Selection) {
		l := lesson{fault: f}
		if f.Selector != "" {
			el := form.Find(f.Selector)
			if el.Length() == 0 && f.kind.serve != nil {
				return // the fault is one of another form
			}
			l.field, l.rule = el.AttrOr("name", ""), ruleFor(el)
		}
		in.learn(http.MethodPost, form.AttrOr("action", f.Path), l)
	})
}

// learn notes that requests to an address belong to a fault.
func (in *injector) learn(method, address string, l lesson) {
	u, err := url.Parse(address)
	if err != nil {
		return // an address that no browser would follow either
	}
	key := method + " " + u.Path
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, known := range in.lessons[key] {
		if known.fault.mark() == l.fault.mark() {
			in.lessons[key][i] = l
			return
		}
	}
	in.lessons[key] = append(in.lessons[key], l)
}

func (in *injector) taught(r *http.Request) []lesson {
	in.mu.Lock()
	defer in.mu.Unlock()
	return append([]lesson(nil), in.lessons[r.Method+" "+r.URL.Path]...)
}

// send writes a changed page with the headers that the site gave it.
func send(w http.ResponseWriter, answer *httptest.ResponseRecorder, doc *goquery.Document) {
	var b bytes.Buffer
	if err := html.Render(&b, doc.Nodes[0]); err != nil || b.Len() > maxAnswer {
		http.Error(w, "the page could not be rewritten", http.StatusInternalServerError)
		return
	}
	copyHeader(w.Header(), answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(b.Bytes()) // a failed write means that the client has gone
}

func copyHeader(to, from http.Header) {
	for name, values := range from {
		to[name] = values
	}
}

// who is the visitor's key, "" before the site has given one.
func who(r *http.Request) string {
	if k, err := r.Cookie(cookieName); err == nil {
		return k.Value
	}
	return ""
}

// once reports whether this visitor meets the fault for the first time, and
// remembers it.
func (x *exchange) once() bool {
	first := false
	x.done.change(who(x.r), func(v *visit[map[string]bool]) {
		if v.data == nil {
			v.data = map[string]bool{}
		}
		first = !v.data[x.fault.mark()]
		v.data[x.fault.mark()] = true
	})
	return first
}

// met reports whether the visitor has been through the fault.
func (x *exchange) met() (met bool) {
	x.done.look(who(x.r), func(v *visit[map[string]bool]) { met = v.data[x.fault.mark()] })
	return met
}
