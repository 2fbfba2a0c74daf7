package sites

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

var appTasks = []Task{
	{"preorder", "Pre-order a Seeded Sourdough for tomorrow morning", "/", "sourdough_for_tomorrow_morning",
		&Success{TextVisible: "Your order is placed"}, ""},
	{"nuts", "Find out whether the Honey Oat Loaf contains nuts", "/", "honey_oat_loaf_seen",
		nil, "Contains wheat, oats, milk and hazelnuts"},
	{"notifications", "Turn off the notifications about offers", "/", "offers_off",
		&Success{TextVisible: "Offers and discounts turned off"}, ""},
	{"hours", "Find out at what time the Mill Lane shop opens on Sunday", "/", "mill_lane_seen",
		nil, "8.30 am to 1 pm"},
	{"favourite", "Save the Cardamom Bun as a favourite", "/", "bun_saved",
		&Success{TextVisible: "Saved to your favourites"}, ""},
}

// eater is what a visit has done in the app. Copies share its maps and lists,
// which are therefore replaced and, but for the lines, never changed in place.
type eater struct {
	lines   []bakeLine
	saved   []string          // slugs, latest last
	off     map[string]bool   // ids of notices that are turned off
	pickup  map[string]string // shop, day and time by field name
	contact map[string]string // name, phone, … by field name
	receipt bakeReceipt
}

// bakeLine is some of one bake in the order.
type bakeLine struct {
	bake
	Quantity int
}

// Sum is what the line costs.
func (l bakeLine) Sum() string { return pounds(l.Pence * l.Quantity) }

type loaf struct {
	*chassis
	visits *memory[eater]
	now    func() time.Time
}

// loafChrome is on every page of the app.
type loafChrome struct {
	Count      int
	Categories []bakeCategory
}

func newApp(base string, now func() time.Time) *loaf {
	l := &loaf{visits: newMemory[eater](maxVisits), now: now}
	l.chassis = newChassis(App, base, l.visits.truth)
	for path, page := range map[string]string{"/help": "help", "/about": "about", "/you": "you"} {
		l.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { l.page(w, r, 200, page, nil) })
	}
	l.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		fresh := []bake{bakes[5], bakes[0], bakes[9], bakes[13]}
		l.page(w, r, 200, "home", map[string]any{"Fresh": fresh, "Tomorrow": l.now().AddDate(0, 0, 1).Format("Monday")})
	})
	l.mux.HandleFunc("GET /menu", l.menu)
	l.mux.HandleFunc("GET /item/{slug}", l.item)
	l.mux.HandleFunc("GET /saved", l.favourites)
	l.mux.HandleFunc("POST /saved", l.save)
	l.mux.HandleFunc("GET /shops", func(w http.ResponseWriter, r *http.Request) { l.page(w, r, 200, "shops", branches) })
	l.mux.HandleFunc("GET /shops/{slug}", l.shop)
	l.mux.HandleFunc("GET /api/shops/{slug}", l.shopData)
	l.routeOrder()
	l.routeYou()
	l.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { l.page(w, r, 404, "notfound", nil) })
	return l
}

func (l *loaf) eater(r *http.Request) (e eater) {
	l.visits.look(visitor(r), func(v *visit[eater]) {
		e = v.data
		e.lines = slices.Clone(e.lines) // quantities change in place
	})
	return e
}

func (l *loaf) page(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	chrome := loafChrome{Categories: bakeCategories}
	for _, line := range l.eater(r).lines {
		chrome.Count += line.Quantity
	}
	l.render(w, r, status, name, chrome, data)
}

func (l *loaf) menu(w http.ResponseWriter, r *http.Request) {
	slug, wanted := r.URL.Query().Get("c"), r.URL.Query()["diet"]
	name := "Everything we bake"
	for _, c := range bakeCategories {
		if c.Slug == slug {
			name = c.Name
		}
	}
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	found := searchMenu(menuOf(slug, wanted), query)
	if query != "" {
		name = "“" + query + "”"
	}
	type choice struct {
		option
		On bool
	}
	var choices []choice
	for _, d := range diets {
		choices = append(choices, choice{d, slices.Contains(wanted, d.Value)})
	}
	l.page(w, r, 200, "menu", map[string]any{"Slug": slug, "Name": name, "Diets": choices, "Wanted": wanted, "Bakes": found, "Query": query})
}

func (l *loaf) item(w http.ResponseWriter, r *http.Request) {
	b, ok := bakeBySlug(r.PathValue("slug"))
	if !ok {
		l.page(w, r, 404, "notfound", nil)
		return
	}
	if b.Slug == "honey-oat-loaf" {
		l.visits.reach(visitor(r), "honey_oat_loaf_seen")
	}
	var related []bake
	for _, o := range menuOf(b.Category, nil) {
		if o.Slug != b.Slug && len(related) < 3 {
			related = append(related, o)
		}
	}
	q := r.URL.Query()
	l.page(w, r, 200, "item", map[string]any{"Bake": b, "Saved": slices.Contains(l.eater(r).saved, b.Slug), "Said": q.Get("said"), "Related": related})
}

func (l *loaf) favourites(w http.ResponseWriter, r *http.Request) {
	var list []bake
	for _, slug := range slices.Backward(l.eater(r).saved) {
		b, _ := bakeBySlug(slug) // only known ones are saved
		list = append(list, b)
	}
	l.page(w, r, 200, "saved", list)
}

// save turns the heart of an item on or off.
func (l *loaf) save(w http.ResponseWriter, r *http.Request) {
	b, ok := bakeBySlug(r.PostFormValue("item"))
	if !ok {
		http.Error(w, "We do not know this item.", http.StatusBadRequest)
		return
	}
	said := "saved"
	l.visits.change(visitor(r), func(v *visit[eater]) {
		if i := slices.Index(v.data.saved, b.Slug); i >= 0 {
			v.data.saved = slices.Concat(v.data.saved[:i], v.data.saved[i+1:])
			said = "unsaved"
			return
		}
		v.data.saved = append(slices.Clone(v.data.saved), b.Slug)
		if b.Slug == "cardamom-bun" {
			v.reach("bun_saved")
		}
	})
	l.redirect(w, r, "/item/"+b.Slug+"?said="+said)
}

// shop is the shell of a shop's page: its script asks for the data.
func (l *loaf) shop(w http.ResponseWriter, r *http.Request) {
	if i := branchIndex(r); i >= 0 {
		l.page(w, r, 200, "shop", branches[i])
		return
	}
	l.page(w, r, 404, "notfound", nil)
}

func (l *loaf) shopData(w http.ResponseWriter, r *http.Request) {
	i := branchIndex(r)
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	if branches[i].Slug == "mill-lane" {
		l.visits.reach(visitor(r), "mill_lane_seen")
	}
	writeJSON(w, branches[i])
}

func branchIndex(r *http.Request) int {
	return slices.IndexFunc(branches, func(b branch) bool { return b.Slug == r.PathValue("slug") })
}

// with returns a copy of a map in which the fields of a form are set.
func with(m map[string]string, f form) map[string]string {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]string{}
	}
	for _, x := range f {
		out[x.Name] = x.Value
	}
	return out
}

// fill shows in a form what was answered before.
func (f form) fill(m map[string]string) form {
	for _, x := range f {
		if v, ok := m[x.Name]; ok {
			x.Value = v
		}
	}
	return f
}
