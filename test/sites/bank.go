package sites

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// The one customer of the bank, whose credentials its tasks tell.
const (
	bankEmail    = "demo@harrowpike.example"
	bankPassword = "heron-quay-7" //nolint:gosec // the published password of a made-up customer
)

const bankLogin = "Log in as " + bankEmail + " with the password " + bankPassword + " and "

var bankTasks = []Task{
	{"transfer", bankLogin + "transfer £50 to Ines Calder", "/", "paid_ines_50",
		&Success{TextVisible: "£50.00 is on its way to Ines Calder"}, ""},
	{"freeze", bankLogin + "freeze the debit card", "/", "debit_card_frozen",
		&Success{TextVisible: "Your debit card is frozen"}, ""},
	{"rate", bankLogin + "find out the interest rate of the savings account", "/", "rate_seen",
		&Success{TextVisible: "4.15%"}, "4.15%"},
	{"merchant", bankLogin + "find out how much was paid to Penhale Garage", "/", "garage_seen",
		nil, "£184.60"},
	{"message", bankLogin + "send the bank a message asking about a mortgage", "/", "message_sent",
		&Success{TextVisible: "We have your message"}, ""},
}

// customer is what a visit has done at the bank. It is copied out of the memory
// freely, so nothing in it is changed in place except under the memory's lock.
type customer struct {
	in       bool
	known    bool // has logged in before, so that the rest is set up
	paid     map[string][]entry
	payees   []payee
	draft    transfer
	receipt  transfer
	orders   []standing
	made     int // standing orders of this visit, for their ids
	cards    [2]bankCard
	messages []bankMessage
}

type bank struct {
	*chassis
	visits *memory[customer]
	now    func() time.Time
}

// bankChrome is on every page of the bank.
type bankChrome struct {
	In     bool
	Unread int
}

func newBank(base string, now func() time.Time) *bank {
	b := &bank{visits: newMemory[customer](maxVisits), now: now}
	b.chassis = newChassis(Bank, base, b.visits.truth)
	for path, page := range map[string]string{"/{$}": "home", "/savings": "savings", "/mortgages": "mortgages", "/help": "help", "/security": "security", "/goodbye": "goodbye"} {
		b.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { b.page(w, r, 200, page, nil) })
	}
	b.mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { b.page(w, r, 200, "login", bankLoginForm()) })
	b.mux.HandleFunc("POST /login", b.login)
	b.mux.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		b.visits.change(visitor(r), func(v *visit[customer]) { v.data.in = false })
		b.redirect(w, r, "/goodbye")
	})
	for pattern, h := range map[string]func(http.ResponseWriter, *http.Request, customer){
		"GET /overview":                        b.overview,
		"GET /accounts/{id}":                   b.transactions,
		"GET /accounts/{id}/details":           b.details,
		"GET /accounts/{id}/statements":        b.statements,
		"GET /accounts/{id}/statements/{when}": b.download,
		"GET /transfer":                        b.chooseRecipient,
		"POST /transfer":                       b.takeRecipient,
		"GET /transfer/new":                    b.newPayee,
		"POST /transfer/new":                   b.addPayee,
		"GET /transfer/amount":                 b.chooseAmount,
		"POST /transfer/amount":                b.takeAmount,
		"GET /transfer/confirm":                b.review,
		"POST /transfer/confirm":               b.send,
		"GET /transfer/done":                   b.sent,
		"GET /standing-orders":                 b.standingOrders,
		"GET /standing-orders/new":             b.newOrder,
		"POST /standing-orders/new":            b.addOrder,
		"POST /standing-orders/cancel":         b.cancelOrder,
		"GET /cards":                           b.cardList,
		"GET /cards/{id}":                      b.cardPage,
		"POST /cards/{id}/freeze":              b.freeze,
		"POST /cards/{id}":                     b.cardSettings,
		"GET /messages":                        b.inbox,
		"GET /messages/{id}":                   b.read,
		"GET /messages/new":                    b.write,
		"POST /messages/new":                   b.post,
		"GET /messages/sent":                   b.posted,
	} {
		b.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c := b.customer(r)
			if !c.in {
				b.redirect(w, r, "/login")
				return
			}
			h(w, r, c)
		})
	}
	b.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { b.page(w, r, 404, "notfound", nil) })
	return b
}

func (b *bank) customer(r *http.Request) (c customer) {
	b.visits.look(visitor(r), func(v *visit[customer]) { c = v.data })
	return c
}

func (b *bank) page(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	c := b.customer(r)
	chrome := bankChrome{In: c.in}
	for _, m := range c.messages {
		if m.Unread {
			chrome.Unread++
		}
	}
	b.render(w, r, status, name, chrome, data)
}

func bankLoginForm() form {
	return form{
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "username", missing: "Enter your email address", rule: emailRule},
		{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", missing: "Enter your password"},
	}
}

func (b *bank) login(w http.ResponseWriter, r *http.Request) {
	f := bankLoginForm()
	ok := f.read(r)
	if ok && (!strings.EqualFold(f[0].Value, bankEmail) || f[1].Value != bankPassword) {
		f[1].Error, ok = "The email address and the password do not belong together", false
	}
	if !ok {
		b.page(w, r, http.StatusUnprocessableEntity, "login", f)
		return
	}
	b.visits.change(visitor(r), func(v *visit[customer]) {
		v.data.in = true
		v.reach("logged_in")
		if !v.data.known {
			v.data.known = true
			v.data.paid, v.data.payees = map[string][]entry{}, slices.Clone(payees)
			v.data.orders, v.data.cards, v.data.messages = b.firstOrders(), firstCards, b.firstMessages()
		}
	})
	b.redirect(w, r, "/overview")
}

// balance is what an account holds after what this visit has paid, in pence.
func (c customer) balance(a bankAccount) int {
	sum := a.Opening
	for _, e := range c.paid[a.ID] {
		sum += e.Pence
	}
	return sum
}
