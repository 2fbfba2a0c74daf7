package sites

import (
	"html"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"
)

var permitTasks = []Task{
	{"permit", "Apply for a resident parking permit for the car with the registration KM19 XRT", "/", "permit_applied_for",
		&Success{TextVisible: "Application received"}, ""},
	{"band", "Find out how much council tax a band C property pays a year", "/", "bands_seen",
		&Success{URLMatches: "/council-tax/bands"}, "£1,842.16"},
	{"missed_bin", "Report a missed bin collection", "/", "missed_bin_reported",
		&Success{TextVisible: "We have your report"}, ""},
	{"bin_day", "Find out on which day rubbish is collected at the postcode EM4 7TD", "/", "day_of_em47td_seen",
		nil, "Rubbish is collected every Thursday"},
	{"phone", "Find out the telephone number of the council tax team", "/", "council_tax_phone_seen",
		nil, "01632 960 482"},
}

// guide is one page of the council's guidance; its words are for the search.
type guide struct {
	Path, Title, Lead, Words string
	Body                     template.HTML
	Siblings                 []guide // the other pages of its service
	Service                  *councilService
}

// councilService is one heading of the home page.
type councilService struct {
	Slug, Title, About string
	Guides             []guide
}

// councilServices are the services and the slugs of their guidance, which lies
// in web/permit/pages. The pages that are more than text have templates.
var councilServices = []struct{ slug, title, about, pages string }{
	{"parking", "Parking and streets", "Permits, fines, potholes and street lights", "resident-permit visitor-permit business-permit blue-badge penalty-charge zones report-pothole"},
	{"bins", "Bins and recycling", "Collection days, missed bins, bulky waste", "recycling garden-waste bulky-waste new-bin tips"},
	{"council-tax", "Council tax", "Bands, paying, discounts and moving home", "pay discounts moving arrears"},
	{"housing", "Housing", "Council homes, repairs and private renting", "apply-home repairs"},
	{"planning", "Planning and building", "Applications, objections and building control", "find-application householder"},
	{"leisure", "Libraries and leisure", "Opening times, pools, parks and the museum", "libraries pool"},
}

// councilExtras are the pages with templates of their own, as the search and
// the services' lists know them.
var councilExtras = map[string][]guide{
	"bins": {
		{Path: "/bins/collection-day", Title: "Find your bin collection day", Lead: "See on which days rubbish, recycling and food waste are collected at your address.", Words: "rubbish bin day postcode when collected"},
		{Path: "/bins/missed", Title: "Report a missed bin collection", Lead: "Tell us when a bin that was out in time has not been emptied.", Words: "missed bin not emptied report"},
	},
	"council-tax": {
		{Path: "/council-tax/bands", Title: "Council tax bands and what they pay", Lead: "What each band pays in 2026 to 2027, and how bands are set.", Words: "band charges cost amount year property value a b c d e f g h"},
	},
}

type council struct {
	*chassis
	visits   *memory[application]
	now      func() time.Time
	services []*councilService
}

// loadGuide reads a fragment of guidance: its first line is the title, its
// second the lead, and the rest the text.
func loadGuide(path, slug string) guide {
	raw, err := web.ReadFile("web/permit/pages/" + slug + ".html")
	if err != nil {
		panic("sites: " + err.Error()) // the slugs are constants
	}
	title, rest, _ := strings.Cut(string(raw), "\n")
	lead, body, _ := strings.Cut(rest, "\n")
	words := html.UnescapeString(tag.ReplaceAllString(body, " "))
	return guide{Path: path, Title: title, Lead: lead, Words: words, Body: template.HTML(body)} //nolint:gosec // our own embedded page
}

func newPermit(base string, now func() time.Time) *council {
	c := &council{visits: newMemory[application](maxVisits), now: now}
	c.chassis = newChassis(Permit, base, c.visits.truth)
	c.limit = maxProof + maxBody
	c.loadServices(base)
	for _, s := range c.services {
		c.mux.HandleFunc("GET /"+s.Slug, func(w http.ResponseWriter, r *http.Request) { c.page(w, r, 200, "service", s) })
		for _, g := range s.Guides {
			if g.Body != "" {
				c.mux.HandleFunc("GET "+g.Path, func(w http.ResponseWriter, r *http.Request) {
					c.note(r, g.Path)
					c.page(w, r, 200, "guide", g)
				})
			}
		}
	}
	for path, page := range map[string]string{"/{$}": "home", "/contact": "contact", "/news": "news", "/privacy": "privacy", "/accessibility": "accessibility", "/council-tax/bands": "bands"} {
		c.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			c.note(r, path)
			c.page(w, r, 200, page, nil)
		})
	}
	c.mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query().Get("q")
		c.page(w, r, 200, "search", map[string]any{"Query": q, "Found": c.search(q)})
	})
	c.routeBins()
	c.routePermit()
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { c.page(w, r, 404, "notfound", nil) })
	return c
}

// loadServices builds the tree of services; links in the guidance are written
// for a site at the root, so they are given the base.
func (c *council) loadServices(base string) {
	for _, row := range councilServices {
		s := &councilService{Slug: row.slug, Title: row.title, About: row.about, Guides: councilExtras[row.slug]}
		for _, slug := range strings.Fields(row.pages) {
			g := loadGuide("/"+row.slug+"/"+slug, slug)
			g.Body = template.HTML(strings.ReplaceAll(string(g.Body), `href="/`, `href="`+base+`/`)) //nolint:gosec // our own embedded page
			s.Guides = append(s.Guides[:len(s.Guides):len(s.Guides)], g)
		}
		for i := range s.Guides {
			s.Guides[i].Service = s
			s.Guides[i].Siblings = s.Guides
		}
		c.services = append(c.services, s)
	}
}

// note remembers that a page which answers a question was read.
func (c *council) note(r *http.Request, path string) {
	goals := map[string][]string{
		"/council-tax/bands":   {"bands_seen"},
		"/council-tax/pay":     {"council_tax_phone_seen"},
		"/council-tax/arrears": {"council_tax_phone_seen"},
		"/contact":             {"council_tax_phone_seen"},
	}
	for _, g := range goals[path] {
		c.visits.reach(visitor(r), g)
	}
}

// page renders with the services as the chrome, which the menu and footer list.
func (c *council) page(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	c.render(w, r, status, name, c.services, data)
}

// search returns the guides that hold words of the query, those first that hold
// most: a word in the title counts three times. Words of up to two letters are
// left out unless nothing longer was asked for.
func (c *council) search(query string) []guide {
	type hit struct {
		guide
		score int
	}
	words := strings.Fields(strings.ToLower(query))
	var hits []hit
	for _, g := range c.searchable() {
		title, text := strings.ToLower(g.Title), strings.ToLower(g.Lead+" "+g.Words)
		score, asked := 0, 0
		for _, w := range words {
			if len(w) < 3 && len(words) > 1 {
				continue
			}
			asked++
			switch stem := strings.TrimSuffix(w, "s"); {
			case strings.Contains(title, stem):
				score += 3
			case strings.Contains(text, stem):
				score++
			}
		}
		if score > 0 && score >= asked {
			hits = append(hits, hit{g, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	var found []guide
	for _, h := range hits[:min(len(hits), 10)] {
		found = append(found, h.guide)
	}
	return found
}

// searchable lists all guides and the one page beside them that people look for.
func (c *council) searchable() []guide {
	all := []guide{{Path: "/contact", Title: "Contact us", Lead: "Telephone numbers of all teams, and when the Guildhall is open.", Words: "telephone number phone call team address bins recycling council tax housing parking planning"}}
	for _, s := range c.services {
		all = append(all, s.Guides...)
	}
	return all
}
