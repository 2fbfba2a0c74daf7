package sites

import (
	"net/http"
	"strings"
)

// Delivery costs in pence, and the order value from which standard is free.
const (
	standardPence = 495
	expressPence  = 950
	freeFromPence = 6000
)

// bill is a basket as the pages show it.
type bill struct {
	Lines                     []billLine
	Subtotal, Delivery, Total string
	Empty                     bool
}

type billLine struct {
	product
	Quantity int
	Sum      string
}

func (b basket) bill(delivery string) bill {
	out := bill{Empty: len(b.lines) == 0}
	sum := 0
	for _, l := range b.lines {
		sum += l.product.Pence * l.quantity
		out.Lines = append(out.Lines, billLine{l.product, l.quantity, pounds(l.product.Pence * l.quantity)})
	}
	post := standardPence
	switch {
	case delivery == "express":
		post = expressPence
	case sum >= freeFromPence:
		post = 0
	}
	out.Subtotal, out.Delivery, out.Total = pounds(sum), pounds(post), pounds(sum+post)
	if post == 0 {
		out.Delivery = "Free"
	}
	return out
}

func (s *shop) billOf(r *http.Request, delivery string) (out bill) {
	s.visits.look(visitor(r), func(v *visit[basket]) { out = v.data.bill(delivery) })
	return out
}

func checkoutForm() form {
	return form{
		{Name: "name", Label: "Full name", Type: "text", Autocomplete: "name", missing: "Enter your full name", rule: atLeast(2, "Enter your full name")},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Hint: "We send the receipt and the tracking number here.", missing: "Enter your email address", rule: emailRule},
		{Name: "address", Label: "Street and house number", Type: "text", Autocomplete: "street-address", missing: "Enter your street and house number", rule: atLeast(4, "Enter your street and house number")},
		{Name: "city", Label: "Town or city", Type: "text", Autocomplete: "address-level2", missing: "Enter your town or city"},
		{Name: "postcode", Label: "Postcode", Type: "text", Autocomplete: "postal-code", missing: "Enter your postcode", rule: postcodeRule},
		{Name: "country", Label: "Country", Type: "select", Autocomplete: "country", missing: "Choose a country", Options: []option{
			{"GB", "United Kingdom", ""}, {"IE", "Ireland", ""}, {"FR", "France", ""}, {"DE", "Germany", ""}, {"NL", "Netherlands", ""}, {"US", "United States", ""},
		}},
		{Name: "phone", Label: "Telephone", Type: "tel", Autocomplete: "tel", Optional: true, Hint: "Only for the courier.", rule: phoneRule},
		{Name: "delivery", Label: "Delivery", Type: "radio", Value: "standard", missing: "Choose how we should deliver", Options: []option{
			{"standard", "Standard, 3–5 days", "£4.95, free from £60"}, {"express", "Express, next working day", "£9.50"},
		}},
		{Name: "terms", Label: "I have read the returns policy and agree to the terms of sale", Type: "checkbox", missing: "Agree to the terms of sale to place your order"},
	}
}

func (s *shop) basket(w http.ResponseWriter, r *http.Request) {
	added, _ := productBySlug(r.URL.Query().Get("added"))
	s.page(w, r, 200, "basket", map[string]any{"Bill": s.billOf(r, "standard"), "Added": added.Name})
}

func (s *shop) checkout(w http.ResponseWriter, r *http.Request) {
	b := s.billOf(r, "standard")
	if b.Empty {
		s.redirect(w, r, "/basket")
		return
	}
	s.page(w, r, 200, "checkout", map[string]any{"Form": checkoutForm(), "Bill": b})
}

func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	f := checkoutForm()
	ok := f.read(r)
	b := s.billOf(r, f.Get("delivery").Value)
	switch {
	case b.Empty:
		s.redirect(w, r, "/basket")
	case !ok:
		s.page(w, r, http.StatusUnprocessableEntity, "checkout", map[string]any{"Form": f, "Bill": b})
	default:
		id := visitor(r)
		s.visits.change(id, func(v *visit[basket]) {
			v.data = basket{order: "FF-" + strings.ToUpper(id[:6])}
			v.reach("order_placed")
		})
		s.redirect(w, r, "/checkout/done")
	}
}

func (s *shop) done(w http.ResponseWriter, r *http.Request) {
	var number string
	s.visits.look(visitor(r), func(v *visit[basket]) { number = v.data.order })
	if number == "" {
		s.redirect(w, r, "/basket")
		return
	}
	s.page(w, r, 200, "done", number)
}

func contactForm() form {
	return form{
		{Name: "name", Label: "Your name", Type: "text", Autocomplete: "name", missing: "Enter your name"},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", missing: "Enter your email address", rule: emailRule},
		{Name: "topic", Label: "What is it about?", Type: "select", missing: "Choose a topic", Options: []option{
			{"order", "An order", ""}, {"broken", "Something arrived broken", ""}, {"commission", "A commission", ""}, {"other", "Something else", ""},
		}},
		{Name: "message", Label: "Message", Type: "textarea", missing: "Write your message", rule: atLeast(5, "Tell us a little more")},
	}
}

func (s *shop) contact(w http.ResponseWriter, r *http.Request) {
	f := contactForm()
	if !f.read(r) {
		s.page(w, r, http.StatusUnprocessableEntity, "contact", f)
		return
	}
	s.visits.reach(visitor(r), "message_sent")
	s.redirect(w, r, "/contact/sent")
}
