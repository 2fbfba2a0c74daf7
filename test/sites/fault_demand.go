package sites

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// needlessField adds a required field before the button of the last form.
func needlessField(in *injection) {
	form := formOf(in.doc, in.doc.Find("no-such-element"))
	id := strings.TrimPrefix(in.fault.Selector, "#")
	field := fmt.Sprintf(`<div class="field"><label for="%[1]s">National Insurance number</label><input type="text" id="%[1]s" name="%[1]s" autocomplete="off" required></div>`, escape(id))
	if send := sender(form); send.Length() > 0 {
		send.First().BeforeHtml(field)
	} else {
		form.AppendHtml(field)
	}
	in.mark(form.Find(in.fault.Selector))
	in.learn(http.MethodPost, form.AttrOr("action", in.fault.Path), lesson{fault: in.fault, field: id})
}

func needlessValue(x *exchange) bool {
	if x.of == nil || x.of.field == "" || x.r.Method != http.MethodPost {
		return false
	}
	values := x.posted()
	if strings.TrimSpace(values.Get(x.of.field)) != "" {
		return false
	}
	return x.refuse(func(form *goquery.Selection) {
		fill(form, values)
		complain(form, x.of.field, "Enter your National Insurance number")
	})
}

// forcedAccount shows a demand for an account in place of the page's content
// until this visitor has made one.
func forcedAccount(x *exchange) bool {
	if x.of != nil || x.met() {
		return false
	}
	complaint := ""
	values := url.Values{}
	if x.r.Method == http.MethodPost {
		values = x.posted()
		password := values.Get("new-password")
		switch {
		case !values.Has("new-password"):
			http.Redirect(x.w, x.r, x.fault.Path, http.StatusSeeOther)
			return true
		case emailRule(values.Get("account-email")) != "":
			complaint = "Enter an email address in the form name@example.com"
		case len(password) < 8 || password != values.Get("repeat-password"):
			complaint = "Enter the same password of at least 8 characters twice"
		default:
			x.once()
			http.Redirect(x.w, x.r, x.fault.Path, http.StatusSeeOther)
			return true
		}
	}
	doc, answer := x.again()
	if doc == nil {
		return false // the site sends this visitor elsewhere
	}
	if complaint != "" {
		answer.Code = http.StatusUnprocessableEntity
		complaint = `<div class="errors" role="alert"><p>` + complaint + `</p></div>`
	}
	doc.Find("title").SetText("Create an account")
	content(doc).SetHtml(`<div class="wrap narrow"><h1>Create an account to continue</h1><p>You need an account for this. It takes a minute.</p>
<form method="post" action="` + x.fault.Path + `" novalidate>` + complaint + `
<div class="field"><label for="account-email">Email address</label><input type="email" id="account-email" name="account-email" autocomplete="email" required></div>
<div class="field"><label for="new-password">Password</label><p class="hint">At least 8 characters.</p><input type="password" id="new-password" name="new-password" autocomplete="new-password" required></div>
<div class="field"><label for="repeat-password">Repeat the password</label><input type="password" id="repeat-password" name="repeat-password" autocomplete="new-password" required></div>
<button class="button">Create account</button></form></div>`)
	fill(content(doc).Find("form"), values)
	send(x.w, answer, doc)
	return true
}
