package sites

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

func may() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// walker is a visitor without a browser who takes a task's normal way and does
// what its pages ask for. What needs eyes or scripts is left to browsers, except
// that a control is only used as far as its markup lets anybody use it.
type walker struct {
	t      *testing.T
	base   string
	client *http.Client
	faults []Fault
	// pages are the pages as they were last served, by path.
	pages map[string]string
	// refused counts answers with status 422.
	refused int

	path   string
	status int
	doc    *goquery.Document
}

// errStuck is that the way ends on the page where the walker is.
var errStuck = errors.New("the way ends here")

func newWalker(t *testing.T, site string, o Options) *walker {
	t.Helper()
	o.Now = may
	h, err := New(site, o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := server.Client() // closing another test's server closes the default transport's connections
	client.Jar, client.Timeout = jar, 20*time.Second
	return &walker{t: t, base: server.URL, client: client, faults: o.Faults, pages: map[string]string{}}
}

// ask requests a page and looks at it.
func (w *walker) ask(method, address, contentType string, body io.Reader) error {
	u, err := url.Parse(w.base + w.path)
	if err != nil {
		return err
	}
	to, err := u.Parse(address)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, to.String(), body)
	if err != nil {
		return err
	}
	req.Header.Set("Referer", u.String())
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := w.client.Do(req)
	if err != nil {
		return errors.Join(errStuck, err) // too many redirects, for one
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	w.status, w.path = res.StatusCode, res.Request.URL.Path
	if w.status == http.StatusUnprocessableEntity {
		w.refused++
	}
	if w.status < 400 {
		w.pages[w.path] = string(raw)
	}
	if w.doc, err = goquery.NewDocumentFromReader(bytes.NewReader(raw)); err != nil {
		return err
	}
	if w.status >= 400 && w.status != http.StatusUnprocessableEntity {
		return errStuck
	}
	return nil
}

// walk takes a way and returns errStuck when it ends before its last page. The
// path is then the page where it ends.
func (w *walker) walk(way []stop) error {
	if err := w.ask(http.MethodGet, way[0].path, "", nil); err != nil {
		return err
	}
	for _, s := range way {
		if err := w.openAccount(); err != nil {
			return err
		}
		if w.path != s.path {
			return errStuck
		}
		if s.act == "" {
			return nil
		}
		if err := w.do(s); err != nil {
			w.path = s.path
			return err
		}
	}
	return nil
}

// openAccount gives in to a demand for an account.
func (w *walker) openAccount() error {
	form := w.doc.Find("form:has(#repeat-password)")
	if form.Length() == 0 {
		return nil
	}
	return w.send(form, nil, "account-email=ann@example.org&new-password=long-enough&repeat-password=long-enough")
}

// do does what the stop says, and once more, and then in another way of
// writing, when it is refused.
func (w *walker) do(s stop) error {
	for _, fill := range []string{s.fill, s.fill, s.fill + "&" + s.again} {
		if err := w.press(w.find(s.act), fill); err != nil {
			return err
		}
		if w.status != http.StatusUnprocessableEntity {
			return nil
		}
	}
	return errStuck
}

// find is the element as the page has it now, faulty or not.
func (w *walker) find(selector string) *goquery.Selection {
	if el := w.doc.Find(selector); el.Length() > 0 {
		return el.First()
	}
	for _, f := range w.faults {
		if el := w.doc.Find(f.marked()).Not("input, select"); f.Path == w.path && el.Length() > 0 {
			return el.First()
		}
	}
	return w.doc.Find(selector)
}

var target = regexp.MustCompile(`^location\.href='([^']+)'$`)

func (w *walker) press(el *goquery.Selection, fill string) error {
	if el.Length() == 0 || el.NextFiltered(`[data-u][style*="position:absolute"]`).Length() > 0 {
		return errStuck
	}
	if act, ok := el.Attr("onclick"); ok && el.Is("span") {
		if m := target.FindStringSubmatch(act); m != nil {
			return w.ask(http.MethodGet, m[1], "", nil)
		}
		if named := regexp.MustCompile(`i\.name='(\w+)';i\.value='(\w+)'`).FindStringSubmatch(act); named != nil {
			fill += "&" + named[1] + "=" + named[2]
		}
		return w.send(el.Closest("form"), nil, fill)
	}
	if el.Is("a") {
		to := el.AttrOr("href", "#")
		if strings.HasPrefix(to, "#") || strings.HasPrefix(to, "javascript:") {
			return errStuck
		}
		return w.ask(http.MethodGet, to, "", nil)
	}
	if _, disabled := el.Attr("disabled"); disabled || el.AttrOr("type", "submit") != "submit" {
		return errStuck
	}
	return w.send(el.Closest("form"), el, fill)
}

// send sends a form: what stands in it, what the visitor enters, and something
// in every other required field.
func (w *walker) send(form, button *goquery.Selection, fill string) error {
	given, err := url.ParseQuery(strings.Trim(fill, "&"))
	if err != nil {
		return err
	}
	values := url.Values{}
	file := ""
	form.Find("input, select, textarea").Each(func(_ int, e *goquery.Selection) {
		name := e.AttrOr("name", "")
		_, checked := e.Attr("checked")
		_, required := e.Attr("required")
		switch v := e.AttrOr("value", ""); {
		case name == "":
		case e.Is("[type=file]"):
			file = name
		case given.Has(name):
			values.Set(name, given[name][len(given[name])-1])
		case e.Is("[type=radio], [type=checkbox]"):
			if checked {
				values.Set(name, v)
			}
		case e.Is("select"):
			values.Set(name, e.Find("option[selected]").AttrOr("value", ""))
		case v == "" && required:
			values.Set(name, "QQ123456C")
		default:
			values.Set(name, v)
		}
	})
	for name := range given { // what a script has added
		if !values.Has(name) && button == nil {
			values.Set(name, given.Get(name))
		}
	}
	if button != nil && button.AttrOr("name", "") != "" {
		values.Set(button.AttrOr("name", ""), button.AttrOr("value", ""))
	}
	to := form.AttrOr("action", w.path)
	if file == "" {
		return w.ask(http.MethodPost, to, "application/x-www-form-urlencoded", strings.NewReader(values.Encode()))
	}
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	part, err := m.CreateFormFile(file, "bill.pdf")
	if err != nil {
		return err
	}
	if _, err := part.Write([]byte("%PDF-1.4")); err != nil {
		return err
	}
	if err := m.Close(); err != nil {
		return err
	}
	return w.ask(http.MethodPost, to, m.FormDataContentType(), &b)
}

// reached asks the site for a goal.
func (w *walker) reached(goal string) bool {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.base+"/_truth", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var truth map[string]map[string]bool
	if err := json.NewDecoder(res.Body).Decode(&truth); err != nil {
		w.t.Fatal(err)
	}
	for _, goals := range truth {
		if goals[goal] {
			return true
		}
	}
	return false
}

// taskOf is the task of a case.
func taskOf(t *testing.T, site, name string) Task {
	t.Helper()
	for _, task := range Tasks[site] {
		if task.Name == name {
			return task
		}
	}
	t.Fatalf("%s has no task %s", site, name)
	return Task{}
}
