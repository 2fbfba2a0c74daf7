package sites

import (
	"slices"
	"strings"
)

// story is an article of the newspaper.
type story struct {
	Slug, Section, Date, Author, Art, Title, Teaser string
	Pages                                           [][]paragraph
	words                                           string
}

// paragraph is a piece of a story's text, or a heading within it.
type paragraph struct {
	Heading bool
	Text    string
}

type newsSection struct{ Slug, Name string }

var newsSections = []newsSection{{"local", "Local news"}, {"council", "Council"}, {"sport", "Sport"}, {"culture", "Culture"}, {"business", "Business"}}

// SectionName is the section as the pages call it.
func (s story) SectionName() string {
	for _, x := range newsSections {
		if x.Slug == s.Section {
			return x.Name
		}
	}
	return s.Section
}

// loadStories reads the paper's articles. Each begins with a row "== slug |
// section | date | author | picture", its title and its teaser; every further
// row is a paragraph, "# " a heading, and "---" begins the next page.
func loadStories() []story {
	raw, err := web.ReadFile("web/news/stories.txt")
	if err != nil {
		panic("sites: " + err.Error()) // the file is part of the program
	}
	var all []story
	for _, part := range strings.Split("\n"+string(raw), "\n== ")[1:] {
		rows := strings.Split(strings.TrimSpace(part), "\n")
		head := strings.Split(rows[0], " | ")
		s := story{Slug: head[0], Section: head[1], Date: head[2], Author: head[3], Art: head[4], Title: rows[1], Teaser: rows[2], Pages: make([][]paragraph, 1)}
		for _, row := range rows[3:] {
			if row == "---" {
				s.Pages = append(s.Pages, nil)
				continue
			}
			text, heading := strings.CutPrefix(row, "# ")
			last := len(s.Pages) - 1
			s.Pages[last] = append(s.Pages[last], paragraph{heading, text})
		}
		s.words = strings.ToLower(s.Title + " " + strings.Join(rows[2:], " "))
		all = append(all, s)
	}
	return all
}

// storiesBy returns the stories with these slugs, in this order.
func storiesBy(all []story, slugs ...string) []story {
	var out []story
	for _, slug := range slugs {
		if i := slices.IndexFunc(all, func(s story) bool { return s.Slug == slug }); i >= 0 {
			out = append(out, all[i])
		}
	}
	return out
}

func storiesIn(all []story, section string) []story {
	var out []story
	for _, s := range all {
		if s.Section == section {
			out = append(out, s)
		}
	}
	return out
}

// findStories returns the stories that hold every word of the query, those
// with all of them in the title first.
func findStories(all []story, query string) []story {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	var titled, other []story
	for _, s := range all {
		holds := func(text string) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
		}
		switch {
		case holds(strings.ToLower(s.Title)):
			titled = append(titled, s)
		case holds(s.words):
			other = append(other, s)
		}
	}
	return append(titled, other...)
}
