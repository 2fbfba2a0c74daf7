package sites

import (
	"fmt"
	"html"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/atom"
)

// mark makes elements findable by Same.
func (in *injection) mark(el *goquery.Selection) {
	el.Each(func(_ int, e *goquery.Selection) {
		e.SetAttr("data-u", strings.TrimSpace(e.AttrOr("data-u", "")+" "+in.fault.mark()))
	})
}

// marked is the CSS that addresses the marked elements.
func (f Fault) marked() string { return `[data-u~="` + f.mark() + `"]` }

// css adds declarations to elements' style attributes, above every style sheet.
func css(el *goquery.Selection, declarations ...string) {
	el.Each(func(_ int, e *goquery.Selection) {
		style := e.AttrOr("style", "")
		for _, d := range declarations {
			style += d + "!important;"
		}
		e.SetAttr("style", style)
	})
}

// script adds a script at the end of the page. %s in it is the CSS of the
// marked elements, as a string of JavaScript.
func (in *injection) script(code string) {
	if strings.Contains(code, "%s") {
		code = fmt.Sprintf(code, "'"+in.fault.marked()+"'")
	}
	in.doc.Find("body").AppendHtml("<script>\n" + code + "\n</script>")
}

// nameOf is what a control is called on the page.
func nameOf(el *goquery.Selection) string {
	name := strings.Join(strings.Fields(el.Text()), " ")
	for _, attribute := range []string{"value", "aria-label", "title"} {
		if name == "" {
			name = el.AttrOr(attribute, "")
		}
	}
	return name
}

// rename gives a control another text and no other name.
func rename(el *goquery.Selection, inner string) {
	el.Each(func(_ int, e *goquery.Selection) {
		for _, a := range []string{"aria-label", "aria-labelledby", "aria-describedby", "title"} {
			e.RemoveAttr(a)
		}
		if e.Is("input") {
			e.SetAttr("value", inner)
			return
		}
		e.SetHtml(inner)
	})
}

// retag makes elements ones of another name.
func retag(el *goquery.Selection, name atom.Atom) {
	for _, n := range el.Nodes {
		n.Data, n.DataAtom = name.String(), name
	}
}

// isButton: the element sends or would send a form.
func isButton(el *goquery.Selection) bool {
	return el.Is("button, input[type=submit], input[type=button], input[type=image]")
}

// filled: the element has a fill of its own, as buttons do.
func filled(el *goquery.Selection) bool {
	return isButton(el) || el.Is("[class*=button], [class*=btn], [class*=cta]")
}

// content is the part of the page that is not the same everywhere.
func content(doc *goquery.Document) *goquery.Selection {
	if m := doc.Find("main").First(); m.Length() > 0 {
		return m
	}
	return doc.Find("body").First()
}

// formOf is the form around an element, or the page's last form that is posted
// when there is no element.
func formOf(doc *goquery.Document, el *goquery.Selection) *goquery.Selection {
	if el.Length() > 0 {
		return el.First().Closest("form")
	}
	return content(doc).Find("form[method=post]").Last()
}

// sender is the control that sends a form.
func sender(form *goquery.Selection) *goquery.Selection {
	return form.Find("button:not([type=button]), input[type=submit]").Last()
}

// keepOne leaves one of several ways on a page: the last in the main part, or
// else the last there is.
func keepOne(in *injection) *goquery.Selection {
	kept := content(in.doc).FindSelection(in.el).Last()
	if kept.Length() == 0 {
		kept = in.el.Last()
	}
	in.el.NotSelection(kept).Each(func(_ int, e *goquery.Selection) {
		if item := e.Parent(); item.Is("li") && item.Children().Length() == 1 {
			item.Remove()
			return
		}
		e.Remove()
	})
	return kept
}

func escape(s string) string { return html.EscapeString(s) }

// footOf is where things go that stand at the foot of every page.
func footOf(in *injection) *goquery.Selection {
	for _, place := range []string{"body > footer .wrap", "body > footer", "footer", "main"} {
		if f := in.doc.Find(place).Last(); f.Length() > 0 {
			return f
		}
	}
	return in.doc.Find("body")
}
