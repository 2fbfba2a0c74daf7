package sites

import (
	"fmt"
	"strings"
)

// decoyKinds lists harmless changes: what an auditor might blame though it is
// on nobody's way, and plain edits that repair or break nothing.
func decoyKinds() []kind {
	return []kind{
		// Large, faint ornament at the foot of the page; WCAG exempts decoration.
		{name: "ornament", page: true, rewrite: ornament},
		// A link inside a sentence, which WCAG 2.5.8 exempts from its target size.
		{name: "inline_link", page: true, rewrite: inlineLink},
		// A warning in the console.
		{name: "console_warning", page: true, rewrite: func(in *injection) {
			in.script(`console.warn("Deprecated: option \"eager\" will be removed in the next version.");`)
		}},
		// A request for statistics that is answered with 404 and matters to nobody.
		{name: "lost_beacon", page: true, rewrite: func(in *injection) {
			in.script(`addEventListener("load", () => navigator.sendBeacon("/collect/visit", "1"));`)
		}},
		// A decorative picture with an empty alternative text.
		{name: "plain_picture", page: true, rewrite: plainPicture},
		// Much text on a page that is not on the way.
		{name: "long_terms", page: true, dose: 700, rewrite: longTerms},
		// A field without a label that no visitor sees, to catch robots.
		{name: "hidden_field", page: true, rewrite: hiddenField},
		// Another link to where the element leads, with another name, in the footer.
		{name: "second_link", rewrite: secondLink},
		// The button can be used as soon as the form is filled in, and says so.
		{name: "waiting_button", rewrite: waitingButton},
		// The element has rounder corners and a little more room.
		{name: "restyled", rewrite: restyled},
		// The footer says something else.
		{name: "reworded_footer", page: true, rewrite: func(in *injection) {
			footOf(in).AppendHtml("<p>We wish you a pleasant day.</p>")
		}},
	}
}

func ornament(in *injection) {
	footOf(in).AppendHtml(`<p aria-hidden="true" style="font-size:64px;line-height:1;margin:0;letter-spacing:.1em;opacity:.12">SINCE 1998</p>`)
}

func inlineLink(in *injection) {
	body := content(in.doc)
	if narrow := body.Find(".narrow, .wrap, article").Last(); narrow.Length() > 0 {
		body = narrow
	}
	body.AppendHtml(fmt.Sprintf(`<p>This page was last looked over in spring; the one <a href="%s">you are reading</a> is the newest version.</p>`, in.fault.Path))
}

func plainPicture(in *injection) {
	content(in.doc).AppendHtml(`<img alt="" width="320" height="24" style="display:block;margin:2rem auto" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 320 24'%3E%3Cpath d='M0 12q20-12 40 0t40 0 40 0 40 0 40 0 40 0 40 0 40 0' fill='none' stroke='%23889' stroke-width='2'/%3E%3C/svg%3E">`)
}

func longTerms(in *injection) {
	var b strings.Builder
	for n, i := 0, 0; n < int(in.fault.Dose); i++ {
		s := padding[i%len(padding)]
		b.WriteString(s + " ")
		n += len(strings.Fields(s))
	}
	content(in.doc).AppendHtml("<p>" + b.String() + "</p>")
}

func hiddenField(in *injection) {
	formOf(in.doc, in.el).AppendHtml(`<input type="text" name="website" tabindex="-1" autocomplete="off" style="display:none">`)
}

func secondLink(in *injection) {
	if to, ok := in.el.First().Attr("href"); ok {
		footOf(in).AppendHtml(fmt.Sprintf(`<p><a href="%s">All there is to know about it</a></p>`, escape(to)))
	}
}

func waitingButton(in *injection) {
	in.mark(in.el)
	in.el.BeforeHtml(`<p class="hint">The button can be pressed as soon as every required answer is given.</p>`)
	in.script(`document.querySelectorAll(%s).forEach((button) => {
  const form = button.form;
  const ready = () => [...form.elements].every((f) => !f.required || (f.type === "checkbox" ? f.checked : f.type === "radio" ? form.querySelector('[name="' + f.name + '"]:checked') : f.value.trim() !== ""));
  const look = () => { button.disabled = !ready(); };
  form.addEventListener("input", look);
  form.addEventListener("change", look);
  look();
});`)
}

func restyled(in *injection) {
	css(in.el, "border-radius:14px", "letter-spacing:.01em")
}
