package oracle

import (
	"fmt"
	"strings"

	"understudy/domain/walk"
)

// Tried is what one condition comes to on a page.
type Tried struct {
	// Thing is what it is about: address, text, selector or request.
	Thing string
	// Want is the condition as it was given.
	Want  string
	Holds bool
	// Seen is what was found there, newest last; nothing for a selector, which holds or does not.
	Seen []string
}

// seenAtMost bounds what is told of a condition.
const seenAtMost = 5

// Try tells of each condition whether a walk would have it fulfilled at its first look,
// which the effect of opening the page led to.
func Try(given walk.Conditions, page walk.Page, opened walk.Effect) []Tried {
	all := newConditions(given)
	all.observe(&page, &opened)
	tried := make([]Tried, len(all))
	for i, c := range all {
		tried[i] = Tried{c.thing, c.want, c.held, c.seen(&page, &opened)}
	}
	return tried
}

// seen is what a page has of a condition's kind: the address, the texts with the
// wanted words, or, without any, of what is asked for.
func (c *condition) seen(page *walk.Page, opened *walk.Effect) (all []string) {
	switch c.thing {
	case "address":
		return []string{walk.Shorten(page.URL, 300)}
	case "text":
		one := walk.Page{Texts: make([]walk.Text, 1)}
		for _, t := range page.Texts {
			if one.Texts[0] = t; len(all) < seenAtMost && visible(&one, c.want) {
				all = append(all, walk.Shorten(t.Text, 200))
			}
		}
		for _, e := range page.Elements {
			if len(all) < seenAtMost && visible(&walk.Page{Elements: []walk.Element{e}}, c.want) {
				all = append(all, walk.Shorten(e.Name, 200))
			}
		}
	case "request":
		_, part, ok := strings.Cut(c.want, " ")
		if !ok {
			part = c.want
		}
		var others []string
		for _, r := range opened.Requests {
			told := fmt.Sprintf("%s %s: %d", r.Method, walk.Shorten(r.URL, 300), r.Status)
			if strings.Contains(r.URL, strings.TrimSpace(part)) {
				all = append(all, told)
			}
			others = append(others, told)
		}
		if len(all) == 0 {
			all = others
		}
		all = all[max(0, len(all)-seenAtMost):]
	}
	return all
}
