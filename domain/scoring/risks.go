package scoring

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"understudy/domain/forager/forms"
	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// RiskMet is a trust risk and where the walk met it first.
type RiskMet struct {
	Kind TrustRisk
	Step int
	// Element that it is about, nil for the page.
	Element *walk.Element
	// Detail in a few words, CostMS the simulated time that it took.
	Detail string
	CostMS int
}

// RisksMet lists what a walk met that costs trust, in the order of their weights:
// each needless field, and of the other kinds what was met first. The issue detectors use the same definitions:
//
//   - insecure: data was entered on a page that goes over plain http to another
//     machine.
//   - late_cost: words of a fee with an amount appear on a page of the way that
//     takes payment or an order, or whose form was the last one to be sent, and
//     no page before has named that fee or its amount.
//   - forced_account: a password was entered, or a page that offers nothing but
//     an account was the end or turned the walk back, though the task is about
//     something else and no guest's way is offered.
//   - sensitive_field: a field that was filled in asks for what the task does not
//     need (GDPR, article 5 (1) c: data minimisation); how to reach somebody
//     counts only where it is required.
//   - missing_terms: a password or a card number was entered on a page without a
//     link to terms or privacy.
//   - interruption: something unasked-for had to be put away.
func RisksMet(w walk.Walked) []RiskMet {
	found := map[TrustRisk][]RiskMet{}
	met := func(r RiskMet) {
		known := slices.ContainsFunc(found[r.Kind], func(k RiskMet) bool {
			return r.Kind != SensitiveField || k.Element.Selector == r.Element.Selector
		})
		if !known {
			found[r.Kind] = append(found[r.Kind], r)
		}
	}
	known := map[string]bool{} // fees and amounts of the pages so far
	last := lastSent(w)
	own := aboutAccounts(w)
	way := map[int]bool{len(w.Steps) - 1: true}
	for _, i := range w.Path() {
		way[i] = true
	}
	for i := range w.Steps {
		r := &w.Steps[i]
		if r.HasSignal(walk.SigInterrupted) {
			met(RiskMet{Kind: Interruption, Step: i, CostMS: r.Decision.SimulatedMS})
		}
		if r.Decision.Purpose == walk.Fill && r.Decision.Target != nil {
			fieldRisks(w, i, met)
		}
		if !own && i > 0 {
			accountDemanded(w, i, met)
		}
		fees := feesOn(&r.Page)
		late := i > 0 && way[i] && (paying(&r.Page) || last >= 0 && w.Steps[last].Page.URL == r.Page.URL)
		for _, fee := range fees {
			if late && !fee.among(known) {
				met(RiskMet{Kind: LateCost, Step: i, Detail: fee.text, CostMS: readAgainMS})
			}
		}
		for _, fee := range fees {
			known[fee.name], known[fee.amount] = true, true
		}
	}
	var out []RiskMet
	for _, k := range []TrustRisk{Insecure, LateCost, ForcedAccount, SensitiveField, MissingTerms, Interruption} {
		out = append(out, found[k]...)
	}
	return out
}

// readAgainMS is the simulated time that a surprise costs: reading the sum
// again, about ten words at 238 words a minute (Brysbaert 2019).
const readAgainMS = 2500

var (
	money     = regexp.MustCompile(`[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|EUR|USD|GBP)`)
	lateWords = regexp.MustCompile(`(?i)\b(?:shipping|delivery|service|booking|handling|processing|payment|convenience|administration|card)\s+(?:fee|cost|charge)s?\b|\b(?:fee|surcharge)s?\b`)
	// free takes what is said to cost nothing out again.
	free = regexp.MustCompile(`(?i)\b(?:no|without|free of|zero)\s+(?:\w+\s+){0,2}(?:fee|charge|cost)s?\b|\bfees?\s+(?:are|is)\s+waived`)
)

func risks(w walk.Walked) (out []TrustRisk) {
	for _, r := range RisksMet(w) {
		out = append(out, r.Kind)
	}
	return slices.Compact(out)
}

// accountDeeds are those that are about an account or its owner.
var accountDeeds = map[string]bool{
	"signup": true, "login": true, "logout": true, "trial": true, "edit": true, "password": true, "create": true,
	"upgrade": true, "cancel": true, "unsubscribe": true, "delete": true,
}

// deedAt is what a step was made for, as an interface concept, "" when nothing
// tells.
func deedAt(w walk.Walked, i int) string {
	if s := w.Steps[i].Decision.Subgoal; s < len(w.Goal.Subgoals) {
		return deed(&w.Goal.Subgoals[s])
	}
	return ""
}

// deed is what a subgoal does. A trial is one whatever it is done with to it.
func deed(s *task.Subgoal) string {
	if s.Kind == task.Act && language.Read(s.Text).Has("trial") {
		return "trial"
	}
	return s.Deed
}

// aboutAccounts: some part of the task is about an account, or it gives the
// means to log in.
func aboutAccounts(w walk.Walked) bool {
	for _, name := range w.Goal.Inputs {
		if logIn.MatchString(name) {
			return true
		}
	}
	for i := range w.Goal.Subgoals {
		s := &w.Goal.Subgoals[i]
		if accountDeeds[deed(s)] {
			return true
		}
		for _, o := range s.Wanted() {
			if o.Lemma == "account" || o.Lemma == "password" || o.Lemma == "profile" {
				return true
			}
		}
	}
	return false
}

// logIn are the names of inputs that open an account.
var logIn = regexp.MustCompile(`(?i)pass|log-?in|user|account|credential|\bpin\b|otp`)

var guestWords = regexp.MustCompile(`(?i)\bguest (?:check-?out|order|user)|\b(?:as|be) (?:a )?guest\b|^guest$|without (?:an |creating an )?account|\bskip\b|not now|no thanks|maybe later`)

// accountDemanded: the page of a step after the first asks for a password and offers
// no other way, and the walk, whose task is not about accounts, filled it in, turned
// back, went elsewhere or ended there. A log-in that every page has beside its content
// demands nothing.
func accountDemanded(w walk.Walked, i int, met func(RiskMet)) {
	r := &w.Steps[i]
	at := slices.IndexFunc(r.Page.Elements, func(e walk.Element) bool {
		return e.CoveredBy == "" && walk.IsField(&e) && forms.AsksFor(&e) == "password"
	})
	if at < 0 || slices.ContainsFunc(r.Page.Elements, func(e walk.Element) bool { return guestWords.MatchString(e.Name) }) {
		return
	}
	field := &r.Page.Elements[at]
	if beside(&r.Page, field) || slices.ContainsFunc(w.Steps[0].Page.Elements, func(e walk.Element) bool { return e.Selector == field.Selector }) {
		return
	}
	d := &r.Decision
	entered := d.Purpose == walk.Fill && d.Target != nil && forms.AsksFor(d.Target) == "password"
	stopped := d.Purpose == walk.Return || d.End == walk.EndGaveUp || d.End == walk.EndBlocked || leftUnfilled(w, i)
	if entered || stopped && cameAlong(w, i) {
		met(RiskMet{Kind: ForcedAccount, Step: i, CostMS: d.SimulatedMS})
	}
}

// leftUnfilled: the step goes elsewhere from a page on which nothing was entered.
func leftUnfilled(w walk.Walked, i int) bool {
	r := &w.Steps[i]
	if t := r.Decision.Target; r.Decision.Purpose != walk.Navigate || !r.Effect.Navigated || t == nil || opensAccount(t.Name) {
		return false
	}
	return !slices.ContainsFunc(w.Steps[:i], func(s walk.StepRecord) bool {
		return s.Decision.Purpose == walk.Fill && s.Page.URL == r.Page.URL
	})
}

// opensAccount: a label offers to log in or to sign up.
func opensAccount(label string) bool {
	said := language.Read(label)
	return said.Has("login") || said.Has("signup")
}

// beside: the element is in a landmark around the content.
func beside(p *walk.Page, e *walk.Element) bool {
	if e.Region < 0 || e.Region >= len(p.Regions) {
		return false
	}
	switch p.Regions[e.Region].Kind {
	case "banner", "navigation", "complementary", "contentinfo":
		return true
	}
	return false
}

// cameAlong: what led to the page was not itself called an account.
func cameAlong(w walk.Walked, i int) bool {
	for j := i - 1; j >= 0; j-- {
		r := &w.Steps[j]
		if !r.Effect.Navigated {
			continue
		}
		t := r.Decision.Target
		return t != nil && !opensAccount(t.Name)
	}
	return false
}

// Personal data by what a field's words ask for: sensitive data that only an
// authority, a bank or an insurer has a use for, and private data that has a
// use wherever something is delivered, booked or applied for.
var (
	sensitive = regexp.MustCompile(`(?i)\b(?:social security|national insurance|national id|tax (?:id|number|identification)|identity (?:card|number|document)|id (?:number|card)|passport|ssn|religion|ethnic\w*|marital|(?:yearly |annual |monthly |household )?income|salary|mother'?s maiden|political|sexual)\b`)
	identity  = regexp.MustCompile(`(?i)\b(?:passport|identity|national id|id (?:number|card)|tax (?:id|number|identification))\b`)
	private   = regexp.MustCompile(`(?i)\b(?:date of birth|birth ?(?:day|date)|your age|gender|nationality|home address|street|phone|mobile|telephone|occupation|employer)\b`)
)

// lightDeeds are done without being reached anywhere but by e-mail; a birthday
// is of no use for tradeDeeds either. Sensitive data is of use only in a matter of
// who somebody is or what they earn, an identity document also for what is
// booked, rented or quoted.
var (
	lightDeeds = map[string]bool{"subscribe": true, "signup": true, "trial": true, "download": true, "login": true, "comment": true, "vote": true, "share": true, "search": true}
	tradeDeeds = map[string]bool{"buy": true, "checkout": true, "addcart": true, "contact": true, "send": true, "return": true, "donate": true}
	personal   = regexp.MustCompile(`(?i)\b(?:tax\w*|benefits?|allowance|relief|grant|bursary|scholarship|pension|passport|visa|citizenship|residence|licen[cs]e|loan|mortgage|credit|insurance|(?:bank|current|savings) account|jobs?|vacancy|position|work|employment|marriage|adoption|housing|universit\w*|college|course)\b`)
)

// needless reports whether a field asks for what the task has no use for.
func needless(w walk.Walked, deed string, e *walk.Element) bool {
	words := e.Name + " " + e.Placeholder + " " + e.Group
	if strings.TrimSpace(e.Name) == "" {
		words += " " + e.Help
	}
	asks := forms.AsksFor(e)
	for i := range w.Goal.Subgoals {
		for _, o := range spokenOf(&w.Goal.Subgoals[i]) {
			if len(o.Text) > 2 && !o.Function && strings.Contains(strings.ToLower(words), o.Text) {
				return false // the task itself speaks of it
			}
		}
	}
	if sensitive.MatchString(words) {
		official := personal.MatchString(w.Goal.Task) || identity.MatchString(words) && !tradeDeeds[deed]
		return lightDeeds[deed] || !official
	}
	if asks == "birthday" || asks == "age" {
		return lightDeeds[deed] || tradeDeeds[deed]
	}
	reach := private.MatchString(words) || asks == "phone" || asks == "street"
	return e.Required && reach && lightDeeds[deed]
}

// spokenOf are the words of what a subgoal is about and of the fields that it
// gives values for.
func spokenOf(s *task.Subgoal) []language.Word {
	out := s.Wanted()
	for _, v := range s.Values {
		out = append(out, v.Hint...)
	}
	return out
}

// fieldRisks judges one field that was filled in.
func fieldRisks(w walk.Walked, i int, met func(RiskMet)) {
	r := &w.Steps[i]
	target := r.Decision.Target
	deed := deedAt(w, i)
	asks := forms.AsksFor(target)
	here := RiskMet{Step: i, Element: target, CostMS: r.Decision.SimulatedMS}
	if insecure(r.Page.URL) {
		here.Kind = Insecure
		met(here)
	}
	if needless(w, deed, target) {
		here.Kind, here.Detail = SensitiveField, "asked in order to “"+clipTask(w.Goal.Task)+"”"
		met(here)
	}
	if asks == "password" || asks == "card" {
		terms := false
		for j := range r.Page.Elements {
			said := language.Read(r.Page.Elements[j].Name)
			terms = terms || said.Has("terms") || said.Has("privacy")
		}
		if !terms && deed != "login" {
			met(RiskMet{Kind: MissingTerms, Step: i})
		}
	}
}

func clipTask(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
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

// fee is a text that names a fee and its amount.
type fee struct{ text, name, amount string }

func (f fee) among(known map[string]bool) bool { return known[f.name] || known[f.amount] }

// feesOn are the fees that a page names. The amount may stand in a cell of its
// own on the same line.
func feesOn(p *walk.Page) (out []fee) {
	for i := range p.Texts {
		t := &p.Texts[i]
		if len(t.Text) > 300 || !mayNameFee(t.Text) {
			continue
		}
		name := strings.ToLower(lateWords.FindString(t.Text))
		if name == "" || free.MatchString(t.Text) {
			continue
		}
		if sum := sumIn(t.Text); sum != "" {
			out = append(out, fee{t.Text, name, sum})
			continue
		}
		for j := range p.Texts {
			o := &p.Texts[j]
			if sum := sumIn(o.Text); sum != "" && j != i && len(o.Text) < 20 && o.Box.Y < t.Box.Y+t.Box.H && t.Box.Y < o.Box.Y+o.Box.H && o.Box.X > t.Box.X {
				out = append(out, fee{t.Text + " " + o.Text, name, sum})
				break
			}
		}
	}
	return out
}

// mayNameFee spares most texts the search for lateWords, each of which has one of
// these; the long s is one to a pattern without case.
func mayNameFee(text string) bool {
	low := strings.ToLower(text)
	return slices.ContainsFunc([]string{"fee", "charge", "cost", "co\u017ft"}, func(w string) bool { return strings.Contains(low, w) })
}

// sumIn is the first amount of money in a text, "" without one.
func sumIn(text string) string {
	return strings.Join(strings.Fields(money.FindString(text)), "")
}

// lastSent is the last step that sent a form which was taken, -1 without any.
func lastSent(w walk.Walked) int {
	for i := len(w.Steps) - 1; i >= 0; i-- {
		r := &w.Steps[i]
		if r.Decision.Purpose == walk.Submit && r.Effect.Taken() {
			return i
		}
	}
	return -1
}

func paying(p *walk.Page) bool {
	for i := range p.Elements {
		e := &p.Elements[i]
		if said := language.Read(e.Name); said.Has("checkout") || walk.IsField(e) && forms.AsksFor(e) == "card" || e.Submit && (said.Has("buy") || said.Has("book") || said.Has("confirm")) {
			return true
		}
	}
	return false
}
