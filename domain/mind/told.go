package mind

import (
	"regexp"
	"strings"
)

// generalSuccess is how interfaces tell that something went well.
var generalSuccess = []string{"thank you", "thanks for", "thanks!", "thanks,", "success", "confirmed", "confirmation", "congratulations",
	"all set", "all done", "has been received", "have received", "has been sent", "is complete", "was completed"}

// toldSuccess is how they tell it for one verb.
var toldSuccess = map[string][]string{
	"signup":      {"account created", "account has been created", "welcome", "verify your email", "check your email", "check your inbox", "activate your account", "you're in", "you are in", "registered", "registration complete", "account is ready"},
	"trial":       {"trial has started", "trial started", "welcome", "check your email", "check your inbox", "account created", "you're in"},
	"login":       {"welcome", "logged in", "signed in", "log out", "sign out", "dashboard"},
	"logout":      {"logged out", "signed out", "goodbye", "see you soon"},
	"buy":         {"order placed", "order number", "your order is", "your order has", "we have your order", "order received", "order confirmed", "order has been", "payment successful", "purchase complete", "is on its way", "your tickets"},
	"checkout":    {"order placed", "order number", "your order is", "your order has", "we have your order", "order received", "order confirmed", "order has been", "payment successful", "purchase complete", "is on its way", "payment received", "payment complete", "has been paid", "you have paid", "is paid"},
	"addcart":     {"added to", "in your cart", "in your basket", "in your bag", "1 item", "view cart", "cart (1"},
	"subscribe":   {"subscribed", "check your inbox", "check your email", "on the list", "almost there", "signed up", "one more step"},
	"unsubscribe": {"unsubscribed", "removed from", "no longer receive", "no longer get"},
	"contact":     {"message sent", "message has been", "get back to you", "in touch", "will reply", "received your", "have your message", "will answer"},
	"send":        {"sent", "submitted", "received", "get back to you", "in touch", "is on its way"},
	"demo":        {"request received", "in touch", "contact you", "booked", "get back to you"},
	"quote":       {"request received", "in touch", "get back to you", "your quote"},
	"book":        {"booked", "booking is", "booking number", "reservation is", "reservation number", "reserved", "see you", "appointment is", "your appointment", "your place"},
	"cancel":      {"cancelled", "canceled", "terminated", "has ended", "will end"},
	"delete":      {"deleted", "removed", "is gone"},
	"edit":        {"saved", "updated", "changed"},
	"save":        {"saved", "updated", "bookmarked", "added to your"},
	"create":      {"created", "added", "published", "set up", "now on the list"},
	"download":    {"downloading", "your download", "download will start", "download started"},
	"donate":      {"donation", "generosity", "your gift"},
	"search":      {"results", "found"},
	"apply":       {"application received", "application submitted", "application has been", "application is", "application complete", "application sent", "have your application", "received your application"},
	"vote":        {"your vote", "you voted", "counted"},
	"comment":     {"comment posted", "your comment", "awaiting moderation", "your rating", "your review", "rated"},
	"share":       {"shared", "invitation sent", "invited", "copied"},
	"upgrade":     {"upgraded", "your new plan", "your plan is"},
	"choose":      {"selected", "your selection", "you chose", "your choice", "your plan"},
	"return":      {"return is", "return has", "refund is", "refund has", "we refund", "return label"},
	"undo":        {"undone", "restored", "reverted"},
	"compare":     {"comparison", "compare"},
	"transfer":    {"payment sent", "money sent", "transfer sent", "is on its way", "on its way to", "transferred", "payment made", "payment scheduled", "payment complete", "you sent", "you have sent", "you paid", "has been scheduled", "transfer complete"},
	"freeze":      {"frozen", "is blocked", "blocked", "is locked", "locked", "is paused", "suspended"},
	"unfreeze":    {"unfrozen", "unblocked", "unlocked", "active again", "used again", "reactivated"},
	"report":      {"reported", "report received", "report has been", "your report", "have your report", "reference"},
	"renew":       {"renewed", "extended", "renewal is complete", "now valid until", "valid until"},
	"upload":      {"uploaded", "file received", "have your file", "upload complete", "attached"},
	"on":          {"turned on", "switched on", "enabled", "activated", "is on", "are on", "saved", "you will get", "you will receive"},
	"off":         {"turned off", "switched off", "disabled", "deactivated", "is off", "are off", "saved", "no longer", "you will not", "won't"},
	"follow":      {"following", "you follow"},
	"reply":       {"reply posted", "your reply", "replied"},
	"filter":      {"results", "found", "showing", "shown"},
	"sort":        {"sorted"},
	"play":        {"now playing", "playing"},
}

// reference is the number that a deed is given when it is done.
var reference = regexp.MustCompile(`(?i)\b(?:your |the )?(?:reference|confirmation|order|booking|case|application|ticket|claim|receipt|report|permit|payment)\s*(?:number|no\.?|id|code|ref(?:erence)?)?\s*(?:is|:|#)?\s*[A-Z]{0,6}-?\d[A-Z0-9-]{3,}\b`)

// irregularPast are participles that "-ed" does not make.
var irregularPast = map[string]string{
	"send": "sent", "buy": "bought", "pay": "paid", "freeze": "frozen", "write": "written", "give": "given", "take": "taken", "make": "made",
	"choose": "chosen", "hide": "hidden", "withdraw": "withdrawn", "put": "put", "set": "set", "split": "split", "read": "read", "undo": "undone", "leave": "left",
}

// participle is the form of a regular verb that tells that it is done.
func participle(verb string) string {
	n := len(verb)
	switch p, irregular := irregularPast[verb]; {
	case irregular:
		return p
	case n < 3:
		return ""
	case strings.HasSuffix(verb, "e"):
		return verb + "d"
	case strings.HasSuffix(verb, "y") && !strings.ContainsRune("aeiou", rune(verb[n-2])):
		return verb[:n-1] + "ied"
	}
	return verb + "ed"
}

// tells reports a text that says a subgoal's act succeeded: in general words, in
// those of the verb, or with the participle of the verb that the task uses.
func tells(s *Subgoal, text string) bool {
	if text == "" || len(text) > 400 {
		return false
	}
	text = strings.ToLower(text)
	if containsAny(text, generalSuccess) || containsAny(text, toldSuccess[s.Verb]) {
		return true
	}
	verb := s.own
	if verb == "" {
		verb = s.Verb
	}
	if past := participle(verb); past != "" && !plainPast[past] {
		for _, t := range tokens(text) {
			if t == past {
				return true
			}
		}
	}
	return false
}

// plainPast are participles that say something else just as often.
var plainPast = set(`put set left made given taken read needed wanted used oned offed`)
