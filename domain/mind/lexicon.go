package mind

import (
	"maps"
	"slices"
	"strings"
)

// concepts are what interfaces call by many names. Words of one concept match
// each other as interface synonyms. "log in" and "sign up" are two concepts.
var concepts = map[string][]string{
	"signup": {"sign up", "signup", "register", "registration", "create account", "create an account", "create your account", "create my account", "create a new account", "open a new account", "make an account",
		"create a free account", "open an account", "open account", "join", "enroll", "enrol", "get started", "start for free", "join now", "new account", "signing up", "signed up", "become a member"},
	"login":       {"log in", "login", "sign in", "signin", "log on", "logging in", "logged in", "signed in"},
	"logout":      {"log out", "logout", "sign out", "signout", "log off"},
	"trial":       {"free trial", "start trial", "try free", "try it free", "try for free", "trial", "try it", "try now"},
	"buy":         {"buy", "purchase", "order", "buy now", "shop now", "purchasing", "ordering", "get it now"},
	"cart":        {"cart", "basket", "shopping bag", "bag", "trolley"},
	"addcart":     {"add to cart", "add to basket", "add to bag", "add to trolley", "add it to cart", "put in cart"},
	"checkout":    {"checkout", "check out", "place order", "place your order", "proceed to checkout", "complete order", "complete purchase", "confirm order", "pay now", "continue to payment", "pay"},
	"shop":        {"shop", "store", "product", "catalog", "catalogue", "collection", "all products", "browse"},
	"contact":     {"contact", "get in touch", "reach us", "reach out", "talk to us", "write to us", "write", "write to", "compose", "message us", "email us", "call us", "message", "write a message", "new message", "secure message", "inbox", "talk to sales", "contact us", "be in touch", "reach", "customer service"},
	"about":       {"about", "about us", "who we are", "our story", "our company", "the team", "imprint", "impressum", "legal notice"},
	"help":        {"help", "support", "faq", "help center", "help centre", "customer support", "frequently asked questions", "knowledge base", "assistance"},
	"docs":        {"documentation", "docs", "manual", "guide", "tutorial", "reference", "handbook", "manpage", "manual page", "user manual", "howto", "getting started"},
	"price":       {"pricing", "price", "plan", "plans and pricing", "cost", "fee", "rate", "how much", "subscription plan", "tariff"},
	"search":      {"search", "look for", "find product"},
	"subscribe":   {"subscribe", "newsletter", "mailing list", "get updates", "stay updated", "stay in the loop", "subscription", "join the list", "keep me posted"},
	"unsubscribe": {"unsubscribe", "opt out"},
	"download":    {"download", "get the app", "install", "installer"},
	"book":        {"book", "reserve", "reservation", "booking", "schedule", "make an appointment", "appointment", "book now", "make a reservation"},
	"demo":        {"demo", "request a demo", "book a demo", "live demo", "see it in action"},
	"cancel":      {"cancel", "cancellation", "terminate", "end membership", "end subscription"},
	"delete":      {"delete", "remove", "erase", "deactivate", "close account", "discard"},
	"undo":        {"undo", "revert", "roll back", "rollback", "reset", "restore", "take back", "unstage", "undo changes", "uncommit"},
	"fix":         {"fix", "fixing", "repair", "mistake", "correct", "correction", "troubleshooting", "recover", "recovery"},
	"edit":        {"edit", "change", "update", "modify", "rename", "amend"},
	"save":        {"save", "apply", "keep changes", "bookmark", "save for later", "add to favourites", "add to favorites", "add to list", "add to saved", "wishlist", "favourite", "favorite", "reading list"},
	"create":      {"create", "new", "add", "make", "start a new", "set up"},
	"send":        {"send", "submit", "post", "send message"},
	"settings":    {"settings", "setting", "preference", "configuration", "option", "my account", "account settings", "profile", "account"},
	"password":    {"password", "passcode", "passphrase"},
	"delivery":    {"shipping", "delivery", "ship", "deliver", "dispatch"},
	"return":      {"return", "refund", "money back", "returns policy", "exchange"},
	"job":         {"job", "career", "vacancy", "work with us", "join our team", "open position", "hiring", "work for us"},
	"hours":       {"open", "opening", "opening hours", "hours", "opening times", "business hours", "open today", "when we are open"},
	"location":    {"location", "address", "directions", "find us", "where we are", "visit us", "our office", "map"},
	"phone":       {"phone", "telephone", "phone number", "call"},
	"email":       {"email", "e mail", "mail", "email address"},
	"terms":       {"terms", "terms of service", "terms and conditions", "terms of use", "conditions"},
	"privacy":     {"privacy", "privacy policy", "data protection"},
	"donate":      {"donate", "donation", "give", "contribute", "support our work"},
	"compare":     {"compare", "comparison", "versus", "vs"},
	"apply":       {"apply", "application", "apply now", "apply for", "apply online"},
	"feature":     {"feature", "what you get", "capability", "benefit"},
	"review":      {"review", "rating", "testimonial", "feedback"},
	"blog":        {"blog", "article", "news", "stories"},
	"more":        {"learn more", "read more", "find out more", "more info", "details", "see more", "view details", "click here", "more", "discover more", "continue reading", "tell me more", "here", "view", "go"},
	"dismiss":     {"close", "dismiss", "not now", "no thanks", "maybe later", "got it", "skip", "no thank you", "later", "continue without"},
	"accept":      {"accept", "accept all", "agree", "allow all", "allow", "ok", "okay", "i agree", "i understand", "got it", "accept cookies", "accept all cookies"},
	"reject":      {"reject", "reject all", "decline", "deny", "necessary only", "only necessary", "essential only", "refuse", "only essential", "reject cookies", "use necessary cookies only"},
	"menu":        {"menu", "navigation", "open menu", "main menu", "toggle navigation", "toggle menu", "hamburger"},
	"continue":    {"continue", "next", "proceed", "next step", "continue to", "start now", "begin", "save and continue", "start application", "get going"},
	"home":        {"home", "homepage", "start page", "back to home"},
	"comment":     {"comment", "commenting", "feedback", "helpful", "rate this page", "leave a comment", "write a comment", "post comment", "write a review", "leave a review", "review", "rate", "rating", "your review"},
	"confirm":     {"confirm", "confirm booking", "confirm appointment", "confirm and book", "confirm and send", "confirm and pay", "accept and send", "finish", "complete", "complete booking", "finalise", "finalize"},
	"recurring":   {"night", "nightly", "every night", "daily", "every day", "weekly", "schedule", "scheduled", "scheduling", "automatic", "automatically", "recurring", "cron", "timer"},
	"vote":        {"vote", "poll"},
	"share":       {"share", "invite"},
	"upgrade":     {"upgrade", "go pro", "go premium"},
	"choose":      {"choose", "select", "pick"},
	"quote":       {"quote", "get a quote", "request a quote", "estimate", "offer"},
	"transfer":    {"transfer", "send money", "make a payment", "new payment", "make a transfer", "bank transfer", "pay someone", "pay a person", "move money", "wire", "payment", "pay or transfer"},
	"freeze":      {"freeze", "block", "lock", "suspend", "temporarily block"},
	"unfreeze":    {"unfreeze", "unblock", "unlock", "reactivate"},
	"report":      {"report", "report a problem", "report it", "report an issue", "flag"},
	"renew":       {"renew", "renewal", "extend"},
	"upload":      {"upload", "attach", "choose file", "add a file", "add file", "choose a file", "attachment", "browse file"},
	"filter":      {"filter", "refine", "narrow", "show only", "narrow down"},
	"sort":        {"sort", "sort by", "order by", "sort order"},
	"on":          {"turn on", "turning on", "switch on", "switching on", "enable", "enabling", "activate", "activating"},
	"off":         {"turn off", "turning off", "switch off", "switching off", "disable", "disabling", "deactivate", "deactivating", "mute"},
	"follow":      {"follow", "following"},
	"play":        {"play", "listen", "watch"},
	"reply":       {"reply", "respond", "answer"},
	"transaction": {"transaction", "statement", "activity", "payment history", "order history", "history", "recent activity", "account activity", "spending"},
	"track":       {"track", "tracking", "where is my order", "order status"},
	"notice":      {"notification", "alert", "notify", "reminder"},
	"cheapest":    {"cheapest", "low to high", "lowest price", "cheapest first", "lowest first", "price ascending", "lowest"},
	"newest":      {"newest", "latest", "most recent", "newest first", "latest first", "date descending", "recent"},
}

// leadsTo is what people expect on the way to a goal: the label is not the
// goal's own, yet smells of it. The value is the attenuated scent; expansion
// beyond synonyms is held at or below 0.8 × 0.7.
var leadsTo = map[string]map[string]float64{
	"signup":      {"trial": 0.5, "subscribe": 0.35, "price": 0.25, "settings": 0.2, "continue": 0.3, "send": 0.3, "create": 0.3},
	"trial":       {"signup": 0.56, "price": 0.35, "demo": 0.3, "continue": 0.3, "send": 0.3},
	"login":       {"settings": 0.4, "continue": 0.3, "send": 0.3},
	"logout":      {"settings": 0.4},
	"buy":         {"addcart": 0.56, "checkout": 0.56, "cart": 0.45, "shop": 0.45, "price": 0.35, "continue": 0.3, "confirm": 0.5},
	"addcart":     {"cart": 0.45, "buy": 0.56, "shop": 0.45},
	"cart":        {"addcart": 0.56, "checkout": 0.3, "shop": 0.4, "buy": 0.4},
	"checkout":    {"cart": 0.56, "buy": 0.5, "addcart": 0.5, "shop": 0.35, "continue": 0.45, "send": 0.3, "confirm": 0.56},
	"contact":     {"about": 0.35, "help": 0.45, "phone": 0.5, "email": 0.45, "location": 0.35, "send": 0.3},
	"phone":       {"contact": 0.56, "about": 0.3, "help": 0.3},
	"email":       {"contact": 0.56, "about": 0.3, "help": 0.3},
	"location":    {"contact": 0.56, "about": 0.45},
	"hours":       {"location": 0.45, "contact": 0.5, "about": 0.4},
	"subscribe":   {"price": 0.4, "buy": 0.4, "choose": 0.3, "continue": 0.3, "signup": 0.4, "email": 0.4, "send": 0.3, "blog": 0.2},
	"download":    {"docs": 0.25, "signup": 0.25, "price": 0.2},
	"book":        {"confirm": 0.56, "contact": 0.25, "price": 0.2, "continue": 0.35, "send": 0.3, "hours": 0.25},
	"demo":        {"contact": 0.4, "signup": 0.3, "book": 0.5, "trial": 0.3},
	"cancel":      {"settings": 0.5, "price": 0.25, "help": 0.35, "delete": 0.35, "confirm": 0.45, "continue": 0.3},
	"delete":      {"settings": 0.5, "help": 0.3},
	"undo":        {"fix": 0.56, "docs": 0.3, "help": 0.25},
	"fix":         {"undo": 0.5, "help": 0.45, "docs": 0.4},
	"edit":        {"settings": 0.5, "save": 0.4, "continue": 0.3, "confirm": 0.4},
	"password":    {"settings": 0.5, "login": 0.35},
	"delivery":    {"help": 0.4, "return": 0.3, "checkout": 0.25, "terms": 0.2},
	"return":      {"help": 0.45, "delivery": 0.4, "terms": 0.25, "contact": 0.25},
	"job":         {"about": 0.4, "apply": 0.4},
	"apply":       {"job": 0.45, "continue": 0.4, "send": 0.4, "confirm": 0.45, "create": 0.3, "signup": 0.25},
	"price":       {"feature": 0.3, "shop": 0.3, "trial": 0.25, "compare": 0.35},
	"compare":     {"price": 0.5, "feature": 0.5},
	"docs":        {"help": 0.45},
	"help":        {"docs": 0.45, "contact": 0.45},
	"upgrade":     {"price": 0.5, "settings": 0.4},
	"donate":      {"about": 0.25, "help": 0.2, "continue": 0.35, "send": 0.3},
	"quote":       {"contact": 0.45, "price": 0.4, "send": 0.3},
	"send":        {"contact": 0.35, "continue": 0.3},
	"about":       {"contact": 0.2},
	"feature":     {"price": 0.3, "about": 0.25},
	"review":      {"shop": 0.3, "about": 0.25},
	"terms":       {"privacy": 0.35, "about": 0.25, "help": 0.2},
	"privacy":     {"terms": 0.35, "about": 0.25},
	"settings":    {"login": 0.35},
	"choose":      {"price": 0.3, "shop": 0.3, "continue": 0.3},
	"unsubscribe": {"settings": 0.5, "subscribe": 0.2, "off": 0.5, "notice": 0.4},
	"transfer":    {"continue": 0.35, "confirm": 0.5, "send": 0.56, "checkout": 0.5, "settings": 0.1},
	"freeze":      {"settings": 0.35, "report": 0.3, "on": 0.3, "confirm": 0.5, "cancel": 0.2},
	"unfreeze":    {"settings": 0.35, "off": 0.3, "confirm": 0.5},
	"report":      {"help": 0.45, "contact": 0.45, "send": 0.4, "continue": 0.35, "confirm": 0.4},
	"renew":       {"settings": 0.4, "continue": 0.35, "confirm": 0.5, "apply": 0.4, "checkout": 0.35, "buy": 0.35, "send": 0.35},
	"upload":      {"continue": 0.35, "send": 0.45, "save": 0.4, "docs": 0.3},
	"filter":      {"search": 0.35, "apply": 0.4, "shop": 0.3, "sort": 0.2},
	"sort":        {"filter": 0.4, "shop": 0.3},
	"on":          {"settings": 0.5, "save": 0.4, "notice": 0.4},
	"off":         {"settings": 0.5, "save": 0.4, "notice": 0.4, "unsubscribe": 0.45},
	"notice":      {"settings": 0.5, "email": 0.25},
	"transaction": {"settings": 0.5, "transfer": 0.3, "search": 0.35},
	"comment":     {"review": 0.56, "send": 0.35, "reply": 0.4, "blog": 0.2},
	"reply":       {"comment": 0.5, "send": 0.4},
	"save":        {"settings": 0.2, "continue": 0.2},
	"follow":      {"subscribe": 0.45},
	"track":       {"help": 0.3, "settings": 0.35, "delivery": 0.4},
}

// opposites are labels that undo or dodge the goal: they score 0, however
// similar their words are.
var opposites = map[string][]string{
	"signup": {"login", "logout", "unsubscribe"}, "trial": {"logout"},
	"login": {"signup", "logout"}, "logout": {"login", "signup"},
	"subscribe": {"unsubscribe"}, "unsubscribe": {"subscribe"},
	"addcart": {"delete"}, "buy": {"delete", "return"}, "checkout": {"delete", "return"},
	"create": {"delete"}, "save": {"delete", "cancel"}, "book": {"cancel"}, "send": {"cancel"}, "transfer": {"cancel"},
	"freeze": {"unfreeze"}, "unfreeze": {"freeze"}, "on": {"off"}, "off": {"on"}, "report": {"cancel"}, "apply": {"cancel"}, "renew": {"cancel", "delete"},
}

// destructive concepts score 0 unless the goal itself asks for them.
var destructive = map[string]bool{"delete": true, "cancel": true, "logout": true, "unsubscribe": true, "dismiss": true, "reject": true}

type phrase struct {
	rest    []string
	concept string
}

// phrases finds concepts by their first word.
var phrases = indexPhrases()

func indexPhrases() map[string][]phrase {
	index := map[string][]phrase{}
	for _, concept := range slices.Sorted(maps.Keys(concepts)) {
		for _, n := range concepts[concept] {
			parts := strings.Fields(n)
			for i := range parts {
				parts[i] = base(parts[i])
			}
			index[parts[0]] = append(index[parts[0]], phrase{parts[1:], concept})
		}
	}
	return index
}

// conceptsIn lists the concepts that the words express, longest phrase first
// at each place; the words of a longer phrase do not count again alone, so
// that "add to cart" is not "cart" and "sign up" is not "up".
func conceptsIn(w []string) []string {
	var out []string
	for i := 0; i < len(w); {
		step, longest := 1, -1
		for _, p := range phrases[w[i]] {
			if len(p.rest) >= longest && hasPrefix(w[i+1:], p.rest) {
				longest = len(p.rest)
			}
		}
		if longest >= 0 {
			for _, p := range phrases[w[i]] {
				if len(p.rest) == longest && hasPrefix(w[i+1:], p.rest) {
					out = appendConcept(out, p.concept)
				}
			}
			step = longest + 1
		}
		i += step
	}
	return out
}

// appendConcept keeps the set small and in an order that does not depend on
// the iteration order of maps.
func appendConcept(out []string, c string) []string {
	at := len(out)
	for i, o := range out {
		if o == c {
			return out
		}
		if o > c && at == len(out) {
			at = i
		}
	}
	out = append(out, "")
	copy(out[at+1:], out[at:])
	out[at] = c
	return out
}

func hasPrefix(w, prefix []string) bool {
	if len(w) < len(prefix) {
		return false
	}
	for i, p := range prefix {
		if w[i] != p {
			return false
		}
	}
	return true
}

func has(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// Label is the commonest name of a verb on interfaces ("sign up" for the
// concept signup), or the verb itself when it is no concept.
func Label(verb string) string {
	if names := concepts[verb]; len(names) > 0 {
		return names[0]
	}
	return verb
}
