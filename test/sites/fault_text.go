package sites

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// padding are sentences of the kind that nobody reads, about nothing.
var padding = []string{
	"Since we began, we have tried to do what we do with care, and over the years a good many people have told us that they noticed, which we take as a sign that it was worth the trouble.",
	"It would be easy to do things differently, and others do, but we have found that taking a little longer at the beginning saves a good deal of time later on, for us and for those who come after us.",
	"Before anything else we should mention that what follows applies in most cases, though not in all of them, and that where it does not apply something else will usually apply instead, depending on the circumstances.",
	"Where earlier versions of this page said something else, this one takes precedence, unless it was agreed otherwise in writing before the date on which the change was made known in the usual way.",
	"We are often asked how it all came about, and the honest answer is that it was not planned: one thing led to another, people lent a hand, and before long there was more to do than there were hours in the day.",
	"Much of this goes back to a conversation in a kitchen on a wet afternoon, at which nobody took notes, so that the three of us who were there remember it in three ways and have agreed to disagree about the details.",
	"Those who have been with us for longer will know some of it already and may want to skip ahead, while those who are new here will find that it helps to have read it once, even if not every word of it stays.",
	"Whether that is an advantage or not depends on how one looks at it, and there have been times when we looked at it one way and times when we looked at it the other, usually after a long week or a short night.",
	"In the course of the years a number of small things have been added that seemed important at the time, and because taking something out is harder than putting something in, most of them are still here.",
	"None of this should keep anybody from getting in touch, by whichever means seems best, at whichever time suits, about whatever it may be, since most questions turn out to be easier than the effort of asking them.",
	"Where an example would help we have tried to give one, but examples have a way of being taken for the rule, and so in some places we have preferred to say nothing rather than something that could be misread.",
	"As far as possible we have tried to put things in an order that makes sense, although some of what is said here will only become clear in the light of what is said further down.",
}

// wallOfText turns what the page says into one block.
func wallOfText(in *injection) {
	words := int(in.fault.Dose)
	var b strings.Builder
	told := spoken(in.el.First())
	for n, i := 0, 0; n < words; i++ {
		sentence := padding[i%len(padding)]
		if n >= words/2 && told != "" {
			b.WriteString(escape(told) + " ")
			told = ""
		}
		b.WriteString(sentence + " ")
		n += len(strings.Fields(sentence))
	}
	block := `<p data-u="` + in.fault.mark() + `">` + b.String() + `</p>`
	if in.el.Length() > 0 {
		el := in.el.First()
		if el.Is("td, th, dd, li") {
			el = el.Closest("table, dl, ul, ol")
		}
		el.ReplaceWithHtml(block)
		return
	}
	if h := content(in.doc).Find("h1").First(); h.Length() > 0 {
		h.AfterHtml(block)
		return
	}
	content(in.doc).PrependHtml(block)
}

// spoken is the text of a selection with a space between any two pieces of it.
func spoken(el *goquery.Selection) string {
	var b strings.Builder
	el.Find("*").AddSelection(el).Contents().Each(func(_ int, n *goquery.Selection) {
		if goquery.NodeName(n) == "#text" {
			b.WriteString(n.Text() + " ")
		}
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// cant is what makers say among themselves.
var cant = struct{ headings, paragraphs []string }{
	[]string{"Omnichannel fulfilment orchestration", "Idempotent lifecycle provisioning", "Federated entitlement taxonomy", "Asynchronous remediation framework",
		"Deterministic eligibility adjudication", "Parameterised tariff amortisation", "Canonical evidentiary attestation", "Ubiquitous channel interoperability"},
	[]string{
		"Leverage heterogeneous touchpoint telemetry to operationalise granular stakeholder segmentation throughout the fulfilment lifecycle.",
		"Entitlement provisioning is contingent upon counterparty attestation, subrogation waivers and idempotent reconciliation of the underlying ledger.",
		"Our multi-tenant middleware disintermediates legacy workflows, parameterising asynchronous remediation via declarative orchestration primitives.",
		"Pursuant to the aforementioned schema, idempotency tokens are disaggregated prior to canonicalisation of evidentiary artefacts.",
		"Interoperability with heterogeneous tariff ontologies is predicated upon bidirectional synchronisation of probabilistic eligibility vectors.",
		"Heuristic deduplication obviates retroactive amortisation, ameliorating latency across federated custodial endpoints.",
	},
}

// jargon replaces headings and paragraphs of the main part that hold no control
// and nothing of what the visitor came for.
func jargon(in *injection) {
	n := 0
	content(in.doc).Find("h1, h2, h3, p, dt").Each(func(_ int, e *goquery.Selection) {
		if e.Find("a, button, input, select, textarea, label").Length() > 0 || e.Closest("a, button, label, details, form").Length() > 0 && !e.Is("h1, h2") {
			return
		}
		if in.el.Length() > 0 && (e.IsSelection(in.el) || e.FindSelection(in.el).Length() > 0 || in.el.FindSelection(e).Length() > 0) {
			return
		}
		words := cant.paragraphs
		if !e.Is("p") {
			words = cant.headings
		}
		e.SetText(words[n%len(words)])
		n++
	})
	lead := cant.paragraphs[0] + " " + cant.paragraphs[1]
	if h := content(in.doc).Find("h1").First(); h.Length() > 0 {
		h.AfterHtml("<p>" + lead + "</p>")
	} else {
		content(in.doc).PrependHtml("<p>" + lead + "</p>")
	}
}
