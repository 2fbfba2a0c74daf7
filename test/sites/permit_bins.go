package sites

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// missedDays is for how many days a missed collection can be reported.
const missedDays = 14

// eastmere matches the borough's own postcodes: the digit of the district and
// the digit of the sector decide the round.
var eastmere = regexp.MustCompile(`^EM([1-6])([0-9])[A-Z]{2}$`)

// rounds are the days on which rubbish is collected; recycling and garden waste
// follow one and two working days later.
var rounds = [...]time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}

// collection is one bin's row of an address's calendar.
type collection struct{ Bin, Colour, Day, Next, Note string }

// collections answers for a postcode without spaces, in capitals.
func collections(code string, today time.Time) ([]collection, bool) {
	m := eastmere.FindStringSubmatch(code)
	if m == nil {
		return nil, false
	}
	at := int(m[1][0]-'0')*4 + int(m[2][0]-'0') // any fixed spread of sectors over the week
	day := func(later int) time.Weekday { return rounds[(at+later)%len(rounds)] }
	next := func(d time.Weekday, week int) string {
		ahead := (int(d)-int(today.Weekday())+7)%7 + 7*week
		return today.AddDate(0, 0, ahead).Format("Monday 2 January")
	}
	rubbish, recycling, garden := day(0), day(1), day(2)
	return []collection{
		{"Rubbish", "Grey bin", "Every " + rubbish.String(), next(rubbish, 0), "Sacks beside the bin are not taken."},
		{"Food waste", "Brown caddy", "Every " + rubbish.String(), next(rubbish, 0), "Goes out with the grey bin."},
		{"Recycling", "Blue bin", "Every second " + recycling.String(), next(recycling, 1), "Paper, card, tins and plastic bottles."},
		{"Garden waste", "Green bin", "Every second " + garden.String(), next(garden, 0), "For subscribers, March to November."},
	}, true
}

func (c *council) routeBins() {
	c.mux.HandleFunc("GET /bins/collection-day", c.collectionDay)
	c.mux.HandleFunc("GET /bins/missed", func(w http.ResponseWriter, r *http.Request) { c.page(w, r, 200, "missed", c.missedForm()) })
	c.mux.HandleFunc("POST /bins/missed", c.missed)
	c.mux.HandleFunc("GET /bins/missed/sent", func(w http.ResponseWriter, r *http.Request) {
		c.page(w, r, 200, "missed-sent", "MB-"+strings.ToUpper(visitor(r)[:6]))
	})
}

func (c *council) collectionDay(w http.ResponseWriter, r *http.Request) {
	f := form{{Name: "postcode", Label: "Postcode", Type: "text", Autocomplete: "postal-code", Hint: "For example EM1 4QB", missing: "Enter your postcode"}}
	data := map[string]any{"Field": f[0], "Form": f}
	if !r.URL.Query().Has("postcode") {
		c.page(w, r, 200, "collection-day", data)
		return
	}
	f[0].Value = strings.TrimSpace(r.URL.Query().Get("postcode"))
	code := strings.ToUpper(strings.ReplaceAll(f[0].Value, " ", ""))
	found, ok := collections(code, c.now())
	switch {
	case f[0].Value == "":
		f[0].Error = f[0].missing
	case !ok:
		f[0].Error = "This is not a postcode of the borough. Ours begin with EM, such as EM1 4QB"
	default:
		c.visits.reach(visitor(r), "day_of_"+strings.ToLower(code)+"_seen")
		data["Postcode"], data["Found"] = code[:3]+" "+code[3:], found
		data["Rubbish"] = "every " + strings.TrimPrefix(found[0].Day, "Every ") + ", next on " + found[0].Next
	}
	status := http.StatusOK
	if f[0].Error != "" {
		status = http.StatusUnprocessableEntity
	}
	c.page(w, r, status, "collection-day", data)
}

func (c *council) missedForm() form {
	first, today := c.now().AddDate(0, 0, -missedDays), c.now()
	return form{
		{Name: "bin", Label: "Which bin was missed?", Type: "select", missing: "Choose the bin that was missed", Options: []option{
			{"rubbish", "Rubbish (grey bin)", ""}, {"recycling", "Recycling (blue bin)", ""}, {"food", "Food waste (brown caddy)", ""}, {"garden", "Garden waste (green bin)", ""},
		}},
		{Name: "date", Label: "Day on which it should have been emptied", Type: "date", Min: first.Format(isoDate), Max: today.Format(isoDate), missing: "Enter the day of the collection",
			Hint: "Between " + first.Format("2 January") + " and today.", rule: func(s string) string {
				if _, err := time.Parse(isoDate, s); err != nil {
					return "Enter the day of the collection as day, month and year"
				}
				if s < first.Format(isoDate) || s > today.Format(isoDate) {
					return "Enter a day between " + first.Format("2 January") + " and today"
				}
				return ""
			}},
		{Name: "street", Label: "House number and street", Type: "text", Autocomplete: "address-line1", missing: "Enter your house number and street", rule: atLeast(4, "Enter your house number and street")},
		{Name: "postcode", Label: "Postcode", Type: "text", Autocomplete: "postal-code", missing: "Enter your postcode", rule: postcodeRule},
		{Name: "where", Label: "Where was the bin?", Type: "radio", missing: "Say where the bin was", Options: []option{
			{"kerb", "At the kerb in front of the house", ""}, {"alley", "In an alley or behind the house", ""}, {"shared", "In a bin store shared with neighbours", ""},
		}},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", Optional: true, Hint: "If you would like to know when we have been.", rule: emailRule},
	}
}

func (c *council) missed(w http.ResponseWriter, r *http.Request) {
	f := c.missedForm()
	if !f.read(r) {
		c.page(w, r, http.StatusUnprocessableEntity, "missed", f)
		return
	}
	c.visits.reach(visitor(r), "missed_bin_reported")
	c.redirect(w, r, "/bins/missed/sent")
}
