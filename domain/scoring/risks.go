package scoring

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"understudy/domain/mind"
)

var (
	money     = regexp.MustCompile(`[$€£¥]\s?\d|\d\s?(?:€|EUR|USD|GBP)`)
	lateWords = regexp.MustCompile(`(?i)\b(?:shipping|delivery|service|booking|handling|processing)\s+(?:fee|cost|charge)s?\b|\b(?:fee|surcharge)s?\b`)
)

// risks lists what the walk met that costs trust, each kind once.
func risks(w mind.Walked) []TrustRisk {
	found := map[TrustRisk]bool{}
	feesBefore := false
	for i := range w.Steps {
		r := &w.Steps[i]
		if r.HasSignal(mind.SigInterrupted) {
			found[Interruption] = true
		}
		if r.Decision.Purpose == mind.Fill && r.Decision.Target != nil {
			fieldRisks(w, r, found)
		}
		fees := feesOn(&r.Page)
		if fees && !feesBefore && i > 0 && paying(&r.Page) {
			found[LateCost] = true
		}
		feesBefore = feesBefore || fees
	}
	var out []TrustRisk
	for _, k := range []TrustRisk{Insecure, LateCost, ForcedAccount, SensitiveField, MissingTerms, Interruption} {
		if found[k] {
			out = append(out, k)
		}
	}
	return out
}

// fieldRisks judges one field that was filled in.
func fieldRisks(w mind.Walked, r *mind.StepRecord, found map[TrustRisk]bool) {
	verb := ""
	if s := r.Decision.Subgoal; s < len(w.Goal.Subgoals) {
		verb = w.Goal.Subgoals[s].Verb
	}
	asks := mind.AsksFor(r.Decision.Target)
	if insecure(r.Page.URL) {
		found[Insecure] = true
	}
	if asks == "password" && verb != "signup" && verb != "login" && verb != "trial" && verb != "edit" && verb != "password" && verb != "create" {
		found[ForcedAccount] = true
	}
	needless := map[string]bool{"date of birth": true, "phone number": true, "street": true, "age": true}
	if needless[asks] && r.Decision.Target.Required {
		switch verb {
		case "subscribe", "signup", "trial", "contact", "download", "login", "send":
			if asks != "phone number" || verb != "contact" {
				found[SensitiveField] = true
			}
		}
	}
	if asks == "password" || asks == "card number" {
		terms := false
		for i := range r.Page.Elements {
			n := r.Page.Elements[i].Name
			terms = terms || mind.HasConcept(n, "terms") || mind.HasConcept(n, "privacy")
		}
		if !terms && verb != "login" {
			found[MissingTerms] = true
		}
	}
}

// insecure: data would go over plain http to another machine.
func insecure(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" {
		return false
	}
	h := u.Hostname()
	if h == "localhost" || strings.HasSuffix(h, ".localhost") || strings.HasSuffix(h, ".test") {
		return false
	}
	ip, err := netip.ParseAddr(h)
	if err != nil {
		return true
	}
	ip = ip.Unmap()
	return !ip.IsLoopback() && !ip.IsPrivate()
}

func feesOn(p *mind.Page) bool {
	for i := range p.Texts {
		if lateWords.MatchString(p.Texts[i].Text) && money.MatchString(p.Texts[i].Text) {
			return true
		}
	}
	return false
}

func paying(p *mind.Page) bool {
	for i := range p.Elements {
		if mind.HasConcept(p.Elements[i].Name, "checkout") || mind.AsksFor(&p.Elements[i]) == "card number" {
			return true
		}
	}
	return false
}
