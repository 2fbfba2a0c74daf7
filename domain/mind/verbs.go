package mind

import (
	"regexp"
	"strings"
)

// spanAsked is a question for a length of time.
var spanAsked = regexp.MustCompile(`^how many (?:\w+ )?(?:minutes|hours|days|weeks|months|years)\b`)

func startsWithVerb(s string) bool {
	if reachLead.MatchString(s) || askLead.MatchString(s) {
		return true
	}
	t := analyse(s).base
	verb, n := verbAt(t)
	return verb != "" && n > 0
}

// startsWithAct guards words that both ask and act ("check out", "read more").
func startsWithAct(s string) bool {
	w := analyse(s).base
	return hasPrefix(w, []string{"check", "out"}) || hasPrefix(w, []string{"see", "you"})
}

// content keeps the words that say what something is about.
func content(w, quotes []string) []string {
	out := []string{}
	for _, q := range quotes {
		w = append(w[:len(w):len(w)], analyse(q).base...)
	}
	for _, t := range w {
		if !stopwords[t] && !filler[t] && !has(out, t) && len(out) < 10 {
			out = append(out, t)
		}
	}
	return out
}

// filler words name the medium and not the thing.
var filler = set(`page website site web screen section tab link button menu item thing called named titled something anything
yourself myself via around through within have had has mean means asking`)

// verbs are the concepts that can be done; the order of phrases is that of
// concepts in lexicon.go.
var verbs = set(`signup login logout trial buy addcart checkout contact search subscribe unsubscribe download book cancel
delete undo edit save create send donate compare apply comment vote share upgrade choose quote return demo`)

// plainVerbs are further verbs of tasks, mapped to the concept they mean.
var plainVerbs = map[string]string{
	"request": "send", "ask": "contact", "message": "contact", "email": "contact", "call": "contact", "fill": "send",
	"complete": "send", "enter": "send", "click": "choose", "press": "choose", "put": "addcart", "rent": "book",
	"hire": "contact", "report": "send", "upload": "send", "write": "send", "post": "send", "confirm": "send", "configure": "edit", "set": "edit",
	"try": "trial", "tell": "comment", "rate": "comment", "renew": "buy", "pay": "checkout", "withdraw": "cancel", "invite": "share", "get": "buy",
	"install": "download", "explore": "", "log": "login", "customize": "edit", "customise": "edit", "turn": "edit", "enable": "edit",
	"disable": "edit", "add": "create", "generate": "create", "start": "create", "reset": "edit", "recover": "edit",
}

// verbAt finds the verb that a clause begins with and how many words it takes.
func verbAt(w []string) (string, int) {
	if len(w) == 0 {
		return "", 0
	}
	if w[0] == "add" {
		for _, t := range w[1:] {
			if t == "cart" || t == "basket" || t == "bag" || t == "trolley" {
				return "addcart", 1
			}
		}
	}
	verb, longest := "", -1
	for _, p := range phrases[w[0]] {
		if verbs[p.concept] && len(p.rest) > longest && hasPrefix(w[1:], p.rest) {
			verb, longest = p.concept, len(p.rest)
		}
	}
	if verb != "" {
		return verb, longest + 1
	}
	if v, ok := plainVerbs[w[0]]; ok && v != "" {
		return v, 1
	}
	return "", 0
}

// answerKind guesses what kind of answer a question wants.
func answerKind(q string) string {
	q = strings.ToLower(q)
	c := analyse(q).concepts
	switch {
	case has(c, "contact") || has(c, "phone") || has(c, "email"):
		return "contact"
	case strings.HasPrefix(q, "how much") || has(c, "price"):
		return "price"
	case strings.HasPrefix(q, "when") || strings.HasPrefix(q, "how long") || spanAsked.MatchString(q) || has(c, "hours") && !strings.HasPrefix(q, "how to"):
		return "time"
	case strings.HasPrefix(q, "where") || has(c, "location"):
		return "place"
	case strings.HasPrefix(q, "how"):
		return "howto"
	}
	return ""
}
