package sites

import (
	"net/http"
	"strconv"
)

// maxQuantity is how many of one product fit into a basket.
const maxQuantity = 12

// basket is what a visit has chosen, in the order of choosing, and the number
// of its last order.
type basket struct {
	lines []line
	order string
}

type line struct {
	product  product
	quantity int
}

func (b basket) count() (n int) {
	for _, l := range b.lines {
		n += l.quantity
	}
	return n
}

// set changes a line's quantity; 0 removes it, unknown products become lines.
func (b *basket) set(p product, quantity int) {
	quantity = min(quantity, maxQuantity)
	for i, l := range b.lines {
		if l.product.Slug == p.Slug {
			if quantity <= 0 {
				b.lines = append(b.lines[:i], b.lines[i+1:]...)
			} else {
				b.lines[i].quantity = quantity
			}
			return
		}
	}
	if quantity > 0 {
		b.lines = append(b.lines, line{p, quantity})
	}
}

func (b basket) quantity(slug string) int {
	for _, l := range b.lines {
		if l.product.Slug == slug {
			return l.quantity
		}
	}
	return 0
}

type shop struct {
	*chassis
	visits *memory[basket]
}

// shopChrome is on every page of the shop.
type shopChrome struct {
	Categories []category
	Count      int
	Query      string
}

func newShop(base string) *shop {
	s := &shop{visits: newMemory[basket](maxVisits)}
	s.chassis = newChassis(Shop, base, s.visits.truth)
	s.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		s.page(w, r, 200, "home", map[string]any{"Best": []product{products[0], products[3], products[8], products[6]}, "Hero": products[9]})
	})
	s.mux.HandleFunc("GET /c/{slug}", s.category)
	s.mux.HandleFunc("GET /p/{slug}", s.product)
	s.mux.HandleFunc("GET /search", s.search)
	s.mux.HandleFunc("GET /basket", s.basket)
	s.mux.HandleFunc("POST /basket/add", s.add)
	s.mux.HandleFunc("POST /basket/update", s.update)
	s.mux.HandleFunc("GET /checkout", s.checkout)
	s.mux.HandleFunc("POST /checkout", s.order)
	s.mux.HandleFunc("GET /checkout/done", s.done)
	s.mux.HandleFunc("GET /contact", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, 200, "contact", contactForm()) })
	s.mux.HandleFunc("POST /contact", s.contact)
	s.mux.HandleFunc("GET /contact/sent", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, 200, "sent", nil) })
	s.mux.HandleFunc("GET /about", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, 200, "about", nil) })
	s.mux.HandleFunc("GET /returns", func(w http.ResponseWriter, r *http.Request) {
		s.visits.reach(visitor(r), "returns_read")
		s.page(w, r, 200, "returns", nil)
	})
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, 404, "notfound", nil) })
	return s
}

func (s *shop) page(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	c := shopChrome{Categories: categories, Query: r.URL.Query().Get("q")}
	s.visits.look(visitor(r), func(v *visit[basket]) { c.Count = v.data.count() })
	s.render(w, r, status, name, c, data)
}

func (s *shop) category(w http.ResponseWriter, r *http.Request) {
	for _, c := range categories {
		if c.Slug == r.PathValue("slug") {
			s.page(w, r, 200, "category", map[string]any{"Category": c, "Products": productsIn(c.Slug)})
			return
		}
	}
	s.page(w, r, 404, "notfound", nil)
}

func (s *shop) product(w http.ResponseWriter, r *http.Request) {
	p, ok := productBySlug(r.PathValue("slug"))
	if !ok {
		s.page(w, r, 404, "notfound", nil)
		return
	}
	var related []product
	for _, q := range append(productsIn(p.Category), products...) {
		if q.Slug != p.Slug && len(related) < 3 && (len(related) == 0 || related[len(related)-1].Slug != q.Slug) {
			related = append(related, q)
		}
	}
	var cat category
	for _, c := range categories {
		if c.Slug == p.Category {
			cat = c
		}
	}
	s.page(w, r, 200, "product", map[string]any{"Product": p, "Category": cat, "Related": related})
}

func (s *shop) search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query().Get("q")
	found := findProducts(q)
	if len(found) > 0 {
		s.visits.reach(visitor(r), "searched")
	}
	s.page(w, r, 200, "search", map[string]any{"Query": q, "Products": found})
}

func (s *shop) add(w http.ResponseWriter, r *http.Request) {
	p, ok := productBySlug(r.PostFormValue("product"))
	n, err := strconv.Atoi(r.PostFormValue("quantity"))
	if !ok || p.SoldOut || err != nil || n < 1 {
		http.Error(w, "This piece cannot be added to the basket.", http.StatusBadRequest)
		return
	}
	s.visits.change(visitor(r), func(v *visit[basket]) {
		v.data.set(p, min(n, maxQuantity)+v.data.quantity(p.Slug))
		v.reach("item_in_basket")
		if p.Category == "vases" {
			v.reach("vase_in_basket")
		}
	})
	s.redirect(w, r, "/basket?added="+p.Slug)
}

func (s *shop) update(w http.ResponseWriter, r *http.Request) {
	p, ok := productBySlug(r.PostFormValue("product"))
	n, err := strconv.Atoi(r.PostFormValue("quantity"))
	if !ok || err != nil {
		http.Error(w, "This basket line is not known.", http.StatusBadRequest)
		return
	}
	s.visits.change(visitor(r), func(v *visit[basket]) { v.data.set(p, n) })
	s.redirect(w, r, "/basket")
}
