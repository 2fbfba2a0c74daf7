package sites

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// notices are what the app may tell people, all of it at first.
var notices = []option{
	{"ready", "Order updates", "When your order is ready, or late"},
	{"bakes", "New on the menu", "About once a month"},
	{"offers", "Offers and discounts", "Happy hours and vouchers"},
	{"remind", "Reminders", "On Friday, to order for the weekend"},
}

// The least and the most people for whom the bakery caters.
const (
	leastGuests = 10
	mostGuests  = 80
)

func (l *loaf) routeYou() {
	l.mux.HandleFunc("GET /you/details", func(w http.ResponseWriter, r *http.Request) {
		l.page(w, r, 200, "profile", map[string]any{"Form": profileForm().fill(l.eater(r).contact), "Kept": r.URL.Query().Has("kept")})
	})
	l.mux.HandleFunc("POST /you/details", func(w http.ResponseWriter, r *http.Request) {
		f := profileForm()
		if !f.read(r) {
			l.page(w, r, http.StatusUnprocessableEntity, "profile", map[string]any{"Form": f, "Kept": false})
			return
		}
		l.visits.change(visitor(r), func(v *visit[eater]) { v.data.contact = with(v.data.contact, f) })
		l.redirect(w, r, "/you/details?kept")
	})
	l.mux.HandleFunc("GET /you/orders", func(w http.ResponseWriter, r *http.Request) { l.page(w, r, 200, "orders", l.eater(r).receipt) })
	l.mux.HandleFunc("GET /you/notifications", l.notifications)
	l.mux.HandleFunc("POST /you/notifications", l.toggle)
	l.mux.HandleFunc("GET /catering", func(w http.ResponseWriter, r *http.Request) { l.page(w, r, 200, "catering", l.cateringForm()) })
	l.mux.HandleFunc("POST /catering", func(w http.ResponseWriter, r *http.Request) {
		f := l.cateringForm()
		if !f.read(r) {
			l.page(w, r, http.StatusUnprocessableEntity, "catering", f)
			return
		}
		l.visits.reach(visitor(r), "catering_asked")
		l.redirect(w, r, "/catering/sent")
	})
	l.mux.HandleFunc("GET /catering/sent", func(w http.ResponseWriter, r *http.Request) { l.page(w, r, 200, "catering-sent", nil) })
}

func profileForm() form {
	return form{
		{Name: "name", Label: "Name", Type: "text", Autocomplete: "name", missing: "Enter your name", rule: atLeast(2, "Enter your name")},
		{Name: "phone", Label: "Mobile number", Type: "tel", Autocomplete: "tel", missing: "Enter your mobile number", rule: phoneRule},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Optional: true, Hint: "For receipts.", rule: emailRule},
	}
}

func (l *loaf) notifications(w http.ResponseWriter, r *http.Request) {
	type notice struct {
		option
		On bool
	}
	e := l.eater(r)
	var list []notice
	said := ""
	for _, n := range notices {
		on := !e.off[n.Value]
		list = append(list, notice{n, on})
		if n.Value == r.URL.Query().Get("changed") {
			said = n.Label + map[bool]string{true: " turned on", false: " turned off"}[on]
		}
	}
	l.page(w, r, 200, "notifications", map[string]any{"Notices": list, "Said": said})
}

func (l *loaf) toggle(w http.ResponseWriter, r *http.Request) {
	id := r.PostFormValue("notice")
	if !slices.ContainsFunc(notices, func(n option) bool { return n.Value == id }) {
		http.Error(w, "We do not know this notification.", http.StatusBadRequest)
		return
	}
	l.visits.change(visitor(r), func(v *visit[eater]) {
		off := maps.Clone(v.data.off)
		if off == nil {
			off = map[string]bool{}
		}
		off[id] = !off[id]
		v.data.off = off
		// Who turns it on again has not turned it off.
		v.goals[id+"_off"] = off[id]
	})
	l.redirect(w, r, "/you/notifications?changed="+id)
}

func (l *loaf) cateringForm() form {
	first := l.now().AddDate(0, 0, 3).Format(isoDate)
	return form{
		{Name: "people", Label: "How many people?", Type: "range", Value: "20", Min: strconv.Itoa(leastGuests), Max: strconv.Itoa(mostGuests), missing: "Say how many people come", rule: func(s string) string {
			if n, err := strconv.Atoi(s); err != nil || n < leastGuests || n > mostGuests {
				return "We cater for " + strconv.Itoa(leastGuests) + " to " + strconv.Itoa(mostGuests) + " people"
			}
			return ""
		}},
		{Name: "date", Label: "Date", Type: "date", Min: first, missing: "Choose a date", Hint: "We need three days' notice.", rule: func(s string) string {
			switch _, err := time.Parse(isoDate, s); {
			case err != nil:
				return "Enter the date as day, month and year"
			case s < first:
				return "Choose a date at least three days ahead"
			}
			return ""
		}},
		{Name: "name", Label: "Name", Type: "text", Autocomplete: "name", missing: "Enter your name", rule: atLeast(2, "Enter your name")},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", missing: "Enter your email address", rule: emailRule},
		{Name: "wishes", Label: "Wishes and allergies", Type: "textarea", Optional: true},
	}
}
