package validity

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"understudy/adapters/demosite"
	"understudy/domain/walk"
	"understudy/test/sites"
)

// ForeignErrands are errands on pages that others have written, which
// `make setup-test` fetches, and on pages of ours that know no truth. What counts
// as done was written down by hand after reading the pages.
func ForeignErrands() []Errand {
	return []Errand{
		own(sites.SaaS, sites.Tasks[sites.SaaS][0], sites.Options{}, interrupted).renamed("layers/sign_up"),
		read("demo/subscribe", demosite.Task, demo, told("", demosite.SuccessText)),

		read("creative/contact", "find out how to contact the company", template("creative"), told("", "Let's Get In Touch!")),
		read("new-age/licence", "find out which licence the theme has", template("new-age"), told("", "MIT licensed")),
		read("new-age/feedback", "open the form for sending feedback", template("new-age"), told("", "Full name", "Send feedback")),
		read("new-age/features", "find out what features the app has", template("new-age"), told("", "Device Mockups", "Flexible Use", "Open Source")),
		read("grayscale/phone", "find out the phone number of the company", template("grayscale"), told("", "(555) 902-8832")),
		read("grayscale/address", "find out in which street the company is", template("grayscale"), told("", "4923 Market Street")),
		read("grayscale/projects", "look at the projects", template("grayscale"), told("", "Shoreline", "Misty", "Mountains")),
		read("shop-homepage/price", "find out what the Special Item costs", template("shop-homepage"), told("", "$18.00")),
		read("shop-homepage/arrivals", "find out where the new arrivals are", template("shop-homepage"), offered("New Arrivals")),
		// The template's buttons lead nowhere: nobody can do this, and who says so is right.
		read("shop-homepage/cart", "add the Popular Item to the cart", template("shop-homepage"), never).undoable(),

		read("sqlite/full_text", "find out how to create a full-text search table", folder("sqlite3-doc"),
			told("/fts5.html", "creates an FTS5 virtual table", "CREATE VIRTUAL TABLE"), told("/fts3.html", "CREATE VIRTUAL TABLE")),
		read("sqlite/wal", "find out how to switch on write-ahead logging", folder("sqlite3-doc"),
			told("/wal.html", "journal_mode=WAL", "To convert to WAL mode"), told("/pragma.html", "journal_mode = DELETE")),
		read("sqlite/backup", "find out how to back up a database that is in use", folder("sqlite3-doc"),
			told("/backup.html", "Online Backup", "online backup"), told("/lang_vacuum.html", "VACUUM INTO"),
			told("/cli.html", "Backup DB"), told("/c3ref/backup_finish.html", "backup")),
		read("git-doc/undo", "find out how to undo the last commit", folder("git-doc"), undoings...).undoable(),
	}
}

// undoings are the places of git's documentation that tell how to take a
// commit back. The pages are long and their start page is an index: not
// everybody gets there.
var undoings = []proof{
	told("/git-reset.html", "Undo a commit", "Undo commits permanently", "Reset current HEAD to the specified state",
		"moves the current branch tip backward", "Resets the current branch head"),
	told("/git-revert.html", "Revert some existing commits", "revert the changes that the related patches introduce"),
	told("/user-manual.html", "Fixing mistakes", "creating a new commit that undoes", "Fixing a mistake"),
	told("/gittutorial.html", "git reset --hard HEAD^"),
	told("/giteveryday.html", "undo botched commits", "take it back"),
	told("/gitfaq.html", "How do I undo"),
	told("/gitcore-tutorial.html", "git reset --hard"),
	told("/git-commit.html", "Replace the tip of the current branch"),
}

// proof says of a look whether it shows that the task is done.
type proof func(look *walk.Page) bool

// told: one of the texts stands on the screen, on a page whose address ends so.
func told(page string, texts ...string) proof {
	return func(look *walk.Page) bool {
		path, _, _ := strings.Cut(look.URL, "#")
		return strings.HasSuffix(path, page) &&
			slices.ContainsFunc(texts, func(text string) bool { return onScreen(look, text) })
	}
}

// offered: a control with this name is in sight.
func offered(name string) proof {
	return func(look *walk.Page) bool {
		return slices.ContainsFunc(look.Elements, func(e walk.Element) bool { return e.InViewport && e.Name == name })
	}
}

func never(*walk.Page) bool { return false }

// read is an errand that is done as soon as one of the proofs was seen.
func read(name, task string, site func() (http.Handler, error), proofs ...proof) Errand {
	folder, _, _ := strings.Cut(name, "/")
	return Errand{Name: name, Site: folder, Task: task, Start: "/", Doable: true, open: func() (*visit, error) {
		h, err := site()
		if err != nil {
			return nil, err
		}
		return &visit{site: h, reached: func(_ context.Context, looks []walk.Page) (bool, error) {
			for i := range looks {
				if slices.ContainsFunc(proofs, func(p proof) bool { return p(&looks[i]) }) {
					return true, nil
				}
			}
			return false, nil
		}}, nil
	}}
}

func (e Errand) renamed(name string) Errand { e.Name = name; return e }

func (e Errand) undoable() Errand { e.Doable = false; return e }

func demo() (http.Handler, error) { return demosite.Handler(), nil }

// folder serves a folder of .cache/sites.
func folder(name string) func() (http.Handler, error) {
	return func() (http.Handler, error) {
		dir, err := cached(name)
		return http.FileServer(http.Dir(dir)), err
	}
}

// template serves a page of Start Bootstrap. What it takes from the libraries'
// public servers it gets from the same libraries as npm has them, and pictures
// of those who only keep places for pictures are grey: a page whose scripts are
// missing would be another page.
func template(name string) func() (http.Handler, error) {
	return func() (http.Handler, error) {
		dir, err := cached("startbootstrap-" + name + "/dist")
		if err != nil {
			return nil, err
		}
		libraries, err := cached("npm")
		if err != nil {
			return nil, err
		}
		index, err := os.ReadFile(filepath.Join(dir, "index.html"))
		if err != nil {
			return nil, fmt.Errorf("read the template %s: %w", name, err)
		}
		page := []byte(elsewhere.Replace(string(index)))
		mux := http.NewServeMux()
		mux.Handle("/", http.FileServer(http.Dir(dir)))
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = bytes.NewReader(page).WriteTo(w) // a failed write means that the client has gone
		})
		mux.Handle("GET /_npm/", http.StripPrefix("/_npm/", http.FileServer(http.Dir(libraries))))
		mux.HandleFunc("GET /_grey.svg", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="450" height="300"><rect width="450" height="300" fill="#ddd"/></svg>`))
		})
		return mux, nil
	}
}

var elsewhere = strings.NewReplacer(
	"https://cdn.jsdelivr.net/npm/bootstrap@5.2.3/", "/_npm/bootstrap/",
	"https://cdn.jsdelivr.net/npm/bootstrap-icons@1.5.0/", "/_npm/bootstrap-icons/",
	"https://use.fontawesome.com/releases/v6.3.0/", "/_npm/fontawesome-free/",
	"https://dummyimage.com/450x300/dee2e6/6c757d.jpg", "/_grey.svg",
	"https://source.unsplash.com/u8Jn2rzYIps/900x900", "/_grey.svg",
)

// cached is a folder of .cache/sites, which `make setup-test` fills, in the
// working directory or above it.
func cached(name string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", name, err)
	}
	for {
		site := filepath.Join(dir, ".cache", "sites", filepath.FromSlash(name))
		if _, err := os.Stat(site); err == nil {
			return site, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("the pages of %s are not here: run `make setup-test`", name)
		}
		dir = above
	}
}
