package sites

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// standing is a payment that repeats.
type standing struct {
	ID, To, Reference, Every string
	Pence                    int
	Next                     time.Time
}

// Sum is the amount as the pages write it.
func (s standing) Sum() string { return money(s.Pence) }

// Day is the next date as the pages write it.
func (s standing) Day() string { return s.Next.Format("2 January") }

func (b *bank) firstOrders() []standing {
	first := b.now().AddDate(0, 1, 1-b.now().Day())
	return []standing{
		{"1", "T. Ashworth", "Flat 3", "Every month", 78500, first},
		{"2", "Saffron Community Choir", "Fees R Teague", "Every month", 1800, first.AddDate(0, 0, 4)},
		{"3", "Rainy Day Saver", "Saving", "Every month", 15000, first.AddDate(0, 0, 19)},
	}
}

func (b *bank) standingOrders(w http.ResponseWriter, r *http.Request, c customer) {
	b.page(w, r, 200, "orders", map[string]any{"Orders": c.orders, "Done": r.URL.Query().Get("done")})
}

func (b *bank) orderForm(c customer) form {
	tomorrow := b.now().AddDate(0, 0, 1).Format(isoDate)
	f := form{
		{Name: "to", Label: "Recipient", Type: "select", missing: "Choose a recipient"},
		{Name: "amount", Label: "Amount in pounds", Type: "text", Autocomplete: "transaction-amount", missing: "Enter the amount", rule: func(s string) string {
			if p, ok := parseMoney(s); !ok || p == 0 || p > maxTransfer {
				return "Enter an amount in pounds, such as 25 or 25.50"
			}
			return ""
		}},
		{Name: "every", Label: "How often", Type: "radio", Value: "month", missing: "Choose how often", Options: []option{{"week", "Every week", ""}, {"month", "Every month", ""}, {"quarter", "Every three months", ""}}},
		{Name: "first", Label: "First payment", Type: "date", Min: tomorrow, missing: "Choose a date", rule: func(s string) string {
			if _, err := time.Parse(isoDate, s); err != nil || s < tomorrow {
				return "Choose a date from tomorrow on"
			}
			return ""
		}},
		{Name: "reference", Label: "Reference", Type: "text", Optional: true},
	}
	for _, p := range c.payees {
		f[0].Options = append(f[0].Options, option{p.ID, p.Name, ""})
	}
	return f
}

func (b *bank) newOrder(w http.ResponseWriter, r *http.Request, c customer) {
	b.page(w, r, 200, "order", b.orderForm(c))
}

func (b *bank) addOrder(w http.ResponseWriter, r *http.Request, c customer) {
	f := b.orderForm(c)
	if !f.read(r) {
		b.page(w, r, http.StatusUnprocessableEntity, "order", f)
		return
	}
	pence, _ := parseMoney(f[1].Value)          // as the rule has it
	first, _ := time.Parse(isoDate, f[3].Value) // as the rule has it
	b.visits.change(visitor(r), func(v *visit[customer]) {
		v.data.made++
		v.data.orders = append(slices.Clone(v.data.orders), standing{
			"new-" + strconv.Itoa(v.data.made), f[0].Choice().Label, f[4].Value, f[2].Choice().Label, pence, first,
		})
		v.reach("standing_order_made")
	})
	b.redirect(w, r, "/standing-orders?done=made")
}

func (b *bank) cancelOrder(w http.ResponseWriter, r *http.Request, _ customer) {
	b.visits.change(visitor(r), func(v *visit[customer]) {
		left := slices.DeleteFunc(slices.Clone(v.data.orders), func(s standing) bool { return s.ID == r.PostFormValue("order") })
		if len(left) < len(v.data.orders) {
			v.data.orders = left
			v.reach("standing_order_cancelled")
		}
	})
	b.redirect(w, r, "/standing-orders?done=cancelled")
}

// bankMessage is a letter between the bank and its customer.
type bankMessage struct {
	ID, From, Subject, Body string
	When                    time.Time
	Unread                  bool
}

// Day is the date as the pages write it.
func (m bankMessage) Day() string { return m.When.Format("2 January 2006") }

func (b *bank) firstMessages() []bankMessage {
	return []bankMessage{
		{"3", "Harrow & Pike", "Your new statement is ready", "The statement of your Everyday Account for last month is ready. You find it under Statements, and nothing needs doing.", b.now().AddDate(0, 0, -1), true},
		{"2", "Harrow & Pike", "Branch hours over the holiday", "The branch in Millgate closes at noon on the Friday before the holiday and opens again on Tuesday at nine.", b.now().AddDate(0, 0, -9), false},
		{"1", "Priya Nandakumar", "Re: Change of address", "Thank you, Rowan. Your new address is on our books from today, and the next letter will go there.", b.now().AddDate(0, 0, -34), false},
	}
}

func (b *bank) inbox(w http.ResponseWriter, r *http.Request, c customer) {
	b.page(w, r, 200, "messages", c.messages)
}

func (b *bank) read(w http.ResponseWriter, r *http.Request, c customer) {
	i := slices.IndexFunc(c.messages, func(m bankMessage) bool { return m.ID == r.PathValue("id") })
	if i < 0 {
		b.page(w, r, 404, "notfound", nil)
		return
	}
	b.visits.change(visitor(r), func(v *visit[customer]) {
		v.data.messages = slices.Clone(v.data.messages)
		v.data.messages[i].Unread = false
	})
	b.page(w, r, 200, "message", c.messages[i])
}

func bankMessageForm() form {
	return form{
		{Name: "topic", Label: "What is it about?", Type: "select", missing: "Choose a topic", Options: []option{
			{"payment", "A payment", ""}, {"card", "A card", ""}, {"savings", "Savings", ""}, {"mortgage", "A mortgage or loan", ""}, {"details", "My details", ""}, {"other", "Something else", ""},
		}},
		{Name: "message", Label: "Your message", Type: "textarea", Hint: "Never write your password here.", missing: "Write your message", rule: atLeast(5, "Tell us a little more")},
	}
}

func (b *bank) write(w http.ResponseWriter, r *http.Request, _ customer) {
	b.page(w, r, 200, "write", bankMessageForm())
}

func (b *bank) post(w http.ResponseWriter, r *http.Request, _ customer) {
	f := bankMessageForm()
	if !f.read(r) {
		b.page(w, r, http.StatusUnprocessableEntity, "write", f)
		return
	}
	b.visits.reach(visitor(r), "message_sent")
	b.redirect(w, r, "/messages/sent")
}

func (b *bank) posted(w http.ResponseWriter, r *http.Request, _ customer) {
	b.page(w, r, 200, "posted", nil)
}
