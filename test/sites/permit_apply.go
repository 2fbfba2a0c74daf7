package sites

import (
	"maps"
	"net/http"
	"strings"
	"time"
)

// application is what a visit has answered so far, by field name.
type application struct {
	answers   map[string]string
	reference string // of the application that was sent
}

// stage is one page of the application, up to the check of the answers.
type stage struct {
	Number            int
	Path, Title, Lead string
	fields            func(*council) form
}

var stages = []stage{
	{1, "/parking/apply/eligibility", "Can you have a resident permit?", "One question first, so that you do not fill in a form for nothing.", (*council).eligibilityForm},
	{2, "/parking/apply/about-you", "About you", "The permit is made out in your name.", (*council).aboutForm},
	{3, "/parking/apply/address", "Your address", "The address in Eastmere at which you live and park.", (*council).addressForm},
	{4, "/parking/apply/vehicle", "Your vehicle", "Cars, vans up to 3.5 tonnes and motorcycles can have a permit.", (*council).vehicleForm},
	{5, "/parking/apply/proof", "Proof of your address", "A council tax bill, a tenancy agreement or a bank statement that is not older than three months.", (*council).proofForm},
}

func (c *council) routePermit() {
	c.mux.HandleFunc("GET /parking/apply", func(w http.ResponseWriter, r *http.Request) { c.redirect(w, r, stages[0].Path) })
	for _, s := range stages {
		c.mux.HandleFunc("GET "+s.Path, func(w http.ResponseWriter, r *http.Request) { c.showStage(w, r, s) })
		c.mux.HandleFunc("POST "+s.Path, func(w http.ResponseWriter, r *http.Request) { c.takeStage(w, r, s) })
	}
	c.mux.HandleFunc("GET /parking/apply/not-eligible", func(w http.ResponseWriter, r *http.Request) { c.page(w, r, 200, "not-eligible", nil) })
	c.mux.HandleFunc("GET /parking/apply/check", c.check)
	c.mux.HandleFunc("POST /parking/apply/check", c.apply)
	c.mux.HandleFunc("GET /parking/apply/done", c.applied)
}

func (c *council) answersOf(r *http.Request) (answers map[string]string, reference string) {
	c.visits.look(visitor(r), func(v *visit[application]) {
		answers, reference = maps.Clone(v.data.answers), v.data.reference
	})
	if answers == nil {
		answers = map[string]string{}
	}
	return answers, reference
}

// unanswered returns the first stage before number n that is not complete, so
// that nobody can skip one by its address.
func (c *council) unanswered(n int, answers map[string]string) (stage, bool) {
	for _, s := range stages {
		if s.Number >= n {
			break
		}
		for _, x := range s.fields(c) {
			if answers[x.Name] == "" && !x.Optional {
				return s, true
			}
		}
	}
	return stage{}, false
}

func (c *council) showStage(w http.ResponseWriter, r *http.Request, s stage) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.unanswered(s.Number, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	c.stagePage(w, r, 200, s, s.fields(c).fill(answers))
}

func (c *council) stagePage(w http.ResponseWriter, r *http.Request, status int, s stage, f form) {
	data := map[string]any{"Stage": s, "Of": len(stages) + 1, "Form": f, "Back": "/parking/resident-permit"}
	if s.Number > 1 {
		data["Back"] = stages[s.Number-2].Path
	}
	c.page(w, r, status, "stage", data)
}

func (c *council) takeStage(w http.ResponseWriter, r *http.Request, s stage) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.unanswered(s.Number, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	f := s.fields(c)
	gather(r, f, answers)
	if !f.read(r) {
		c.stagePage(w, r, http.StatusUnprocessableEntity, s, f)
		return
	}
	if s.Number == 1 && f.Get("resident").Value != "yes" {
		c.redirect(w, r, "/parking/apply/not-eligible")
		return
	}
	c.visits.change(visitor(r), func(v *visit[application]) {
		if v.data.answers == nil {
			v.data.answers = map[string]string{}
		}
		for _, x := range f {
			v.data.answers[x.Name] = x.Value
			answers[x.Name] = x.Value
		}
	})
	// Who came back to change an answer goes on to the check again.
	if open, missing := c.unanswered(len(stages)+1, answers); missing {
		c.redirect(w, r, open.Path)
		return
	}
	c.redirect(w, r, "/parking/apply/check")
}

// checked is one row of the answers to be checked.
type checked struct{ Label, Value, Path string }

func (c *council) checkPage(w http.ResponseWriter, r *http.Request, status int, answers map[string]string, f form) {
	var rows []checked
	for _, s := range stages[1:] {
		for _, x := range s.fields(c) {
			x.Value = answers[x.Name]
			row := checked{x.Label, x.Value, s.Path}
			if o := x.Choice(); o.Value != "" {
				row.Value = strings.TrimSpace(o.Label)
			}
			if d, err := time.Parse("2/1/2006", x.Value); x.Type == "parts" && err == nil {
				row.Value = d.Format("2 January 2006")
			}
			if row.Value == "" {
				row.Value = "Not given"
			}
			rows = append(rows, row)
		}
	}
	c.page(w, r, status, "check", map[string]any{"Rows": rows, "Form": f, "Of": len(stages) + 1, "Price": permitPrices[answers["length"]]})
}

func (c *council) check(w http.ResponseWriter, r *http.Request) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.unanswered(len(stages)+1, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	c.checkPage(w, r, 200, answers, declarationForm())
}

func (c *council) apply(w http.ResponseWriter, r *http.Request) {
	answers, _ := c.answersOf(r)
	if earlier, missing := c.unanswered(len(stages)+1, answers); missing {
		c.redirect(w, r, earlier.Path)
		return
	}
	f := declarationForm()
	if !f.read(r) {
		c.checkPage(w, r, http.StatusUnprocessableEntity, answers, f)
		return
	}
	id := visitor(r)
	c.visits.change(id, func(v *visit[application]) {
		v.data.reference = "RP-" + strings.ToUpper(id[:6])
		v.reach("permit_applied_for")
	})
	c.redirect(w, r, "/parking/apply/done")
}

func (c *council) applied(w http.ResponseWriter, r *http.Request) {
	answers, reference := c.answersOf(r)
	if reference == "" {
		c.redirect(w, r, "/parking/apply")
		return
	}
	c.page(w, r, 200, "applied", map[string]any{"Reference": reference, "Email": answers["email"], "Registration": strings.ToUpper(answers["registration"])})
}
