package sites

import (
	"maps"
	"net/http"
	"strings"
	"time"
)

// answersOf copies what a visit has chosen so far.
func (c *clinic) answersOf(r *http.Request) (answers map[string]string, reference string) {
	c.visits.look(visitor(r), func(v *visit[booking]) {
		answers, reference = maps.Clone(v.data.answers), v.data.reference
	})
	if answers == nil {
		answers = map[string]string{}
	}
	return answers, reference
}

// missingBefore returns the first step before number n that has no complete
// answer yet, so that nobody can skip one by its address.
func (c *clinic) missingBefore(n int, answers map[string]string) (step, bool) {
	for _, s := range steps {
		if s.Number >= n {
			break
		}
		for _, x := range s.fields(c, answers) {
			if answers[x.Name] == "" && !x.Optional {
				return s, true
			}
		}
	}
	return step{}, false
}

func (c *clinic) show(w http.ResponseWriter, r *http.Request, s step) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.missingBefore(s.Number, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	f := s.fields(c, answers)
	for _, x := range f {
		x.Value = answers[x.Name]
	}
	if s.Number == 1 && answers["service"] == "" {
		f[0].Value = r.URL.Query().Get("service")
	}
	c.step(w, r, 200, s, f)
}

func (c *clinic) step(w http.ResponseWriter, r *http.Request, status int, s step, f form) {
	data := map[string]any{"Number": s.Number, "Step": s, "Steps": steps, "Form": f}
	if s.Number > 1 {
		data["Back"] = steps[s.Number-2].Path
	}
	c.page(w, r, status, "step", data)
}

func (c *clinic) take(w http.ResponseWriter, r *http.Request, s step) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.missingBefore(s.Number, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	f := s.fields(c, answers)
	if !f.read(r) {
		c.step(w, r, http.StatusUnprocessableEntity, s, f)
		return
	}
	c.visits.change(visitor(r), func(v *visit[booking]) {
		if v.data.answers == nil {
			v.data.answers = map[string]string{}
		}
		if s.Number == 1 && v.data.answers["service"] != f[0].Value {
			delete(v.data.answers, "clinician") // who may not offer the new service
		}
		for _, x := range f {
			v.data.answers[x.Name] = x.Value
		}
	})
	if s.Number < len(steps) {
		c.redirect(w, r, steps[s.Number].Path)
		return
	}
	c.redirect(w, r, "/book/review")
}

// summary is a booking in the words of the pages.
type summary struct{ Service, Clinician, When, Name, Phone, Email, Price, Reference string }

func (c *clinic) summarize(a map[string]string, reference string) summary {
	s := summary{Clinician: "First available", Name: a["name"], Phone: a["phone"], Email: a["email"], Reference: reference}
	for _, x := range services {
		if x.ID == a["service"] {
			s.Service, s.Price = x.Name, x.Price
		}
	}
	for _, x := range clinicians {
		if x.ID == a["clinician"] {
			s.Clinician = x.Name
		}
	}
	if d, err := time.Parse(isoDate, a["date"]); err == nil {
		s.When = d.Format("Monday 2 January 2006") + " at " + a["time"]
	}
	return s
}

func (c *clinic) review(w http.ResponseWriter, r *http.Request) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.missingBefore(len(steps)+1, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	c.page(w, r, 200, "review", map[string]any{"Number": len(steps) + 1, "Steps": steps, "Summary": c.summarize(answers, "")})
}

func (c *clinic) confirm(w http.ResponseWriter, r *http.Request) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.missingBefore(len(steps)+1, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	id := visitor(r)
	c.visits.change(id, func(v *visit[booking]) {
		v.data.reference = "LC-" + strings.ToUpper(id[:6])
		if v.data.answers["service"] == "physio" {
			v.reach("physiotherapy_booked") // that is what people are sent for
		}
	})
	c.redirect(w, r, "/book/done")
}

func (c *clinic) done(w http.ResponseWriter, r *http.Request) {
	answers, reference := c.answersOf(r)
	if reference == "" {
		c.redirect(w, r, "/book")
		return
	}
	c.page(w, r, 200, "done", c.summarize(answers, reference))
}

func (c *clinic) cancel(w http.ResponseWriter, r *http.Request) {
	_, reference := c.answersOf(r)
	if reference == "" {
		c.redirect(w, r, "/book")
		return
	}
	c.visits.change(visitor(r), func(v *visit[booking]) {
		v.data = booking{}
		v.reach("appointment_cancelled")
	})
	c.redirect(w, r, "/book/cancelled")
}
