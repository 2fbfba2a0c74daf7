package sandbox

import (
	"strings"

	"understudy/domain/task"
)

// told is how the fake site says that an act succeeded; %s is its object.
var told = map[string][2]string{
	"signup":    {"Welcome!", "Your account has been created. Check your email to verify it."},
	"trial":     {"Welcome!", "Your free trial has started. Check your email."},
	"login":     {"Welcome back", "You are logged in."},
	"subscribe": {"Thank you for subscribing", "You are subscribed to %s. Check your inbox."},
	"buy":       {"Thank you for your order", "Your order of %s is confirmed. Order number 10482."},
	"checkout":  {"Thank you for your order", "Your order of %s is confirmed. Order number 10482."},
	"book":      {"Booking confirmed", "Your booking of %s is confirmed. See you soon!"},
	"demo":      {"Request received", "Thank you! We will be in touch about %s."},
	"quote":     {"Request received", "Thank you! Your quote for %s is on its way."},
	"donate":    {"Thank you!", "Your donation to %s has been received."},
	"apply":     {"Application received", "Thank you, your application for %s has been received."},
	"create":    {"Created", "Success: %s has been created."},
	"send":      {"Sent", "Thank you! %s has been sent."},
	"comment":   {"Thank you!", "Your comment on %s has been posted."},
	"share":     {"Shared", "Success: %s has been shared."},
}

// simple acts need one button, without a form.
var simple = map[string]string{
	"edit": "%s has been updated and saved.", "save": "%s has been saved.", "delete": "%s has been deleted.", "cancel": "%s has been cancelled.",
	"undo": "%s has been restored successfully.", "vote": "Your vote for %s was counted. Thank you!", "choose": "You chose %s. Your selection was saved.",
	"unsubscribe": "You have been unsubscribed from %s.", "upgrade": "You have been upgraded: %s. Success!", "return": "Your return of %s is confirmed.",
	"logout": "You are logged out of %s.", "compare": "Comparison of %s is complete.",
}

// act adds the pages of something to be done.
func (p *plan) act(slug, name string, s *task.Subgoal, v uint64) {
	object := strings.Join(words(s), " ")
	if object == "" {
		object = "it"
	}
	what := deed(s)
	switch what {
	case "contact":
		p.contact(slug)
		return
	case "search":
		p.add(slug, name, heading(1, "Search"), block{kind: "search", done: slug + "-results"})
		p.add(slug+"-results", "Results for "+object, heading(1, "3 results for "+object), link(title(object), slug+"-hit"), link("Something quite different", "blog"))
		p.add(slug+"-hit", title(object), heading(1, title(object)), text("All about "+object+"."))
		return
	case "addcart", "buy", "checkout":
		p.shop(slug, name, object, what == "addcart", v)
		return
	case "download":
		p.add(slug, name, heading(1, name), text("The download starts at once."), block{kind: "button", text: "Download " + object, to: "download:"})
		return
	}
	if sentence, ok := simple[what]; ok {
		p.add(slug, name, heading(1, name), text("You can do this at any time."),
			block{kind: "button", text: doing(s), post: true, done: title(strings.ReplaceAll(sentence, "%s", object))})
		return
	}
	says, ok := told[what]
	if !ok {
		says = [2]string{"Thank you!", "Success: " + strings.ToLower(name) + " has been completed."}
	}
	done := slug + "-done"
	p.add(slug, name, heading(1, name), text("It takes a minute."), block{kind: "form", submit: submitLabel(what, name), done: done, fields: fieldsFor(what, v)})
	p.add(done, says[0], heading(1, says[0]), text(strings.ReplaceAll(says[1], "%s", object)))
	if what == "login" {
		p.pages[done].blocks = append(p.pages[done].blocks, link("Log out", ""))
	}
}

func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func submitLabel(deed, name string) string {
	switch deed {
	case "signup":
		return "Create account"
	case "trial":
		return "Start free trial"
	case "login":
		return "Log in"
	case "subscribe":
		return "Subscribe"
	case "book":
		return "Book now"
	}
	if len(name) > 24 {
		return "Send"
	}
	return name
}

// fieldsFor what the form is for. One site in three insists on ten digits for
// the phone number, which people only learn from its error.
func fieldsFor(deed string, v uint64) []field {
	email := field{label: "Email", kind: "email", autocomplete: "email", required: true}
	name := field{label: "Full name", kind: "text", autocomplete: "name", required: true}
	switch deed {
	case "login":
		return []field{email, {label: "Password", kind: "password", autocomplete: "current-password", required: true}}
	case "subscribe":
		return []field{email}
	case "signup", "trial":
		return []field{name, email, {label: "Password", kind: "password", autocomplete: "new-password", required: true}, {label: "I agree to the terms of service", kind: "checkbox", required: true}}
	case "book":
		return []field{name, email, {label: "Date", kind: "date", required: true}, {label: "Guests", kind: "select", options: []string{"1", "2", "3", "4"}, required: true},
			{label: "Phone", kind: "tel", required: true, strictPhone: v%3 == 0}}
	}
	return []field{name, email, {label: "Phone", kind: "tel", required: v%3 == 0, strictPhone: v%3 == 0}, {label: "Message", kind: "textarea"}}
}

// shop adds product and cart and, unless that is all that is wanted, checkout and
// confirmation.
func (p *plan) shop(slug, name, object string, cartOnly bool, v uint64) {
	cart, pay, done := slug+"-cart", slug+"-checkout", slug+"-done"
	p.add(slug, name, heading(1, title(object)), text("In stock. $49, shipping included."), block{kind: "button", text: "Add to cart", to: cart, post: true}, link("Other offers", "blog"))
	p.add(cart, "Cart", heading(1, "Your cart"), block{kind: "status", text: "Added to your cart: " + object + "."}, text(title(object)+" – $49"), button("Proceed to checkout", pay))
	if cartOnly {
		return
	}
	p.add(pay, "Checkout", heading(1, "Checkout"), text("Total $49. No further costs."), block{kind: "form", submit: "Buy now", done: done, fields: []field{
		{label: "Full name", kind: "text", autocomplete: "name", required: true},
		{label: "Email", kind: "email", autocomplete: "email", required: true},
		{label: "Street address", kind: "text", autocomplete: "street-address", required: true},
		{label: "Phone", kind: "tel", strictPhone: v%3 == 0, required: v%3 == 0},
		{label: "Card number", kind: "text", autocomplete: "cc-number", required: true},
	}})
	says := told["buy"]
	p.add(done, says[0], heading(1, says[0]), text(strings.ReplaceAll(says[1], "%s", object)))
}
