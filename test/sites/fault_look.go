package sites

import (
	"fmt"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/atom"
)

func lowContrast(in *injection) {
	back := white
	if in.fault.Background != "" {
		back, _ = parseColour(in.fault.Background) // check has parsed it
	}
	ink := inkOn(back, in.fault.Dose).String()
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		css(e, "color:"+ink)
		css(e.Find("*"), "color:"+ink)
		if filled(e) {
			css(e, "background:"+back.String(), "border-color:"+ink, "box-shadow:none")
		}
	})
}

func smallTarget(in *injection) {
	side := fmt.Sprintf("%gpx", in.fault.Dose)
	small := []string{"width:" + side, "height:" + side, "min-width:0", "min-height:0", "max-width:none", "padding:0", "margin:0 .3em", "border-radius:2px", "flex:none", "overflow:hidden"}
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		if e.Is("input[type=checkbox], input[type=radio]") {
			css(e, small...)
			label := e.Closest("label")
			if label.Length() == 0 {
				label = in.doc.Find(`label[for="` + e.AttrOr("id", "") + `"]`)
			}
			e.SetAttr("aria-label", nameOf(label))
			label.Each(func(_ int, l *goquery.Selection) {
				retag(l, atom.Div) // the words stay, a click on them does nothing
				l.RemoveAttr("for")
			})
			return
		}
		name := nameOf(e)
		e.BeforeHtml("<span>" + escape(name) + "</span>")
		rename(e, "›")
		e.SetAttr("aria-label", name)
		css(e, append(small, "display:inline-block", "font-size:"+fmt.Sprintf("%gpx", max(6, in.fault.Dose*0.8)), "line-height:"+side, "text-align:center", "vertical-align:middle")...)
	})
}

// vague are words that could stand on anything.
var vague = struct{ links, buttons []string }{
	[]string{"Discover", "Dive in", "Explore", "Be inspired"},
	[]string{"Let’s go", "Make it happen", "Dive in", "Onwards"},
}

// pickOf chooses one of the words by the fault, so that it is always the same.
func (in *injection) pickOf(words []string) string {
	return words[int(in.fault.mark()[1])%len(words)]
}

const vagueIcon = `<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false"><circle cx="6" cy="12" r="3" fill="currentColor"/><path d="M12 5l9 7-9 7z" fill="none" stroke="currentColor" stroke-width="2"/></svg>`

func vagueLabel(in *injection) {
	in.mark(in.el)
	switch {
	case in.fault.Dose >= 2:
		rename(in.el, vagueIcon)
	case in.fault.Dose >= 1:
		in.el.Each(func(_ int, e *goquery.Selection) {
			words := vague.links
			if isButton(e) {
				words = vague.buttons
			}
			rename(e, in.pickOf(words))
		})
	}
}

func iconOnly(in *injection) {
	in.mark(in.el)
	rename(in.el, vagueIcon)
}

// competingLabels puts two links of the same name before the right one, which
// lead to other pages of the site.
func competingLabels(in *injection) {
	e := content(in.doc).FindSelection(in.el).First()
	if e.Length() == 0 {
		e = in.el.First()
	}
	own := e.AttrOr("href", "")
	var elsewhere []string
	in.doc.Find("a[href^='/']").Each(func(_ int, a *goquery.Selection) {
		to := a.AttrOr("href", "")
		known := to == own || to == in.fault.Path || to == "/"
		for _, x := range elsewhere {
			known = known || x == to
		}
		if !known {
			elsewhere = append(elsewhere, to)
		}
	})
	in.mark(in.el)
	for _, to := range elsewhere[max(0, len(elsewhere)-2):] {
		rival := e.Clone()
		rival.SetAttr("href", to)
		rival.RemoveAttr("id")
		if item := e.Parent(); item.Is("li") {
			li := item.Clone().SetHtml("")
			li.AppendSelection(rival)
			item.BeforeSelection(li)
			continue
		}
		e.BeforeSelection(rival)
		e.BeforeHtml(" ")
	}
}

// belowTheFold puts screens of decoration before the one way that is left.
func belowTheFold(in *injection) {
	kept := keepOne(in)
	if kept.Length() == 0 {
		return // the page is in a state that does not have it
	}
	in.mark(kept)
	filler := fmt.Sprintf(`<div style="height:%gvh;margin:1rem 0;border-radius:12px;overflow:hidden;background:linear-gradient(160deg,#dfe7ee,#f3efe6 45%%,#e3ece6)"><svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%%" height="100%%" aria-hidden="true"><path d="M0 70Q25 55 50 68T100 60V100H0Z" fill="#c6d4de"/><path d="M0 84Q30 72 60 82T100 78V100H0Z" fill="#aebfca"/></svg></div>`, in.fault.Dose*100)
	body := content(in.doc)
	if !body.Contains(kept.Nodes[0]) {
		p := body.AppendHtml(filler + "<p></p>").Children().Last()
		p.AppendSelection(kept)
		return
	}
	// The filler goes before the outermost block that has something before it, so
	// that the page still begins as it did.
	at := kept
	if !isButton(kept) && !kept.Is("input, select, textarea") {
		kept.ParentsUntilNodes(body.Nodes[0]).Each(func(_ int, block *goquery.Selection) {
			if block.PrevAll().Length() > 0 && !block.Is("li, td, th, tr, dd, dt") {
				at = block
			}
		})
	}
	at.BeforeHtml(filler)
}

func hiddenInMenu(in *injection) {
	kept := keepOne(in)
	if kept.Length() == 0 {
		return // the page is in a state that does not have it
	}
	in.mark(kept)
	if !kept.ParentsFiltered("main").Is("main") && kept.Parent().Is("li") {
		kept.SetAttr("style", "display:block;"+kept.AttrOr("style", ""))
	}
	kept.WrapHtml(`<details style="display:inline-block;border:0;padding:0"><summary>More</summary></details>`)
	details := kept.Closest("details")
	if summary := kept.Closest("summary"); summary.Length() > 0 { // WrapHtml goes to the innermost
		kept.Remove()
		details.AppendSelection(kept)
	}
}

// covered lays a badge over most of the element. The box around the badge, which
// nobody sees, takes every click on the rest; it scrolls with the element, and
// nothing closes it.
func covered(in *injection) {
	in.mark(in.el)
	in.el.Each(func(_ int, e *goquery.Selection) {
		block := "inline-block"
		if e.Is(".wide") {
			block = "block"
		}
		badge := `<span style="position:absolute;inset:-8px -10px;z-index:60" data-u="` + in.fault.mark() + `"><span style="position:absolute;inset:0 0 0 28%;display:flex;align-items:center;justify-content:center;background:#fff6d8;border:1px solid #e5d5a0;border-radius:8px;color:#4a3f16;font:14px/1.2 sans-serif;overflow:hidden">Rated 4.8 by our visitors</span></span>`
		e.WrapHtml(`<span style="position:relative;display:` + block + `"></span>`)
		e.AfterHtml(badge)
	})
}

func interruption(in *injection) {
	in.doc.Find("body").AppendHtml(`<div id="join" data-u="` + in.fault.mark() + `" style="position:fixed;inset:0;z-index:90;background:rgba(20,20,30,.6);display:flex;align-items:center;justify-content:center;padding:1rem">
<div role="dialog" aria-modal="true" aria-labelledby="join-title" style="background:#fff;color:#222;border-radius:14px;max-width:26rem;padding:2rem;font:16px/1.5 sans-serif">
<h2 id="join-title" style="margin:0 0 .6rem;color:#222">Never miss a letter from us</h2><p style="color:#444">Join 12,000 readers of our weekly newsletter.</p>
<p><label>Your email <input type="email" autocomplete="email" style="font:inherit;padding:.4rem;width:100%"></label></p>
<button type="button" data-close style="font:inherit;padding:.6rem 1.2rem">Join now</button> <button type="button" data-close style="font:inherit;padding:.6rem 1.2rem;background:none;border:0;color:#555;text-decoration:underline">No, thank you</button>
</div></div>`)
	in.script(`document.querySelectorAll("#join [data-close]").forEach((b) => b.addEventListener("click", () => document.getElementById("join").remove()));`)
}

// layoutShift pushes the page down. CLS is the share of the viewport that moves
// times the distance by its larger side (web.dev/cls); everything moves here.
func layoutShift(in *injection) {
	in.script(fmt.Sprintf(`addEventListener("load", () => setTimeout(() => {
  const notice = document.createElement("div");
  notice.style.cssText = "background:#26323b;color:#fff;padding:0 1.5rem;font:18px/3 sans-serif;overflow:hidden;height:" + Math.round(%g * Math.max(innerWidth, innerHeight)) + "px";
  notice.textContent = "Good news: we have been shortlisted for an award.";
  document.body.prepend(notice);
}, 700));`, in.fault.Dose))
}

// lateCost names a fee above the last button and adds it to a total.
func lateCost(in *injection) {
	const fee = 7.95
	form := formOf(in.doc, in.el)
	note := fmt.Sprintf(`<p data-u="%s"><strong>Service charge: £%.2f</strong> is added when you confirm.</p>`, in.fault.mark(), fee)
	if send := sender(form); send.Length() > 0 {
		send.BeforeHtml(note)
	} else {
		form.PrependHtml(note)
	}
	in.doc.Find("dd.total").Each(func(_ int, total *goquery.Selection) {
		var sum float64
		if _, err := fmt.Sscanf(strings.TrimSpace(total.Text()), "£%f", &sum); err == nil {
			total.SetText(fmt.Sprintf("£%.2f", sum+fee))
		}
	})
}
