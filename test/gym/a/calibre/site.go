// Package calibre is a catalogue of electronic books: covers, pages with
// details, forms to correct them.
package calibre

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"understudy/test/gym/ground"
)

// Site is the library of a reading circle, with nine books.
var Site = ground.Site{
	Name: "calibre", Kind: "catalogue", What: "Calibre 6.13, content server (Debian)", Licence: "GPL-3.0-or-later",
	Debian: []string{"calibre"},
	Open: func(p *ground.Place) error {
		if err := p.Prepared("calibre-1", prepare); err != nil {
			return err
		}
		// It wants to be the only one on a machine, for the sake of a library that two
		// would change: here each has its own.
		alone := []string{"QT_QPA_PLATFORM=offscreen", "CALIBRE_NO_SI_DANGER_DANGER=1"}
		return p.Serve(alone, "calibre-server", "--listen-on", "127.0.0.1", "--port", p.Port(),
			"--enable-local-write", "--disable-use-bonjour", "Reading-circle")
	},
	Tasks: []ground.Task{
		{
			Name: "publisher",
			Text: `Find out who published the book "The Salt Road".`,
			Seen: &ground.Sight{Selector: "td, div, p, span, a", Text: `^(Publisher:?\s*)?Heron & Daughters$`},
		},
		{
			Name: "rename",
			Text: `The book "Letters form the Lighthouse" is spelled wrongly. It is called "Letters from the Lighthouse". Correct that in the library.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := library(p)
				return all["Letters from the Lighthouse"].there && !all["Letters form the Lighthouse"].there, err
			},
		},
		{
			Name: "tag",
			Text: `Give the book "Winter Bees" the tag "Borrowed by Ilse", so that everybody knows where it is.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := library(p)
				return slices.Contains(all["Winter Bees"].tags, "Borrowed by Ilse"), err
			},
		},
		{
			Name: "delete",
			Text: `Nobody will ever read "User manual of the dishwasher". Delete it from the library.`,
			Done: func(p *ground.Place) (bool, error) {
				all, err := library(p)
				return len(all) == len(books)-1 && !all["User manual of the dishwasher"].there, err
			},
		},
	},
}

type book struct {
	tags  []string
	there bool
}

// library is what the server has, by title.
func library(p *ground.Place) (map[string]book, error) {
	var found map[string]*struct {
		Title string
		Tags  []string
	}
	var list struct {
		IDs []int `json:"book_ids"`
	}
	if err := ask(p, "/ajax/search?num=100", &list); err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range list.IDs {
		ids = append(ids, strconv.Itoa(id))
	}
	if err := ask(p, "/ajax/books?ids="+strings.Join(ids, ","), &found); err != nil {
		return nil, err
	}
	all := map[string]book{}
	for _, one := range found {
		if one != nil {
			all[one.Title] = book{tags: one.Tags, there: true}
		}
	}
	return all, nil
}

func ask(p *ground.Place, path string, into any) error {
	_, answer, err := p.Ask("GET", path, "")
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(answer), into)
}
