package sites

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// bookingDays is how far ahead the clinic takes appointments.
const bookingDays = 60

// isoDate is how a date input sends its value.
const isoDate = "2006-01-02"

type service struct{ ID, Name, Price, Length, About string }

var services = []service{
	{"gp", "General practice", "£65", "20 minutes", "A doctor who listens, for anything new or nagging."},
	{"physio", "Physiotherapy", "£48", "40 minutes", "Backs, knees, shoulders, and getting running again."},
	{"dental", "Dental check-up", "£42", "30 minutes", "Examination, X-ray where needed, and a plain-spoken plan."},
	{"skin", "Skin check", "£80", "30 minutes", "Moles and rashes, looked at under a dermatoscope."},
	{"travel", "Travel vaccinations", "£30", "20 minutes", "Advice and injections for where you are going."},
}

// clinician is somebody to book with; Services are ids.
type clinician struct{ ID, Name, Role, Services string }

var clinicians = []clinician{
	{"okafor", "Dr Ada Okafor", "General practitioner", "gp skin travel"},
	{"lindqvist", "Dr Per Lindqvist", "General practitioner", "gp travel"},
	{"marsh", "Hannah Marsh", "Physiotherapist", "physio"},
	{"devlin", "Rory Devlin", "Physiotherapist", "physio"},
	{"bianchi", "Dr Sofia Bianchi", "Dentist", "dental"},
	{"rahman", "Dr Imran Rahman", "Dermatologist", "skin"},
}

// booking is what a visit has chosen so far: the answers by field name.
type booking struct {
	answers   map[string]string
	reference string // of the confirmed appointment
}

type clinic struct {
	*chassis
	visits *memory[booking]
	now    func() time.Time
}

// step is one page of the booking, from the choice of service to the review.
type step struct {
	Number            int
	Path, Title, Lead string
	fields            func(*clinic, map[string]string) form
}

var steps = []step{
	{1, "/book/service", "What do you need?", "Prices are for one visit. Nothing is paid online.", (*clinic).serviceForm},
	{2, "/book/clinician", "Who would you like to see?", "If you have no preference, we find the first free appointment.", (*clinic).clinicianForm},
	{3, "/book/time", "When suits you?", "We are open Monday to Saturday, and book up to 60 days ahead.", (*clinic).timeForm},
	{4, "/book/details", "Who is the appointment for?", "Only the clinic sees these details.", (*clinic).detailsForm},
}

func newClinic(base string, now func() time.Time) *clinic {
	c := &clinic{visits: newMemory[booking](maxVisits), now: now}
	c.chassis = newChassis(Clinic, base, c.visits.truth)
	for path, page := range map[string]string{"/{$}": "home", "/team": "team", "/services": "services", "/visit": "visit"} {
		goal := map[string]string{"services": "prices_seen", "visit": "hours_seen"}[page]
		c.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if goal != "" {
				c.visits.reach(visitor(r), goal)
			}
			c.page(w, r, 200, page, map[string]any{"Services": services, "Team": clinicians})
		})
	}
	c.mux.HandleFunc("GET /book", func(w http.ResponseWriter, r *http.Request) { c.redirect(w, r, steps[0].Path) })
	for _, s := range steps {
		c.mux.HandleFunc("GET "+s.Path, func(w http.ResponseWriter, r *http.Request) { c.show(w, r, s) })
		c.mux.HandleFunc("POST "+s.Path, func(w http.ResponseWriter, r *http.Request) { c.take(w, r, s) })
	}
	c.mux.HandleFunc("GET /book/review", c.review)
	c.mux.HandleFunc("POST /book/review", c.confirm)
	c.mux.HandleFunc("GET /book/done", c.done)
	c.mux.HandleFunc("POST /book/cancel", c.cancel)
	c.mux.HandleFunc("GET /book/cancelled", func(w http.ResponseWriter, r *http.Request) { c.page(w, r, 200, "cancelled", nil) })
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { c.page(w, r, 404, "notfound", nil) })
	return c
}

func (c *clinic) page(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	c.render(w, r, status, name, nil, data)
}

func (c *clinic) serviceForm(map[string]string) form {
	f := form{{Name: "service", Label: "Choose a service", Type: "radio", missing: "Choose a service"}}
	for _, s := range services {
		f[0].Options = append(f[0].Options, option{s.ID, s.Name, s.Price + ", " + s.Length})
	}
	return f
}

func (c *clinic) clinicianForm(a map[string]string) form {
	f := form{
		{Name: "clinician", Label: "Clinician", Type: "select", missing: "Choose a clinician, or no preference", Options: []option{{"any", "No preference, first available", ""}}},
		{Name: "visit", Label: "Have you been here before?", Type: "radio", missing: "Say whether you have been here before", Options: []option{{"first", "No, this is my first visit", ""}, {"return", "Yes, I am a patient already", ""}}},
	}
	for _, p := range clinicians {
		if strings.Contains(p.Services, a["service"]) {
			f[0].Options = append(f[0].Options, option{p.ID, p.Name + ", " + p.Role, ""})
		}
	}
	return f
}

func (c *clinic) timeForm(map[string]string) form {
	first, last := c.now().AddDate(0, 0, 1), c.now().AddDate(0, 0, bookingDays)
	for first.Weekday() == time.Sunday {
		first = first.AddDate(0, 0, 1)
	}
	f := form{
		{Name: "date", Label: "Date", Type: "date", Hint: "The next free day is " + first.Format("Monday 2 January") + ".", Min: first.Format(isoDate), Max: last.Format(isoDate), missing: "Choose a date"},
		{Name: "time", Label: "Time", Type: "radio", missing: "Choose a time"},
	}
	f[0].rule = func(s string) string {
		d, err := time.Parse(isoDate, s)
		switch {
		case err != nil:
			return "Enter the date as day, month and year"
		case s < f[0].Min:
			return "Choose a date from " + first.Format("2 January") + " on"
		case s > f[0].Max:
			return "Choose a date within the next " + strconv.Itoa(bookingDays) + " days"
		case d.Weekday() == time.Sunday:
			return "We are closed on Sundays. Choose another day"
		}
		return ""
	}
	for _, t := range []string{"09:00", "10:20", "11:40", "14:00", "15:20", "16:40"} {
		f[1].Options = append(f[1].Options, option{t, t, ""})
	}
	return f
}

func (c *clinic) detailsForm(map[string]string) form {
	today := c.now().Format(isoDate)
	return form{
		{Name: "name", Label: "Full name", Type: "text", Autocomplete: "name", missing: "Enter the patient's full name", rule: atLeast(2, "Enter the patient's full name")},
		{Name: "born", Label: "Date of birth", Type: "date", Autocomplete: "bday", Min: "1900-01-01", Max: today, missing: "Enter the date of birth", rule: func(s string) string {
			if _, err := time.Parse(isoDate, s); err != nil || s > today || s < "1900-01-01" {
				return "Enter a date of birth in the past"
			}
			return ""
		}},
		{Name: "phone", Label: "Telephone", Type: "tel", Autocomplete: "tel", Hint: "In case we have to move the appointment.", missing: "Enter a telephone number", rule: phoneRule},
		{Name: "email", Label: "Email address", Type: "email", Autocomplete: "email", missing: "Enter an email address", rule: emailRule},
		{Name: "notes", Label: "Anything we should know", Type: "textarea", Optional: true},
		{Name: "consent", Label: "I agree that the clinic keeps these details for my appointment", Type: "checkbox", missing: "Agree that we keep these details"},
	}
}
