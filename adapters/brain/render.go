package brain

import (
	"fmt"
	"sort"
	"strings"

	"understudy/domain/forager"
	"understudy/domain/walk"
)

// Bounds of what is told of a page: enough for what fits on a screen, whatever
// the page holds. In characters but for the numbers of things.
const (
	maxControls = 250
	maxOptions  = 40
	maxName     = 120
	maxBlock    = 600
	maxTold     = 24000
)

// item is a line about the page, at its place.
type item struct {
	x, y   float64
	region int
	line   string
}

// render tells what a persona perceives of a page, in the order in which it
// stands there, its controls numbered from 1.
func render(page *walk.Page, seen forager.Perceived, secret *secrets) string {
	var items []item
	names := map[string]bool{}
	for i := range seen.Controls {
		c := &seen.Controls[i]
		names[strings.ToLower(c.Element.Name)] = true
		items = append(items, item{c.Element.Box.X, c.Element.Box.Y, c.Element.Region, fmt.Sprintf("[%d] %s", i+1, describe(c, seen.Heard, secret))})
	}
	for i := range seen.Texts {
		t := &seen.Texts[i]
		if t.Kind == "label" && names[strings.ToLower(t.Text)] {
			continue // the control says it
		}
		items = append(items, item{t.Box.X, t.Box.Y, t.Region, passage(t)})
	}
	sort.SliceStable(items, func(i, j int) bool {
		if items[i].y != items[j].y {
			return items[i].y < items[j].y
		}
		return items[i].x < items[j].x
	})
	var b strings.Builder
	fmt.Fprintf(&b, "Title: %s\nAddress: %s\n", quote(page.Title, maxName), quote(page.URL, maxBlock))
	b.WriteString(whereabouts(seen))
	region := -1
	for _, it := range items {
		if it.region != region && it.region >= 0 && it.region < len(page.Regions) {
			if r := page.Regions[it.region]; r.Kind != "heading" && r.Kind != "section" {
				fmt.Fprintf(&b, "-- %s --\n", r.Kind)
			}
		}
		region = it.region
		if b.Len()+len(it.line) > maxTold {
			b.WriteString("(There is more here than you can take in.)\n")
			break
		}
		b.WriteString(it.line + "\n")
	}
	if len(items) == 0 {
		b.WriteString("(Nothing can be made out here.)\n")
	}
	return b.String()
}

// whereabouts says which part of the page this is.
func whereabouts(seen forager.Perceived) string {
	var parts []string
	switch {
	case seen.Heard:
		parts = append(parts, "You hear all controls of the page, and the text of the part you are at.")
	case seen.Above && seen.Below:
		parts = append(parts, "The page goes on above and below this screen.")
	case seen.Below:
		parts = append(parts, "The page goes on below this screen.")
	case seen.Above:
		parts = append(parts, "This is the end of the page; it goes on above.")
	default:
		parts = append(parts, "This is the whole page.")
	}
	if seen.Over != "" {
		parts = append(parts, "Something lies over part of it: "+quote(seen.Over, maxName)+".")
	}
	return strings.Join(parts, " ") + "\n"
}

// describe tells a control as the persona perceives it.
func describe(c *forager.Sensed, heard bool, secret *secrets) string {
	e := &c.Element
	var b strings.Builder
	b.WriteString(e.Role + " ")
	switch {
	case e.Name == "" && e.Icon && !heard:
		b.WriteString("that is an icon without words")
	case e.Name == "":
		b.WriteString("without a name")
	case c.Shape:
		b.WriteString("that is an icon, perhaps for " + quote(e.Name, maxName))
	default:
		b.WriteString(quote(e.Name, maxName))
	}
	var notes []string
	note := func(when bool, what string) {
		if when {
			notes = append(notes, what)
		}
	}
	note(e.Group != "", "answers "+quote(e.Group, maxName))
	note(e.InDialog, "in a dialog")
	hidden := secret.hide(e)
	note(e.Value != "" && hidden, "holds a hidden value")
	note(e.Value != "" && !hidden, "holds "+quote(e.Value, maxName))
	note(e.Placeholder != "" && e.Value == "" && e.Placeholder != e.Name, "shows "+quote(e.Placeholder, maxName)+" in grey")
	note(e.Help != "", "hint "+quote(e.Help, maxBlock))
	note(e.Checked, "ticked")
	note(!e.Checked && (e.Role == "checkbox" || e.Role == "radio" || e.Role == "switch"), "not ticked")
	note(e.Required, "required")
	note(e.Expanded == "true", "open")
	note(e.Expanded == "false", "closed, opens")
	note(e.Submenu, "has a submenu")
	note(e.Draggable, "can be dragged")
	note(e.Error != "", "error "+quote(e.Error, maxBlock))
	note(e.Disabled, "disabled")
	note(!c.Usable && !e.Disabled, "cannot be reached")
	if len(e.Options) > 0 {
		options := make([]string, 0, maxOptions)
		for _, o := range e.Options[:min(len(e.Options), maxOptions)] {
			options = append(options, quote(o, maxName))
		}
		if more := len(e.Options) - len(options); more > 0 {
			options = append(options, fmt.Sprintf("and %d more", more))
		}
		notes = append(notes, "options "+strings.Join(options, ", "))
	}
	if len(notes) > 0 {
		b.WriteString(" (" + strings.Join(notes, "; ") + ")")
	}
	return b.String()
}

func passage(t *walk.Text) string {
	switch t.Kind {
	case "heading":
		return "heading " + quote(t.Text, maxBlock)
	case "alert", "status":
		return "message " + quote(t.Text, maxBlock)
	}
	return "text " + quote(t.Text, maxBlock)
}

// quote marks words as the page's own. They cannot end the quotation.
func quote(s string, n int) string {
	return "“" + clip(strings.NewReplacer("“", `"`, "”", `"`, "<", "‹", ">", "›").Replace(s), n) + "”"
}

// clip is a text on one line, of n characters at most.
func clip(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}
