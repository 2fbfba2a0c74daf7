package sites

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// fieldRule is a pattern that is too narrow, and what a field is called in the
// complaint about it.
type fieldRule struct {
	pattern *regexp.Regexp
	thing   string
}

// Patterns of the kind that is copied from one form to the next. Each refuses a
// way of writing that many people use.
var (
	narrowEmail    = fieldRule{regexp.MustCompile(`^\w+@\w+\.\w{2,3}$`), "email address"} // no dots, no hyphens
	narrowPhone    = fieldRule{regexp.MustCompile(`^\d{10,11}$`), "telephone number"}     // no +, no spaces
	narrowPassword = fieldRule{regexp.MustCompile(`^[A-Za-z0-9]{8,12}$`), "password"}     // nothing but letters and digits
	narrowPostcode = fieldRule{regexp.MustCompile(`^[A-Z]{1,2}\d[A-Z0-9]?\d[A-Z]{2}$`), "postcode"}
	narrowAmount   = fieldRule{regexp.MustCompile(`^\d+\.\d{2}$`), "amount"}      // not 25
	narrowText     = fieldRule{regexp.MustCompile(`^[A-Za-z0-9]+$`), "answer"}    // no spaces
	narrowMessage  = fieldRule{regexp.MustCompile(`^[A-Za-z0-9\s]+$`), "message"} // no full stops
	narrowNumber   = fieldRule{regexp.MustCompile(`^\d{2,3}(-\d+)+$`), "number"}  // hyphens where nobody writes them
	narrowDate     = fieldRule{regexp.MustCompile(`^\d{2}/\d{2}/\d{4}$`), "date"} // which a date picker never sends
)

// ruleFor chooses the pattern by what the field says of itself.
func ruleFor(el *goquery.Selection) fieldRule {
	said := strings.ToLower(strings.Join([]string{el.AttrOr("type", ""), el.AttrOr("autocomplete", ""), el.AttrOr("name", "")}, " "))
	for _, r := range []struct {
		word string
		rule fieldRule
	}{
		{"email", narrowEmail}, {"password", narrowPassword}, {"tel", narrowPhone}, {"phone", narrowPhone},
		{"postcode", narrowPostcode}, {"postal", narrowPostcode}, {"amount", narrowAmount}, {"number", narrowNumber}, {"date", narrowDate}, {"bday", narrowDate},
	} {
		if strings.Contains(said, r.word) {
			return r.rule
		}
	}
	if el.Is("textarea") {
		return narrowMessage
	}
	return narrowText
}

// maxPosted bounds a form that is judged, with its files, in bytes.
const maxPosted = 8 << 20

// slowPage answers later; it gives up when the visitor does.
func slowPage(x *exchange) bool {
	if x.of != nil || x.r.Method != http.MethodGet {
		return false
	}
	t := time.NewTimer(time.Duration(x.fault.Dose * float64(time.Millisecond)))
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-x.r.Context().Done():
		return true
	}
}

func serverError(x *exchange) bool {
	if x.of == nil {
		return false
	}
	x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	x.w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(x.w, "<!doctype html><html lang=en><title>500 Internal Server Error</title><h1>Internal Server Error</h1><p>The server was unable to complete your request.</p></html>") // the client has gone
	return true
}

// posted is what a form has sent. The request can be served afterwards.
func (x *exchange) posted() url.Values {
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxPosted))
	if err != nil {
		return url.Values{} // too long or broken off: the site will say so
	}
	x.r.Body = io.NopCloser(bytes.NewReader(body))
	copied := x.r.Clone(x.r.Context())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	if err := copied.ParseMultipartForm(maxPosted); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return url.Values{} // no form: the site will say so
	}
	return copied.PostForm
}

// again is the form's page as it was served before, with all its faults. It is
// nil when the site does not show the page to this visitor any more.
func (x *exchange) again() (*goquery.Document, *httptest.ResponseRecorder) {
	address := x.fault.Path
	if from, err := url.Parse(x.r.Referer()); err == nil && from.Path == x.fault.Path && from.RawQuery != "" {
		address += "?" + from.RawQuery
	}
	r := httptest.NewRequestWithContext(context.WithoutCancel(x.r.Context()), http.MethodGet, address, nil)
	for _, k := range x.r.Cookies() {
		r.AddCookie(k)
	}
	answer := x.ask(r)
	doc, err := goquery.NewDocumentFromReader(answer.Body)
	if err != nil || answer.Code != http.StatusOK {
		return nil, nil
	}
	x.rewrite(doc, x.fault.Path, http.StatusOK)
	return doc, answer
}

// formPosted is the form of a page that sends to the address of this request.
func (x *exchange) formPosted(doc *goquery.Document) *goquery.Selection {
	return doc.Find("form[method=post]").FilterFunction(func(_ int, form *goquery.Selection) bool {
		u, err := url.Parse(form.AttrOr("action", x.fault.Path))
		return err == nil && u.Path == x.r.URL.Path
	}).First()
}

// refuse shows the form again with status 422.
func (x *exchange) refuse(change func(form *goquery.Selection)) bool {
	doc, answer := x.again()
	if doc == nil {
		return false
	}
	form := x.formPosted(doc)
	if form.Length() == 0 {
		return false
	}
	change(form)
	answer.Code = http.StatusUnprocessableEntity
	send(x.w, answer, doc)
	return true
}

// fill writes values into a form, except passwords.
func fill(form *goquery.Selection, values url.Values) {
	form.Find("input, select, textarea").Each(func(_ int, e *goquery.Selection) {
		name := e.AttrOr("name", "")
		v := values.Get(name)
		switch {
		case name == "" || e.Is("[type=hidden], [type=password], [type=submit]"):
		case e.Is("[type=checkbox], [type=radio]"):
			e.RemoveAttr("checked")
			if v != "" && v == e.AttrOr("value", "on") {
				e.SetAttr("checked", "")
			}
		case e.Is("select"):
			e.Find("option").Each(func(_ int, o *goquery.Selection) {
				o.RemoveAttr("selected")
				if o.AttrOr("value", o.Text()) == v {
					o.SetAttr("selected", "")
				}
			})
		case e.Is("textarea"):
			e.SetText(v)
		default:
			e.SetAttr("value", v)
		}
	})
}

// complain puts an error beside a field in the way the sites do it.
func complain(form *goquery.Selection, name, message string) {
	e := form.Find(`[name="` + name + `"]`).First()
	id := e.AttrOr("id", name) + "-error"
	e.SetAttr("aria-invalid", "true")
	e.SetAttr("aria-describedby", strings.TrimSpace(e.AttrOr("aria-describedby", "")+" "+id))
	e.Closest(".field").AddClass("wrong")
	form.Find("#" + id).Remove()
	e.BeforeHtml(fmt.Sprintf(`<p class="error" id="%s">%s</p>`, escape(id), escape(message)))
}

// refused reports whether the pattern refuses what was posted.
func (x *exchange) refused(values url.Values) bool {
	if x.of == nil || x.of.rule.pattern == nil || x.r.Method != http.MethodPost {
		return false
	}
	v := strings.TrimSpace(values.Get(x.of.field))
	return v != "" && !x.of.rule.pattern.MatchString(v)
}

func formatRejected(x *exchange) bool {
	values := x.posted()
	if !x.refused(values) {
		return false
	}
	return x.refuse(func(form *goquery.Selection) {
		fill(form, values)
		complain(form, x.of.field, "Enter a valid "+x.of.rule.thing)
	})
}

// sorry is the sentence that tells nothing.
const sorry = `<div class="errors" role="alert"><p>Something went wrong. Please check your entries and try again.</p></div>`

func unspecificError(x *exchange) bool {
	values := x.posted()
	if !x.refused(values) {
		return false
	}
	return x.refuse(func(form *goquery.Selection) {
		fill(form, values)
		form.PrependHtml(sorry)
	})
}

// hideErrors takes what the site says about mistakes off a page that is shown
// again after one.
func hideErrors(in *injection) {
	if in.status < http.StatusBadRequest {
		return
	}
	body := content(in.doc)
	body.Find(".errors, .error").Remove()
	body.Find(".wrong").RemoveClass("wrong")
	body.Find("[aria-invalid]").RemoveAttr("aria-invalid")
	formOf(in.doc, in.el).PrependHtml(sorry)
}

func inputLost(x *exchange) bool {
	if x.of == nil || x.r.Method != http.MethodPost || !x.once() {
		return false
	}
	return x.refuse(func(form *goquery.Selection) {
		fill(form, url.Values{})
		form.PrependHtml(`<div class="errors" role="alert"><p>This form has expired. Please enter your details again.</p></div>`)
	})
}

func emptyAfterError(in *injection) {
	if in.status >= http.StatusBadRequest {
		fill(formOf(in.doc, in.el), url.Values{})
	}
}

// unlabelledField takes away everything that tells what a field wants.
func unlabelledField(in *injection) {
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		id := e.AttrOr("id", "")
		in.doc.Find(`label[for="` + id + `"], #` + id + `-hint`).Remove()
		if label := e.Closest("label"); label.Length() > 0 {
			label.ReplaceWithSelection(e)
		}
		for _, a := range []string{"aria-label", "aria-labelledby", "aria-describedby", "placeholder", "title", "autocomplete"} {
			e.RemoveAttr(a)
		}
		if e.Is("input") {
			e.SetAttr("type", "text")
		}
	})
}
