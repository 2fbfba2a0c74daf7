package sites

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

var newsTasks = []Task{
	{"pool", "Find out when the swimming pool reopens", "/", "read_swimming-pool",
		&Success{TextVisible: "Saturday 6 June"}, "Saturday 6 June"},
	{"weekly", "Subscribe to the weekly newsletter", "/", "subscribed_weekly",
		&Success{TextVisible: "You are subscribed to the weekly newsletter"}, ""},
	{"letter", "Send a letter to the editor about the bus timetable", "/", "letter_sent",
		&Success{TextVisible: "Thank you for your letter"}, ""},
	{"hours", "Find out when the recycling centre is open on Sunday", "/", "hours_seen",
		nil, "10.15 to 13.45"},
	{"fare", "Find out what a child pays for the ferry to Gannet Island", "/", "read_ferry_2",
		nil, "£4.20"},
}

// reader is what a visit has told the newspaper.
type reader struct {
	// cookies is the answer to the cookie wall: "" for none yet, "all",
	// "necessary", or the names of what was ticked.
	cookies string
	edition string // of the newsletter it subscribed to last
}

type news struct {
	*chassis
	visits  *memory[reader]
	stories []story
}

// newsChrome is on every page of the newspaper.
type newsChrome struct {
	Sections []newsSection
	Section  string
	Query    string
	// Wall shows the cookie wall, which leads back to Back.
	Wall bool
	Back string
}

func newNews(base string) *news {
	n := &news{visits: newMemory[reader](maxVisits), stories: loadStories()}
	n.chassis = newChassis(News, base, n.visits.truth)
	n.mux.HandleFunc("GET /{$}", n.front)
	n.mux.HandleFunc("GET /section/{slug}", n.section)
	n.mux.HandleFunc("GET /story/{slug}", n.story)
	n.mux.HandleFunc("GET /story/{slug}/{page}", n.story)
	n.mux.HandleFunc("POST /story/{slug}/comment", n.comment)
	n.mux.HandleFunc("GET /search", n.search)
	n.mux.HandleFunc("GET /today", func(w http.ResponseWriter, r *http.Request) {
		n.visits.reach(visitor(r), "hours_seen")
		n.page(w, r, 200, "today", "", nil)
	})
	for path, page := range map[string]string{"/letters": "letters", "/letters/sent": "lettersent", "/paper": "paper", "/about": "about", "/privacy": "privacy", "/adverts": "adverts"} {
		n.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { n.page(w, r, 200, page, "", nil) })
	}
	n.mux.HandleFunc("GET /letters/write", func(w http.ResponseWriter, r *http.Request) { n.page(w, r, 200, "letter", "", letterForm()) })
	n.mux.HandleFunc("POST /letters/write", n.letter)
	n.mux.HandleFunc("GET /newsletters", func(w http.ResponseWriter, r *http.Request) { n.page(w, r, 200, "newsletters", "", newsletterForm()) })
	n.mux.HandleFunc("POST /newsletters", n.subscribe)
	n.mux.HandleFunc("GET /newsletters/done", n.subscribed)
	n.mux.HandleFunc("GET /cookies", n.cookieSettings)
	n.mux.HandleFunc("POST /cookies", n.cookieChoice)
	n.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { n.page(w, r, 404, "notfound", "", nil) })
	return n
}

func (n *news) page(w http.ResponseWriter, r *http.Request, status int, name, section string, data any) {
	c := newsChrome{Sections: newsSections, Section: section, Query: r.URL.Query().Get("q"), Back: "/"}
	if r.Method == http.MethodGet {
		c.Back = (&url.URL{Path: r.URL.Path, RawQuery: r.URL.RawQuery}).String()
	}
	n.visits.look(visitor(r), func(v *visit[reader]) {
		// What one decides about cookies by has to be readable before.
		c.Wall = v.data.cookies == "" && name != "cookies" && name != "privacy"
	})
	n.render(w, r, status, name, c, data)
}

func (n *news) front(w http.ResponseWriter, r *http.Request) {
	by := func(slugs ...string) []story { return storiesBy(n.stories, slugs...) }
	n.page(w, r, 200, "home", "", map[string]any{
		"Lead": by("harbour-wall")[0], "Second": by("terns-final", "bus-14"), "MostRead": n.mostRead(),
		"Local": by("parrot", "ferry", "swimming-pool", "paddling-pool"), "Culture": by("mural", "choir"), "Business": by("rope-works", "bakery"),
	})
}

func (n *news) mostRead() []story {
	return storiesBy(n.stories, "parrot", "bakery", "terns-final", "council-tax", "ferry")
}

func (n *news) section(w http.ResponseWriter, r *http.Request) {
	for _, s := range newsSections {
		if s.Slug == r.PathValue("slug") {
			n.page(w, r, 200, "section", s.Slug, map[string]any{"Name": s.Name, "Stories": storiesIn(n.stories, s.Slug), "MostRead": n.mostRead()})
			return
		}
	}
	n.page(w, r, 404, "notfound", "", nil)
}

func commentForm() form {
	return form{
		{Name: "name", Label: "Your name", Type: "text", Autocomplete: "name", Hint: "Shown beside your comment.", missing: "Enter your name"},
		{Name: "comment", Label: "Your comment", Type: "textarea", missing: "Write your comment", rule: atLeast(5, "Tell us a little more")},
	}
}

func (n *news) story(w http.ResponseWriter, r *http.Request) { n.tell(w, r, 200, commentForm()) }

// tell shows the page of a story that the path names, with a comment form.
func (n *news) tell(w http.ResponseWriter, r *http.Request, status int, f form) {
	found := storiesBy(n.stories, r.PathValue("slug"))
	page := 1
	if p := r.PathValue("page"); p != "" {
		page, _ = strconv.Atoi(p) // 0 is no page
	}
	if len(found) == 0 || page < 1 || page > len(found[0].Pages) {
		n.page(w, r, 404, "notfound", "", nil)
		return
	}
	s := found[0]
	goal := "read_" + s.Slug
	if page > 1 {
		goal += "_" + strconv.Itoa(page)
	}
	n.visits.reach(visitor(r), goal)
	data := map[string]any{"Story": s, "Text": s.Pages[page-1], "Page": page, "Pages": len(s.Pages), "Form": f, "MostRead": n.mostRead(), "Thanks": r.URL.Query().Get("comment") == "thanks"}
	if page > 1 {
		data["Before"] = "/story/" + s.Slug
	}
	if page < len(s.Pages) {
		data["Next"] = "/story/" + s.Slug + "/" + strconv.Itoa(page+1)
	}
	n.page(w, r, status, "story", s.Section, data)
}

func (n *news) comment(w http.ResponseWriter, r *http.Request) {
	f := commentForm()
	if !f.read(r) {
		n.tell(w, r, http.StatusUnprocessableEntity, f)
		return
	}
	if len(storiesBy(n.stories, r.PathValue("slug"))) == 0 {
		n.page(w, r, 404, "notfound", "", nil)
		return
	}
	n.visits.reach(visitor(r), "comment_sent")
	n.redirect(w, r, "/story/"+r.PathValue("slug")+"?comment=thanks#comments")
}

func (n *news) search(w http.ResponseWriter, r *http.Request) {
	q := strings.TrimSpace(r.URL.Query().Get("q"))
	found := findStories(n.stories, q)
	if len(found) > 0 {
		n.visits.reach(visitor(r), "searched")
	}
	n.page(w, r, 200, "search", "", map[string]any{"Query": q, "Stories": found})
}
