package httpapi

import (
	"fmt"
	"strings"

	"understudy/domain/report"
	"understudy/domain/walk"
)

// turnView is what was on offer where people turned back.
type turnView struct{ Rows []turnRow }

// turnRow is one part of it in words.
type turnRow struct{ Label, Text string }

// shownOffers is how many controls are named at most.
const shownOffers = 8

func viewOfTurn(t *report.Turn, completed int) *turnView {
	if t == nil {
		return nil
	}
	v := &turnView{}
	add := func(label, text string) {
		if text != "" {
			v.Rows = append(v.Rows, turnRow{label, text})
		}
	}
	var words []string
	for _, w := range t.Expected {
		words = append(words, walk.Quote(w))
	}
	add("They looked for", strings.Join(words, ", "))
	add("Took in vain", offers(t.Taken, func(o report.Offer) string { return ofAll(o.Sessions, completed) }))
	add("Did not take", offers(t.NotTaken, noticedWords))
	add("Would have led on", waysWords(t))
	return v
}

// offers lists controls, each with what note says of it.
func offers(all []report.Offer, note func(report.Offer) string) string {
	var out []string
	for _, o := range all[:min(len(all), shownOffers)] {
		name := quoteOr(o.Name, strings.TrimSpace("a "+o.Role)+" without a name")
		if n := note(o); n != "" {
			name += " (" + n + ")"
		}
		out = append(out, name)
	}
	text := strings.Join(out, ", ")
	if more := len(all) - shownOffers; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// noticedWords say whether those who turned back could have known of a control.
func noticedWords(o report.Offer) string {
	switch o.Noticed {
	case "unread":
		return "on the screen, but not to be read"
	case "unseen":
		return "never on their screen"
	}
	return ""
}

// waysWords tell what leads on, and how that is known.
func waysWords(t *report.Turn) string {
	switch {
	case t.KnownBy == "page":
		return "reading on: others found it on this page"
	case len(t.Ways) == 0 || t.KnownBy == "unknown":
		return "unknown: nobody got on from there, and no link of the site is known to lead to where the task is done"
	case t.KnownBy == "links":
		return offers(t.Ways, noticedWords) + ": the site’s own links lead from there to where the task is done"
	}
	return offers(t.Ways, func(o report.Offer) string {
		note := "taken by " + counted(o.Sessions, "session") + " that succeeded"
		if seen := noticedWords(o); seen != "" {
			note += "; of the others " + seen
		}
		return note
	})
}
