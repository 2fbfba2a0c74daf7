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
yourself myself later via around through within have had has mean means asking`)

// verbs are the concepts that can be done; the order of phrases is that of
// concepts in lexicon.go.
var verbs = set(`signup login logout trial buy addcart checkout contact search subscribe unsubscribe download book cancel
delete undo edit save create send donate compare apply comment vote share upgrade choose quote return demo
transfer freeze unfreeze report renew upload filter sort on off follow play reply track`)

// plainVerbs are further verbs of tasks, mapped to the concept they mean.
var plainVerbs = map[string]string{
	"request": "send", "ask": "contact", "message": "contact", "email": "contact", "call": "contact", "fill": "send",
	"complete": "send", "enter": "send", "click": "choose", "press": "choose", "put": "addcart", "rent": "book",
	"hire": "contact", "write": "send", "post": "send", "confirm": "send", "configure": "edit", "set": "edit",
	"try": "trial", "tell": "comment", "rate": "comment", "renew": "buy", "pay": "checkout", "withdraw": "cancel", "invite": "share", "get": "buy",
	"install": "download", "explore": "", "log": "login", "customize": "edit", "customise": "edit", "turn": "edit",
	"attach": "upload", "bookmark": "save", "prolong": "renew", "extend": "renew", "stop": "off", "narrow": "filter", "replace": "edit",
	"onswitch": "on", "offswitch": "off", "lodge": "send", "move": "edit", "reschedule": "edit", "postpone": "edit", "watch": "play", "listen": "play",
	"review": "comment", "add": "create", "generate": "create", "start": "create", "reset": "edit", "recover": "edit",
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
	if verb, n := lentVerb(w); n > 0 {
		return verb, n
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

// dayAsked is a question for a day or a time in other words than "when".
var dayAsked = regexp.MustCompile(`^(?:on |at |in )?(?:which|what) (?:days?|dates?|times?|months?|years?|weekdays?)\b`)

// numberAsked is a question for a number that is neither a price nor a time.
var numberAsked = regexp.MustCompile(`^how (?:many|far|big|large|heavy|tall|high|wide|deep|old|fast)\b|\b(?:number of|maximum|minimum|limit)\b`)

// percentAsked is a question for a share of a hundred.
var percentAsked = regexp.MustCompile(`\b(?:interest|percentage|per cent|percent|apr|aer)\b`)

// moneyAsked is a question for an amount of money.
var moneyAsked = regexp.MustCompile(`^how much\b|\b(?:balance|costs?|fees?|charges?|salary|total|owe|deposit|fare|pays?|paid|spent|worth|earns?|fine for)\b`)

// yesNoAsked can be answered with yes or no.
var yesNoAsked = regexp.MustCompile(`^(?:whether|if|is|are|does|do|can|may|will|has|have|is there|are there)\b`)

// lenders are verbs that lend themselves to the noun behind them: "make a
// booking", "place an order", "leave a comment".
var lenders = set(`start make get place submit take leave write give have do post add request cast`)

// lentVerb finds the verb in the noun behind a verb that says little itself,
// and how many words it takes to there.
func lentVerb(w []string) (string, int) {
	if !lenders[w[0]] {
		return "", 0
	}
	for i := 1; i < len(w) && i <= 3; i++ {
		if i > 1 && stopwords[w[i]] && w[i] != "a" && w[i] != "an" && w[i] != "the" {
			return "", 0
		}
		for _, p := range phrases[w[i]] {
			if verbs[p.concept] && lent[p.concept] && len(p.rest) == 0 && w[i] != p.concept+"s" {
				return p.concept, i + 1
			}
		}
	}
	return "", 0
}

// lent are the concepts whose nouns are said with such verbs.
var lent = set(`trial buy book comment apply donate quote return demo vote report`)

// answerKind guesses what kind of answer a question wants.
func answerKind(q string) string {
	q = strings.ToLower(strings.TrimSpace(q))
	c := analyse(q).concepts
	switch {
	case strings.HasPrefix(q, "how to"), strings.HasPrefix(q, "how do"), strings.HasPrefix(q, "how can"):
		if c = analyse(compound.ReplaceAllString(q, " ")).concepts; has(c, "contact") || has(c, "phone") || has(c, "email") {
			return "contact"
		}
		return "howto"
	case dayAsked.MatchString(q) || strings.HasPrefix(q, "when") || strings.HasPrefix(q, "what time") || strings.HasPrefix(q, "what day") || strings.HasPrefix(q, "how long") || spanAsked.MatchString(q):
		return "time"
	case yesNoAsked.MatchString(q):
		return "yesno"
	case percentAsked.MatchString(q):
		return "percent"
	case has(c, "contact") || has(c, "phone") || has(c, "email"):
		return "contact"
	case strings.HasPrefix(q, "how much") || has(c, "price") || moneyAsked.MatchString(q):
		return "price"
	case has(c, "hours"):
		return "time"
	case strings.HasPrefix(q, "where") || has(c, "location") || placeAsked.MatchString(q):
		return "place"
	case numberAsked.MatchString(q):
		return "number"
	case strings.HasPrefix(q, "who"):
		return "person"
	case strings.HasPrefix(q, "how"):
		return "howto"
	}
	return ""
}
