package validity

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/adapters/demosite"
	"understudy/domain/mind"
	"understudy/test/sites"
)

// errand is a task on a site together with how to know that it is done.
type errand struct {
	name, task, start string
	// doable: on this site people as different as the personas can do it, so
	// that falling short is the model's fault.
	doable bool
	// others are the tasks of the same site that nobody was sent to do.
	others []sites.Task
	// open serves the site for one visit.
	open func(t *testing.T) *place
}

// place is a site as one visitor has it.
type place struct {
	address string
	close   func()
	// reached tells whether the goal is reached, given every look of the walk.
	reached func(looks []mind.Page) (bool, error)
	// done tells the same of any task of the site; nil where there are no others.
	done func(task sites.Task, looks []mind.Page) (bool, error)
}

// now is the day on which the sites live: what they show must not change with
// the day on which the test runs.
func now() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// errands lists everything that is walked.
func errands() []errand {
	var out []errand
	for _, site := range sites.Names() {
		for _, task := range sites.Tasks[site] {
			others := slices.DeleteFunc(slices.Clone(sites.Tasks[site]), func(o sites.Task) bool { return o.Name == task.Name })
			out = append(out, errand{
				others: others,
				name:   site + "/" + task.Name, task: task.Task, start: task.Start, doable: true,
				open: func(t *testing.T) *place { return visit(t, site, task) },
			})
		}
	}
	return append(out,
		errand{name: "layers/sign_up", task: "Sign up for a free trial", start: "/", doable: true, open: func(t *testing.T) *place {
			return visit(t, sites.SaaS, sites.Tasks[sites.SaaS][0], interrupted)
		}},
		errand{name: "demo/subscribe", task: demosite.Task, start: "/", doable: true, open: func(*testing.T) *place {
			return serve(demosite.Handler(), func(looks []mind.Page) (bool, error) {
				return anyText(looks, demosite.SuccessText), nil
			})
		}},
		errand{name: "creative/contact", task: "find out how to contact the company", start: "/", doable: true, open: func(t *testing.T) *place {
			return serve(files(t, "startbootstrap-creative/dist"), func(looks []mind.Page) (bool, error) {
				return anyText(looks, "Let's Get In Touch!"), nil
			})
		}},
		errand{name: "git-doc/undo", task: "find out how to undo the last commit", start: "/", open: func(t *testing.T) *place {
			return serve(files(t, "git-doc"), toldHowToUndo)
		}},
	)
}

// answers are what questions want to know. Some of it stands on several pages,
// so that who has had it on the screen knows it, whichever page it was.
var answers = map[string]string{
	"clinic/prices":  "£42",
	"clinic/hours":   "9.00 to 13.00",
	"saas/price":     "£24",
	"shop/returns":   "30 days",
	"docs/exit_code": "The repository is locked by",
}

// visit serves a site of our own, which knows what its only visitor did.
func visit(t *testing.T, site string, task sites.Task, around ...func(http.Handler) http.Handler) *place {
	t.Helper()
	o := sites.Options{Now: now}
	if flaws := os.Getenv("VALIDITY_DEFECTS"); flaws != "" && site == sites.SaaS {
		o.Defects = strings.Split(flaws, ",")
	}
	h, err := sites.New(site, o)
	if err != nil {
		t.Fatal(err)
	}
	done := func(task sites.Task, looks []mind.Page) (bool, error) {
		if answer := answers[site+"/"+task.Name]; answer != "" {
			return anyText(looks, answer), nil
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/_truth", nil))
		var truth map[string]map[string]bool
		if err := json.Unmarshal(w.Body.Bytes(), &truth); err != nil {
			return false, err
		}
		for _, goals := range truth {
			if goals[task.Truth] {
				return true, nil
			}
		}
		return false, nil
	}
	shown := h
	for _, f := range around {
		shown = f(shown)
	}
	p := serve(shown, func(looks []mind.Page) (bool, error) { return done(task, looks) })
	p.done = done
	return p
}

func serve(h http.Handler, reached func([]mind.Page) (bool, error)) *place {
	server := httptest.NewServer(h)
	return &place{address: server.URL, close: server.Close, reached: reached}
}

// files serves a folder of .cache/sites, which `make setup-test` fills.
func files(t *testing.T, folder string) http.Handler {
	t.Helper()
	dir := filepath.Join("..", "..", ".cache", "sites", filepath.FromSlash(folder))
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("%v: run `make setup-test`", err)
	}
	return http.FileServer(http.Dir(dir))
}

// anyText: a text stood on the screen at some look.
func anyText(looks []mind.Page, text string) bool {
	for i := range looks {
		if onScreen(&looks[i], text) {
			return true
		}
	}
	return false
}

func onScreen(p *mind.Page, text string) bool {
	for i := range p.Texts {
		if p.Texts[i].InViewport && strings.Contains(strings.ToLower(p.Texts[i].Text), strings.ToLower(text)) {
			return true
		}
	}
	return false
}

// undoings are the places of git's documentation that tell how to take a
// commit back, each by its page and words that stand there.
var undoings = []struct{ page, words string }{
	{"/git-reset.html", "Undo a commit"},
	{"/git-reset.html", "Undo commits permanently"},
	{"/git-reset.html", "Reset current HEAD to the specified state"},
	{"/git-reset.html", "moves the current branch tip backward"},
	{"/git-reset.html", "Resets the current branch head"},
	{"/git-revert.html", "Revert some existing commits"},
	{"/git-revert.html", "revert the changes that the related patches introduce"},
	{"/user-manual.html", "Fixing mistakes"},
	{"/user-manual.html", "creating a new commit that undoes"},
	{"/user-manual.html", "Fixing a mistake"},
	{"/gittutorial.html", "git reset --hard HEAD^"},
	{"/giteveryday.html", "undo botched commits"},
	{"/giteveryday.html", "take it back"},
	{"/gitfaq.html", "How do I undo"},
	{"/gitcore-tutorial.html", "git reset --hard"},
	{"/git-commit.html", "Replace the tip of the current branch"},
}

// toldHowToUndo: one of those places stood on the screen.
func toldHowToUndo(looks []mind.Page) (bool, error) {
	for i := range looks {
		for _, u := range undoings {
			if strings.Contains(looks[i].URL, u.page) && onScreen(&looks[i], u.words) {
				return true, nil
			}
		}
	}
	return false, nil
}
