package sites

import (
	"html"
	"html/template"
	"net/http"
	"regexp"
	"strings"
)

// article is one page of the documentation; its words are for the search.
type article struct {
	Slug  string        `json:"slug"`
	Title string        `json:"title"`
	Words string        `json:"words"`
	Body  template.HTML `json:"-"`
}

// chapter is one branch of the navigation tree.
type chapter struct {
	Title    string
	Articles []article
}

type docs struct {
	*chassis
	visits   *memory[struct{}]
	chapters []chapter
}

// docsChrome is on every page of the documentation.
type docsChrome struct {
	Chapters []chapter
	Query    string
}

var tag = regexp.MustCompile(`<[^>]*>`)

// library is the tree of the documentation: a chapter and its slugs a row.
var library = []struct {
	title string
	slugs []string
}{
	{"Get started", []string{"install", "first-backup", "concepts"}},
	{"How to", []string{"schedule", "restore-files", "exclude-files", "encrypt", "free-space", "move-server", "alerts"}},
	{"Reference", []string{"configuration", "commands", "exit-codes"}},
	{"Help", []string{"troubleshooting", "faq"}},
}

// loadArticle reads a page's fragment; its title is what its <h1> says.
func loadArticle(slug string) article {
	raw, err := web.ReadFile("web/docs/pages/" + slug + ".html")
	if err != nil {
		panic("sites: " + err.Error()) // the slugs are constants
	}
	body := string(raw)
	_, rest, _ := strings.Cut(body, "<h1>")
	title, _, _ := strings.Cut(rest, "</h1>")
	words := strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(body, " "))), " ")
	return article{Slug: slug, Title: html.UnescapeString(title), Words: words, Body: template.HTML(body)} //nolint:gosec // our own embedded page
}

func newDocs(base string) *docs {
	d := &docs{visits: newMemory[struct{}](maxVisits)}
	d.chassis = newChassis(Docs, base, d.visits.truth)
	var all []article
	for _, row := range library {
		c := chapter{Title: row.title}
		for _, slug := range row.slugs {
			c.Articles = append(c.Articles, loadArticle(slug))
		}
		all = append(all, c.Articles...)
		d.chapters = append(d.chapters, c)
	}
	for i, a := range all {
		data := map[string]any{"Article": a}
		if i > 0 {
			data["Previous"] = all[i-1]
		}
		if i < len(all)-1 {
			data["Next"] = all[i+1]
		}
		d.mux.HandleFunc("GET /"+a.Slug, func(w http.ResponseWriter, r *http.Request) {
			d.visits.reach(visitor(r), "read_"+a.Slug)
			d.page(w, r, 200, "article", data)
		})
	}
	d.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { d.page(w, r, 200, "home", nil) })
	d.mux.HandleFunc("GET /search-index.json", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, all) })
	d.mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query().Get("q")
		found := searchArticles(all, q)
		if len(found) > 0 {
			d.visits.reach(visitor(r), "searched")
		}
		d.page(w, r, 200, "search", map[string]any{"Query": q, "Found": found})
	})
	d.mux.HandleFunc("POST /feedback", func(w http.ResponseWriter, r *http.Request) {
		if v := r.PostFormValue("helpful"); v != "yes" && v != "no" {
			http.Error(w, "Say yes or no.", http.StatusBadRequest)
			return
		}
		d.visits.reach(visitor(r), "feedback_sent")
		d.redirect(w, r, "/thanks")
	})
	d.mux.HandleFunc("GET /thanks", func(w http.ResponseWriter, r *http.Request) { d.page(w, r, 200, "thanks", nil) })
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { d.page(w, r, 404, "notfound", nil) })
	return d
}

func (d *docs) page(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	d.render(w, r, status, name, docsChrome{d.chapters, r.URL.Query().Get("q")}, data)
}

// Excerpt is the beginning of the article's text after its title.
func (a article) Excerpt() string {
	s := strings.TrimSpace(strings.TrimPrefix(a.Words, a.Title))
	if len(s) < 160 {
		return s
	}
	return s[:strings.LastIndex(s[:160], " ")] + " …"
}

// searchArticles returns the articles that hold every word of the query,
// those with a word of it in their title first. site.js does the same.
func searchArticles(all []article, query string) []article {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	var titled, other []article
	for _, a := range all {
		text, title, hits, inTitle := strings.ToLower(a.Words), strings.ToLower(a.Title), 0, false
		for _, w := range words {
			if strings.Contains(text, w) {
				hits++
			}
			inTitle = inTitle || strings.Contains(title, w)
		}
		switch {
		case hits < len(words):
		case inTitle:
			titled = append(titled, a)
		default:
			other = append(other, a)
		}
	}
	return append(titled, other...)
}
