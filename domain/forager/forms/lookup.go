package forms

import (
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/walk"
)

// LookUp finds the value that the page gives under a label: in its pairs, the rows
// of its tables and its fields; "" for none.
func LookUp(page *walk.Page, hint []language.Word) string {
	hint = telling(hint)
	if len(hint) == 0 {
		return ""
	}
	best, score := "", likely
	take := func(label, around, value string) {
		head := language.Cover(hint, language.Read(label))
		if head == 0 || value == "" || len(value) > maxValue {
			return
		}
		back := language.Cover(language.Read(label).Content(), language.Read(texts(hint)))
		if s := 0.1*back + 0.9*max(head, language.Cover(hint, language.Read(label+" "+around))); s > score {
			best, score = strings.TrimSpace(value), s
		}
	}
	for _, p := range reading.Passages(page) {
		if p.Kind != "pair" && p.Kind != "row" {
			continue
		}
		cells := strings.Split(p.Text, "; ")
		for i, cell := range cells {
			if label, value, ok := strings.Cut(cell, ": "); ok {
				take(label, p.Text, value)
			} else if i > 0 && len(cells) == 2 {
				take(cells[0], "", cell)
			}
		}
	}
	for i := range page.Elements {
		if e := &page.Elements[i]; walk.IsField(e) && e.Value != "" && e.InputType != "password" {
			take(e.Name+" "+e.Placeholder, "", e.Value)
		}
	}
	return best
}
