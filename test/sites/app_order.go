package sites

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// pickupDays is for how many days, from tomorrow on, orders are taken.
const pickupDays = 5

// bakeReceipt is an order that was placed, in the words of the pages.
type bakeReceipt struct {
	Number, Shop, When, Name, Total string
	Lines                           []bakeLine
}

func (l *loaf) routeOrder() {
	l.mux.HandleFunc("GET /order", func(w http.ResponseWriter, r *http.Request) {
		e := l.eater(r)
		l.page(w, r, 200, "order", map[string]any{"Lines": e.lines, "Total": total(e.lines)})
	})
	l.mux.HandleFunc("POST /order/add", l.add)
	l.mux.HandleFunc("POST /order/change", l.change)
	l.mux.HandleFunc("GET /order/pickup", l.needsLines(func(w http.ResponseWriter, r *http.Request, e eater) {
		l.page(w, r, 200, "pickup", l.pickupForm().fill(e.pickup))
	}))
	l.mux.HandleFunc("POST /order/pickup", l.needsLines(l.takePickup))
	l.mux.HandleFunc("GET /order/details", l.needsPickup(func(w http.ResponseWriter, r *http.Request, e eater) {
		l.orderDetails(w, r, 200, e, detailsForm().fill(e.contact))
	}))
	l.mux.HandleFunc("POST /order/details", l.needsPickup(l.place))
	l.mux.HandleFunc("GET /order/done", func(w http.ResponseWriter, r *http.Request) {
		e := l.eater(r)
		if e.receipt.Number == "" {
			l.redirect(w, r, "/order")
			return
		}
		l.page(w, r, 200, "placed", e.receipt)
	})
}

func total(lines []bakeLine) string {
	sum := 0
	for _, x := range lines {
		sum += x.Pence * x.Quantity
	}
	return pounds(sum)
}

// set makes the quantity of a bake what change says of the present one, 0
// when it is not in the order yet.
func (e *eater) set(b bake, change func(int) int) {
	for i := range e.lines {
		if e.lines[i].Slug != b.Slug {
			continue
		}
		if e.lines[i].Quantity = min(change(e.lines[i].Quantity), maxQuantity); e.lines[i].Quantity < 1 {
			e.lines = append(e.lines[:i], e.lines[i+1:]...)
		}
		return
	}
	if n := min(change(0), maxQuantity); n > 0 {
		e.lines = append(e.lines, bakeLine{b, n})
	}
}

func (l *loaf) add(w http.ResponseWriter, r *http.Request) {
	b, ok := bakeBySlug(r.PostFormValue("item"))
	n, err := strconv.Atoi(strings.TrimSpace(r.PostFormValue("quantity")))
	if !ok {
		http.Error(w, "We do not know this item.", http.StatusBadRequest)
		return
	}
	if err != nil || n < 1 || n > maxQuantity {
		l.redirect(w, r, "/item/"+b.Slug+"?said=quantity")
		return
	}
	l.visits.change(visitor(r), func(v *visit[eater]) {
		v.data.set(b, func(had int) int { return had + n })
		v.reach("item_in_order")
	})
	l.redirect(w, r, "/item/"+b.Slug+"?said=added")
}

func (l *loaf) change(w http.ResponseWriter, r *http.Request) {
	b, ok := bakeBySlug(r.PostFormValue("item"))
	by := map[string]int{"more": 1, "less": -1, "remove": -maxQuantity}[r.PostFormValue("do")]
	if !ok || by == 0 {
		http.Error(w, "This cannot be changed.", http.StatusBadRequest)
		return
	}
	l.visits.change(visitor(r), func(v *visit[eater]) { v.data.set(b, func(had int) int { return had + by }) })
	l.redirect(w, r, "/order")
}

type eaterHandler func(http.ResponseWriter, *http.Request, eater)

// needsLines sends who has ordered nothing to the empty order.
func (l *loaf) needsLines(h eaterHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		e := l.eater(r)
		if len(e.lines) == 0 {
			l.redirect(w, r, "/order")
			return
		}
		h(w, r, e)
	}
}

// needsPickup sends who has not said where and when to the page that asks.
func (l *loaf) needsPickup(h eaterHandler) http.HandlerFunc {
	return l.needsLines(func(w http.ResponseWriter, r *http.Request, e eater) {
		if e.pickup["time"] == "" {
			l.redirect(w, r, "/order/pickup")
			return
		}
		h(w, r, e)
	})
}

func (l *loaf) pickupForm() form {
	f := form{
		{Name: "shop", Label: "Shop", Type: "select", missing: "Choose the shop where you pick up"},
		{Name: "day", Label: "Day", Type: "radio", missing: "Choose a day"},
		{Name: "time", Label: "Time", Type: "radio", missing: "Choose a time"},
	}
	for _, b := range branches {
		f[0].Options = append(f[0].Options, option{b.Slug, b.Name + ", " + b.Address[strings.LastIndex(b.Address, ",")+2:], ""})
	}
	for i := 1; i <= pickupDays; i++ {
		d := l.now().AddDate(0, 0, i)
		label := d.Format("Mon 2 Jan")
		if i == 1 {
			label = "Tomorrow, " + label
		}
		f[1].Options = append(f[1].Options, option{d.Format(isoDate), label, ""})
	}
	for _, t := range []string{"09:00", "09:45", "10:30", "11:15", "12:00", "12:45"} {
		f[2].Options = append(f[2].Options, option{t, clockTime(t), ""})
	}
	f[1].rule = func(s string) string {
		if d, err := time.Parse(isoDate, s); err == nil && d.Weekday() == time.Sunday && f[0].Value == "abbey-gardens" {
			return "Abbey Gardens is closed on Sunday. Choose another day or shop"
		}
		return ""
	}
	return f
}

// clockTime writes "09:45" as "9.45 am".
func clockTime(s string) string {
	t, err := time.Parse("15:04", s)
	if err != nil {
		return s
	}
	return t.Format("3.04 pm")
}

func (l *loaf) takePickup(w http.ResponseWriter, r *http.Request, e eater) {
	f := l.pickupForm()
	if !f.read(r) {
		l.page(w, r, http.StatusUnprocessableEntity, "pickup", f)
		return
	}
	l.visits.change(visitor(r), func(v *visit[eater]) { v.data.pickup = with(e.pickup, f) })
	l.redirect(w, r, "/order/details")
}

func detailsForm() form {
	return form{
		{Name: "name", Label: "Name for the bag", Type: "text", Autocomplete: "name", missing: "Enter your name", rule: atLeast(2, "Enter your name")},
		{Name: "phone", Label: "Mobile number", Type: "tel", Autocomplete: "tel", Hint: "We text you when the order is ready.", missing: "Enter your mobile number", rule: phoneRule},
		{Name: "note", Label: "Note for the bakers", Type: "textarea", Optional: true, Hint: "Sliced or whole, for instance."},
	}
}

// orderDetails shows the last page of an order, with what it will be.
func (l *loaf) orderDetails(w http.ResponseWriter, r *http.Request, status int, e eater, f form) {
	l.page(w, r, status, "details", map[string]any{"Form": f, "Receipt": l.receiptOf(e, "")})
}

func (l *loaf) receiptOf(e eater, number string) bakeReceipt {
	out := bakeReceipt{Number: number, Name: e.contact["name"], Lines: e.lines, Total: total(e.lines)}
	for _, b := range branches {
		if b.Slug == e.pickup["shop"] {
			out.Shop = b.Name
		}
	}
	if d, err := time.Parse(isoDate, e.pickup["day"]); err == nil {
		out.When = d.Format("Monday 2 January") + " at " + clockTime(e.pickup["time"])
	}
	return out
}

func (l *loaf) place(w http.ResponseWriter, r *http.Request, e eater) {
	f := detailsForm()
	if !f.read(r) {
		l.orderDetails(w, r, http.StatusUnprocessableEntity, e, f)
		return
	}
	e.contact = with(e.contact, f)
	id := visitor(r)
	l.visits.change(id, func(v *visit[eater]) {
		v.reach("order_placed")
		for _, x := range e.lines {
			if x.Slug == "seeded-sourdough" && e.pickup["day"] == l.now().AddDate(0, 0, 1).Format(isoDate) && e.pickup["time"] < "12:00" {
				v.reach("sourdough_for_tomorrow_morning")
			}
		}
		v.data.receipt = l.receiptOf(e, "L-"+strings.ToUpper(id[:4]))
		v.data.contact, v.data.lines, v.data.pickup = e.contact, nil, nil
	})
	l.redirect(w, r, "/order/done")
}
