package sites

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// linesPerPage is how many lines of an account one page shows.
const linesPerPage = 12

// statementMonths is how many past months have a statement.
const statementMonths = 6

// accountView is an account as the pages show it.
type accountView struct {
	bankAccount
	Balance, Available string
	Lines              []entry
}

func (b *bank) accountView(c customer, a bankAccount) accountView {
	balance := c.balance(a)
	return accountView{a, money(balance), money(balance + a.Limit), statementOf(a, c.paid[a.ID], b.now())}
}

func (b *bank) overview(w http.ResponseWriter, r *http.Request, c customer) {
	var all []accountView
	for _, a := range accounts {
		all = append(all, b.accountView(c, a))
	}
	b.page(w, r, 200, "overview", map[string]any{"Accounts": all, "Latest": all[0].Lines[:5], "Frozen": c.cards[0].Frozen, "Orders": c.orders})
}

// theAccount finds the account of the path, or answers that there is none.
func (b *bank) theAccount(w http.ResponseWriter, r *http.Request, c customer) (accountView, bool) {
	a, ok := accountByID(r.PathValue("id"))
	if !ok {
		b.page(w, r, 404, "notfound", nil)
		return accountView{}, false
	}
	return b.accountView(c, a), true
}

func (b *bank) transactions(w http.ResponseWriter, r *http.Request, c customer) {
	a, ok := b.theAccount(w, r, c)
	if !ok {
		return
	}
	q := strings.TrimSpace(r.URL.Query().Get("q"))
	group := r.URL.Query().Get("group")
	var groups []string
	var found []entry
	for _, e := range a.Lines {
		if !strings.Contains("|"+strings.Join(groups, "|")+"|", "|"+e.Group+"|") {
			groups = append(groups, e.Group)
		}
		if (group == "" || e.Group == group) && strings.Contains(strings.ToLower(e.Who+" "+e.Amount()), strings.ToLower(q)) {
			found = append(found, e)
		}
	}
	pages := max(1, (len(found)+linesPerPage-1)/linesPerPage)
	n, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		n = 1
	}
	n = min(max(n, 1), pages)
	shown := found[(n-1)*linesPerPage : min(n*linesPerPage, len(found))]
	for _, e := range shown {
		if e.Who == "Penhale Garage" {
			b.visits.reach(visitor(r), "garage_seen")
		}
	}
	keep := url.Values{}
	if q != "" {
		keep.Set("q", q)
	}
	if group != "" {
		keep.Set("group", group)
	}
	to := func(n int) string {
		keep.Set("page", strconv.Itoa(n))
		return "/accounts/" + a.ID + "?" + keep.Encode()
	}
	data := map[string]any{"Account": a, "Tab": "transactions", "Lines": shown, "Found": len(found), "Query": q, "Group": group, "Groups": groups, "Page": n, "Pages": pages}
	if n > 1 {
		data["Newer"] = to(n - 1)
	}
	if n < pages {
		data["Older"] = to(n + 1)
	}
	b.page(w, r, 200, "account", data)
}

func (b *bank) details(w http.ResponseWriter, r *http.Request, c customer) {
	a, ok := b.theAccount(w, r, c)
	if !ok {
		return
	}
	if a.ID == saver {
		b.visits.reach(visitor(r), "rate_seen")
	}
	b.page(w, r, 200, "details", map[string]any{"Account": a, "Tab": "details"})
}

// months are those that have a statement, the latest first.
func (b *bank) months() []time.Time {
	now := b.now()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	var out []time.Time
	for i := range statementMonths {
		out = append(out, first.AddDate(0, -1-i, 0))
	}
	return out
}

func (b *bank) statements(w http.ResponseWriter, r *http.Request, c customer) {
	if a, ok := b.theAccount(w, r, c); ok {
		b.page(w, r, 200, "statements", map[string]any{"Account": a, "Tab": "statements", "Months": b.months()})
	}
}

// download sends the lines of one month as a file.
func (b *bank) download(w http.ResponseWriter, r *http.Request, c customer) {
	a, ok := b.theAccount(w, r, c)
	if !ok {
		return
	}
	for _, m := range b.months() {
		if m.Format("2006-01") != r.PathValue("when") {
			continue
		}
		b.visits.reach(visitor(r), "statement_downloaded")
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="statement-`+a.ID+`-`+m.Format("2006-01")+`.csv"`)
		out := csv.NewWriter(w)
		_ = out.Write([]string{"Date", "Description", "Amount"}) // a failed write means that the client has gone
		for _, e := range a.Lines {
			if e.When.Year() == m.Year() && e.When.Month() == m.Month() {
				_ = out.Write([]string{e.When.Format(isoDate), e.Who, strconv.FormatFloat(float64(e.Pence)/100, 'f', 2, 64)})
			}
		}
		out.Flush()
		return
	}
	b.page(w, r, 404, "notfound", nil)
}
