package sites

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/atom"
)

// unplug takes from a control what it does; its looks stay.
func unplug(e *goquery.Selection) {
	if !isButton(e) {
		return
	}
	e.SetAttr("type", "button")
	e.Closest("form").SetAttr("onsubmit", "return false") // nor does Enter send it
}

func deadControl(in *injection) {
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		unplug(e)
		if e.Is("a") {
			e.SetAttr("href", "javascript:void(0)")
		}
	})
}

// scriptError leaves the way on to a router or a validator that was not loaded.
func scriptError(in *injection) {
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		unplug(e)
		if to, ok := e.Attr("href"); ok {
			e.SetAttr("data-to", to)
			e.SetAttr("href", "#")
		}
	})
	in.script(`document.querySelectorAll(%s).forEach((control) => control.addEventListener("click", (event) => {
  event.preventDefault();
  if (control.dataset.to) { window.app.router.open(control.dataset.to); return; }
  window.app.forms.validate(control.form);
  control.form.submit();
}));`)
}

func brokenLink(in *injection) {
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		e.SetAttr("href", "/pages"+e.AttrOr("href", "")) // an address from before the move
	})
}

// mouseOnly makes the control a span with a click handler.
func mouseOnly(in *injection) {
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		act := "location.href='" + e.AttrOr("href", "") + "'"
		if isButton(e) {
			act = "const f=this.closest('form');"
			if name := e.AttrOr("name", ""); name != "" {
				act += fmt.Sprintf("const i=document.createElement('input');i.type='hidden';i.name='%s';i.value='%s';f.append(i);", name, e.AttrOr("value", ""))
			}
			act += "f.submit()"
		}
		inner := e.AttrOr("value", "")
		if !e.Is("input") {
			inner, _ = e.Html() // its own markup, parsed before
		}
		n := e.Nodes[0]
		kept := n.Attr[:0]
		for _, a := range n.Attr {
			if a.Key == "class" || a.Key == "style" || a.Key == "data-u" || a.Key == "id" {
				kept = append(kept, a)
			}
		}
		n.Attr = kept
		retag(e, atom.Span)
		e.SetHtml(inner)
		e.SetAttr("onclick", act)
		e.SetAttr("style", "cursor:pointer;"+e.AttrOr("style", ""))
		if !filled(e) {
			e.SetAttr("style", "text-decoration:underline;"+e.AttrOr("style", ""))
		}
	})
}

func disabledSubmit(in *injection) {
	in.mark(in.el)
	in.el.SetAttr("disabled", "")
	css(in.el, "opacity:.55", "cursor:not-allowed")
	in.el.Closest("form").SetAttr("onsubmit", "return false")
	in.script(`window.onVisitorChecked = () => document.querySelectorAll(%s).forEach((control) => { control.disabled = false; });`)
}

// deadEnd takes the way on off the page.
func deadEnd(in *injection) {
	in.el.Each(func(_ int, e *goquery.Selection) {
		if to, ok := e.Attr("href"); ok {
			in.doc.Find("a").Each(func(_ int, a *goquery.Selection) {
				if a.AttrOr("href", "") == to && a.Nodes[0] != e.Nodes[0] {
					a.Remove()
				}
			})
			e.Remove()
			return
		}
		if form := e.Closest("form"); form.Length() > 0 {
			form.Remove()
			return
		}
		e.Remove()
	})
}

func loopingLink(in *injection) {
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		in.learn(http.MethodGet, e.AttrOr("href", ""), lesson{fault: in.fault})
	})
}

// redirectLoop sends who comes by the link around in circles, as a rule about
// visits without a certain cookie does that never sets it.
func redirectLoop(x *exchange) bool {
	if x.of == nil || x.r.Method != http.MethodGet {
		return false
	}
	q := x.r.URL.Query()
	n, _ := strconv.Atoi(q.Get("checked")) // 0 when there is none
	q.Set("checked", strconv.Itoa(1-n%2))
	to := *x.r.URL
	to.RawQuery = q.Encode()
	http.Redirect(x.w, x.r, to.RequestURI(), http.StatusFound)
	return true
}
