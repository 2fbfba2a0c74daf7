package sites

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// transferDays is how far ahead a payment can be dated.
const transferDays = 90

// maxTransfer is the most that one payment may send, in pence.
const maxTransfer = 1_000_000

// transfer is a payment in the making, or after it was sent its receipt.
type transfer struct {
	To        payee
	From      bankAccount
	Pence     int
	When      time.Time
	Reference string
	Number    string // of the receipt
	Today     bool
}

// Sum is the amount as the pages write it.
func (t transfer) Sum() string { return money(t.Pence) }

// Day is the date as the pages write it.
func (t transfer) Day() string { return t.When.Format("Monday 2 January 2006") }

func (c customer) payee(id string) (payee, bool) {
	i := slices.IndexFunc(c.payees, func(p payee) bool { return p.ID == id })
	if i < 0 {
		return payee{}, false
	}
	return c.payees[i], true
}

func recipientForm(c customer) form {
	f := form{{Name: "to", Label: "Who would you like to pay?", Type: "radio", Value: c.draft.To.ID, missing: "Choose who you would like to pay"}}
	for _, p := range c.payees {
		f[0].Options = append(f[0].Options, option{p.ID, p.Name, p.Sort + " · " + p.Number})
	}
	return f
}

func (b *bank) chooseRecipient(w http.ResponseWriter, r *http.Request, c customer) {
	b.page(w, r, 200, "recipient", map[string]any{"Step": 1, "Form": recipientForm(c)})
}

func (b *bank) takeRecipient(w http.ResponseWriter, r *http.Request, c customer) {
	f := recipientForm(c)
	if !f.read(r) {
		b.page(w, r, http.StatusUnprocessableEntity, "recipient", map[string]any{"Step": 1, "Form": f})
		return
	}
	p, _ := c.payee(f[0].Value) // one of the options, as read has seen to
	b.visits.change(visitor(r), func(v *visit[customer]) { v.data.draft.To = p })
	b.redirect(w, r, "/transfer/amount")
}

var (
	sortCode      = regexp.MustCompile(`^[0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{2}$`)
	accountNumber = regexp.MustCompile(`^[0-9]{8}$`)
)

func payeeForm() form {
	return form{
		{Name: "name", Label: "Name on the account", Type: "text", Autocomplete: "off", missing: "Enter the name on the account", rule: atLeast(2, "Enter the name on the account")},
		{Name: "sort", Label: "Sort code", Type: "text", Autocomplete: "off", Hint: "Six digits, with or without dashes.", missing: "Enter the sort code", rule: func(s string) string {
			if !sortCode.MatchString(s) {
				return "Enter a sort code of six digits, such as 60-83-01"
			}
			return ""
		}},
		{Name: "number", Label: "Account number", Type: "text", Autocomplete: "off", Hint: "Eight digits.", missing: "Enter the account number", rule: func(s string) string {
			if !accountNumber.MatchString(strings.ReplaceAll(s, " ", "")) {
				return "Enter an account number of eight digits"
			}
			return ""
		}},
	}
}

func (b *bank) newPayee(w http.ResponseWriter, r *http.Request, _ customer) {
	b.page(w, r, 200, "payee", map[string]any{"Step": 1, "Form": payeeForm()})
}

func (b *bank) addPayee(w http.ResponseWriter, r *http.Request, c customer) {
	f := payeeForm()
	if !f.read(r) {
		b.page(w, r, http.StatusUnprocessableEntity, "payee", map[string]any{"Step": 1, "Form": f})
		return
	}
	p := payee{"new-" + strconv.Itoa(len(c.payees)), f[0].Value, f[1].Value, f[2].Value, ""}
	b.visits.change(visitor(r), func(v *visit[customer]) {
		v.data.payees = append(slices.Clone(v.data.payees), p)
		v.data.draft.To = p
	})
	b.redirect(w, r, "/transfer/amount")
}

func (b *bank) amountForm(c customer) form {
	today, last := b.now().Format(isoDate), b.now().AddDate(0, 0, transferDays).Format(isoDate)
	f := form{
		{Name: "from", Label: "Pay from", Type: "select", Value: current, missing: "Choose an account"},
		{Name: "amount", Label: "Amount in pounds", Type: "text", Autocomplete: "transaction-amount", missing: "Enter the amount", Hint: "For example 25 or 25.50."},
		{Name: "date", Label: "Date of payment", Type: "date", Value: today, Min: today, Max: last, missing: "Choose a date"},
		{Name: "reference", Label: "Reference", Type: "text", Optional: true, Hint: "Shown to the recipient."},
	}
	for _, a := range accounts[:2] {
		if a.ID != c.draft.To.ID {
			f[0].Options = append(f[0].Options, option{a.ID, a.Name + ", " + money(c.balance(a)), ""})
		}
	}
	f[1].rule = func(s string) string {
		pence, ok := parseMoney(s)
		switch {
		case !ok || pence == 0:
			return "Enter an amount in pounds, such as 25 or 25.50"
		case pence > maxTransfer:
			return "One payment can be up to " + money(maxTransfer)
		}
		return ""
	}
	f[2].rule = func(s string) string {
		_, err := time.Parse(isoDate, s)
		switch {
		case err != nil:
			return "Enter the date as day, month and year"
		case s < today:
			return "Choose today or a later date"
		case s > last:
			return "Choose a date within the next " + strconv.Itoa(transferDays) + " days"
		}
		return ""
	}
	if d := c.draft; d.Pence > 0 {
		f[0].Value, f[1].Value, f[2].Value, f[3].Value = d.From.ID, strings.TrimPrefix(d.Sum(), "£"), d.When.Format(isoDate), d.Reference
	}
	return f
}

func (b *bank) chooseAmount(w http.ResponseWriter, r *http.Request, c customer) {
	if c.draft.To.ID == "" {
		b.redirect(w, r, "/transfer")
		return
	}
	b.page(w, r, 200, "amount", map[string]any{"Step": 2, "Form": b.amountForm(c), "To": c.draft.To})
}

func (b *bank) takeAmount(w http.ResponseWriter, r *http.Request, c customer) {
	if c.draft.To.ID == "" {
		b.redirect(w, r, "/transfer")
		return
	}
	f := b.amountForm(c)
	ok := f.read(r)
	from, _ := accountByID(f[0].Value)
	pence, _ := parseMoney(f[1].Value) // 0 where the rule has complained
	if ok && c.balance(from)+from.Limit < pence {
		f[1].Error, ok = "There is not enough in this account: "+money(c.balance(from)+from.Limit)+" are available", false
	}
	if !ok {
		b.page(w, r, http.StatusUnprocessableEntity, "amount", map[string]any{"Step": 2, "Form": f, "To": c.draft.To})
		return
	}
	when, _ := time.Parse(isoDate, f[2].Value) // as the rule has it
	b.visits.change(visitor(r), func(v *visit[customer]) {
		d := &v.data.draft
		d.From, d.Pence, d.When, d.Reference = from, pence, when, f[3].Value
		d.Today = f[2].Value == b.now().Format(isoDate)
	})
	b.redirect(w, r, "/transfer/confirm")
}

func (b *bank) review(w http.ResponseWriter, r *http.Request, c customer) {
	if c.draft.Pence == 0 {
		b.redirect(w, r, "/transfer")
		return
	}
	b.page(w, r, 200, "confirm", map[string]any{"Step": 3, "Transfer": c.draft, "After": money(c.balance(c.draft.From) - c.draft.Pence)})
}

func (b *bank) send(w http.ResponseWriter, r *http.Request, c customer) {
	if c.draft.Pence == 0 {
		b.redirect(w, r, "/transfer")
		return
	}
	id := visitor(r)
	b.visits.change(id, func(v *visit[customer]) {
		d := v.data.draft
		d.Number = "HP-" + strings.ToUpper(id[:6])
		v.data.draft, v.data.receipt = transfer{}, d
		v.reach("payment_sent")
		if d.To.ID == "calder" && d.Pence == 5000 {
			v.reach("paid_ines_50")
		}
		if !d.Today {
			return // it is booked on its day
		}
		// A copy, since pages may be reading the map that is there.
		v.data.paid = maps.Clone(v.data.paid)
		v.data.paid[d.From.ID] = append(slices.Clone(v.data.paid[d.From.ID]), entry{When: b.now(), Who: d.To.Name, Group: "Payments", Pence: -d.Pence})
		if _, own := accountByID(d.To.ID); own {
			v.data.paid[d.To.ID] = append(slices.Clone(v.data.paid[d.To.ID]), entry{When: b.now(), Who: d.From.Name, Group: "Transfers", Pence: d.Pence})
		}
	})
	b.redirect(w, r, "/transfer/done")
}

func (b *bank) sent(w http.ResponseWriter, r *http.Request, c customer) {
	if c.receipt.Number == "" {
		b.redirect(w, r, "/transfer")
		return
	}
	b.page(w, r, 200, "done", c.receipt)
}
