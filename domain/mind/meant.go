package mind

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// meantLeast is the confidence in words of success that do not fit the deed.
const meantLeast = 0.45

// passingLeast is the confidence in words of success that stand in a plain
// paragraph when nothing was accepted just before ("a cookie keeps you logged in").
const passingLeast = 0.7

// meant: the words of success are about this deed. "Thank you" is told after
// any: where neither it nor the page it came from names the deed or its object,
// they must not name another deed instead (an order, a sign-up). And what is
// bought or put into a basket must have been come by, and be what was ordered.
func (w *witness) meant(s *Subgoal, page *Page, told string) bool {
	if s.Verb == "addcart" || s.Verb == "buy" {
		share, _ := objectCoverage(s, w.words(told))
		if math.Max(w.met, share) < objectLeast || addedOther(s, told) || w.orderedOther(s, page) {
			return false
		}
	}
	if s.Verb == "on" || s.Verb == "off" {
		// "Saved" is said of many things: of this one when it was switched or is named.
		share, named := objectCoverage(s, w.words(told+" "+MainHeading(page)))
		return w.turned || share >= objectLeast && named
	}
	if toldOfOther(s, told) {
		return false
	}
	around := w.words(told + "\n" + MainHeading(page) + "\n" + w.from)
	for _, t := range s.terms {
		if said(t, around) >= matchStem {
			return true
		}
	}
	for _, c := range around.concepts {
		if verbs[c] && c != s.Verb && leadsTo[s.Verb][c] == 0 {
			return false
		}
	}
	return true
}

// addedOther: what was added to the basket has a name, and it is not what was
// wanted ("Tidepool Mug was added to your basket").
func addedOther(s *Subgoal, told string) bool {
	thing, _, added := strings.Cut(strings.ToLower(told), "added")
	w := analyse(thing)
	named := false
	for _, b := range w.base {
		named = named || !stopwords[b] && !filler[b] && !vague[b] && !addedWords[b]
	}
	return added && named && len(s.Object) > 0 && !objectSaid(s, &w)
}

var addedWords = set(`1 has been was successfully just now success cart basket bag great`)

// orderLine is how orders list what they are of ("1 × Seeded Sourdough", "Mug x 2").
var orderLine = regexp.MustCompile(`(?i)^\s*\d{1,3}\s?[x×]\s+\p{L}|\p{L}\s+[x×]\s?\d{1,3}\b`)

// goodsOn is what a page lists with a count, a line each.
func goodsOn(page *Page) string {
	var b strings.Builder
	for i := range page.Texts {
		if t := &page.Texts[i]; orderLine.MatchString(t.Text) {
			b.WriteString(t.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// orderedOther: the order, as this page or else the one before lists it, is
// without the thing that the task calls by its name. Somebody took another one.
func (w *witness) orderedOther(s *Subgoal, page *Page) bool {
	goods := cmp.Or(goodsOn(page), w.goods)
	share, named := objectCoverage(s, w.words(goods))
	return goods != "" && !named && share < objectLeast
}

// toldOfOther: the words of success say what this deed does not tell of, and
// another one does ("your comment" to who subscribes).
func toldOfOther(s *Subgoal, told string) bool {
	told = strings.ToLower(told)
	if containsAny(told, toldSuccess[s.Verb]) || objectSaid(s, new(analyse(told))) {
		return false
	}
	for verb, phrases := range toldSuccess {
		if verb == s.Verb || leadsTo[s.Verb][verb] > 0 {
			continue
		}
		for _, p := range phrases {
			if strings.HasPrefix(p, "your ") && strings.Contains(told, p) {
				return true
			}
		}
	}
	return false
}

// headingsSeen are the page's name and the headings on the screen.
func headingsSeen(page *Page, sees func(*Text) bool) string {
	var b strings.Builder
	b.WriteString(MainHeading(page))
	b.WriteByte('\n')
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Kind == "heading" && sees(t) {
			b.WriteString(t.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// askedLeast bounds the confidence on a page that still wants its form filled
// in and has just accepted nothing: words of success there are about what is
// to come ("your order" above a form for the address).
const askedLeast = 0.45

// stillAsks: the page has a form with required fields that are empty.
func stillAsks(page *Page) bool {
	for i := range page.Elements {
		e := &page.Elements[i]
		if isField(e) && e.Required && !e.Disabled && kindOf(e) != fkSearch && (e.Value == "" && takesText(e) || e.Role == "checkbox" && !e.Checked) {
			return true
		}
	}
	return false
}

var moneySaid = regexp.MustCompile(`[£€$]\s?(\d[\d,]*(?:\.\d{1,2})?)`)

// otherDetail: what is told names an amount of money, and it is not the one that
// the task wants moved.
func otherDetail(g *Goal, s *Subgoal, told string) bool {
	if s.Verb != "transfer" && s.Verb != "donate" {
		return false
	}
	said := moneySaid.FindAllStringSubmatch(told, 8)
	for _, v := range g.Values {
		if v.Kind != ValueAmount || len(said) == 0 {
			continue
		}
		for _, m := range said {
			if sameAmount(m[1], v.Text) {
				return false
			}
		}
		return true
	}
	return false
}

// sameAmount compares amounts however many decimals they are written with.
func sameAmount(a, b string) bool {
	x, errX := strconv.ParseFloat(strings.ReplaceAll(a, ",", ""), 64)
	y, errY := strconv.ParseFloat(strings.ReplaceAll(b, ",", ""), 64)
	return errX == nil && errY == nil && x == y
}
