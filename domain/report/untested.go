package report

import (
	"fmt"
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/scoring"
)

// viewports that a test can ask for.
var viewports = []string{"desktop", "tablet", "mobile"}

// untested lists what the report does not cover, from what the test asked for
// and who took part.
func untested(in Input, d *Document, a *atlas) []Untested {
	out := []Untested{}
	add := func(kind, format string, args ...any) {
		out = append(out, Untested{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	if in.Environment == domain.Sandbox {
		add("sandbox", "The page itself: sandbox keys walk a page made up from the task and never call the address.")
	}
	if in.Failed > 0 {
		add("sessions", "What %s would have shown that could not be carried out.", plural(in.Failed, "session"))
	}
	var absent []string
	for _, v := range viewports {
		if !slices.ContainsFunc(in.Sessions, func(s Session) bool { return s.Viewport == v }) {
			absent = append(absent, v)
		}
	}
	if len(absent) > 0 {
		add("viewport", "Screens that nobody had: %s.", listed(absent))
	}
	var unscored []string
	for _, c := range scoring.Criteria {
		if !slices.Contains(in.Criteria, c) {
			unscored = append(unscored, strings.ReplaceAll(c, "_", " "))
		}
	}
	if len(unscored) > 0 {
		add("criteria", "Not asked for, and so not scored: %s.", listed(unscored))
	}
	if len(d.WithoutEvidence) > 0 {
		add("criteria", "Asked for, but no session had evidence: %s.", strings.ReplaceAll(listed(d.WithoutEvidence), "_", " "))
	}
	for _, group := range castGroups {
		if !slices.ContainsFunc(in.Sessions, func(s Session) bool { return group.has(&s.Traits) }) {
			add("persona", "%s: nobody of the cast.", group.who)
		}
	}
	locale := in.Locale
	if locale == "" {
		locale = defaultLocale
	}
	add("language", "Languages and regions other than %s, which is what the browser asked for.", locale)
	add("pages", "All pages but %s that somebody came to.", theOnes(len(a.pages)))
	add("browser", "Browsers other than Chromium, slow networks and old devices.")
	add("effects", "What happens outside the pages: payments are never really made, and no e-mail or message is followed up.")
	return out
}

// defaultLocale is the one of the browser when the test names none.
const defaultLocale = "en-US"

// castGroups are people whom a page may shut out without anybody else noticing.
var castGroups = []struct {
	who string
	has func(*Traits) bool
}{
	{"People who use a screen reader", func(t *Traits) bool { return t.ScreenReader }},
	{"People who see and use the keyboard alone", func(t *Traits) bool { return t.KeyboardOnly && !t.ScreenReader }},
	{"People who zoom in", func(t *Traits) bool { return t.Zoom >= 1.5 }},
	{"People who need strong contrast", func(t *Traits) bool { return t.ContrastFactor >= 1.5 }},
	{"People with unsteady hands", func(t *Traits) bool { return t.MotorPrecision <= 0.4 }},
	{"People of 65 and older", func(t *Traits) bool { return t.AgeBand >= "65" }},
	{"People who read the language with effort", func(t *Traits) bool { return t.LanguageLevel == "basic" }},
	{"People who know nothing of the subject", func(t *Traits) bool { return t.DomainKnowledge == "low" }},
}

func theOnes(pages int) string {
	if pages == 1 {
		return "the one"
	}
	return fmt.Sprintf("the %d", pages)
}

// listed writes a list in words.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
