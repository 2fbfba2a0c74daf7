package mind

import (
	"math"
	"strings"
)

// resultAnswers looks for the answer in a list of what was searched for: the
// words are the seeker's own, so that only an entry with the kind of answer that
// is asked for in it says more than that there is something.
func resultAnswers(s *Subgoal, page *Page, analyse func(string) *words, sees func(*Text) bool) (float64, string) {
	if !typed(s) {
		return 0, ""
	}
	for _, p := range passages(page, false, sees) {
		for i, u := range p.units {
			if !answers(s.Answer, u.text) {
				continue
			}
			if share, named := objectCoverage(s, analyse(p.around(i))); share >= objectLeast && named {
				return answerLeast + 0.05, u.text
			}
		}
	}
	return 0, ""
}

// typed: the question wants a kind of answer that can be told by its form.
func typed(s *Subgoal) bool { return s.Answer != "" && s.Answer != "howto" && s.Answer != "yesno" }

// nearAnswer is how far the words around something of the kind that is asked for
// say what is asked about, 0 when nothing of the kind is there: the headings
// speak for all that is below them, else it is the row, or what stands directly
// before and after.
func nearAnswer(s *Subgoal, page *Page, p *passage, analyse func(string) *words) (near float64, line string) {
	heading := MainHeading(page) + " " + p.heading
	headed, named := objectCoverage(s, analyse(heading))
	for i, u := range p.units {
		if !answers(s.Answer, u.text) {
			continue
		}
		share, all := headed, named
		if share < 1-matchSlack || !all {
			share, all = objectCoverage(s, analyse(heading+"\n"+p.around(i)))
			if s.Answer == "price" || s.Answer == "time" || s.Answer == "place" {
				share = math.Max(share, coverage(s, analyse(heading+"\n"+p.around(i)+"\n"+answerWords[s.Answer])))
			}
			if headed >= objectLeast && !addsTo(s, analyse(heading), analyse(p.around(i)+"\n"+answerWords[s.Answer])) {
				continue // a date below a headline need not be the one that is asked for
			}
		}
		if all && share >= objectLeast && share > near && ofEntity(s, analyse(heading+"\n"+p.around(i))) {
			near, line = share, u.text
		}
	}
	if near == 0 && ofEntity(s, analyse(heading)) && answers(s.Answer, p.heading) && headed >= objectLeast && named {
		return headed, p.heading
	}
	return near, line
}

// matchSlack is how far synonyms and stems may fall short of the words themselves.
const matchSlack = 0.31

// addsTo: the words say something of what is asked about that the heading leaves
// unsaid.
func addsTo(s *Subgoal, heading, text *words) bool {
	for _, t := range s.terms {
		if t.telling() && said(t, heading) < matchStem && said(t, text) >= matchStem {
			return true
		}
	}
	return false
}

// ofEntity: the words name what the question asks something of ("the interest
// rate of the savings account"), as far as that has a telling word.
func ofEntity(s *Subgoal, w *words) bool {
	asked := false
	for _, t := range s.terms {
		if !t.telling() || !has(s.entity, t.base) {
			continue
		}
		if said(t, w) >= matchStem {
			return true
		}
		asked = true
	}
	return !asked || s.Answer == "contact"
}

// namedTogether: the proper names and numbers that are asked about stand
// together in one block, or in the headings.
func namedTogether(s *Subgoal, page *Page, p *passage, analyse func(string) *words) bool {
	heading := MainHeading(page) + " " + p.heading
	if _, named := objectCoverage(s, analyse(heading)); named || s.Kind != Inform {
		return true
	}
	for i := range p.units {
		if _, named := objectCoverage(s, analyse(heading+"\n"+p.around(i))); named {
			return true
		}
	}
	return false
}

// controlAnswers looks for the answer in the names of controls, where prices and
// times of choices stand ("Dental check-up, £42").
func controlAnswers(s *Subgoal, page *Page, analyse func(string) *words, sees func(*Text) bool) (float64, string) {
	if s.Kind != Inform || !typed(s) || s.Answer == "contact" {
		return 0, ""
	}
	for i := range page.Elements {
		e := &page.Elements[i]
		name := e.Name
		if e.Role == "combobox" {
			name += ": " + e.Value
		}
		if !e.InViewport || len(name) > 300 || takesText(e) || !answers(s.Answer, name) {
			continue
		}
		if !sees(&Text{Text: name, InViewport: true, Contrast: e.Contrast, FontSize: e.FontSize}) {
			continue
		}
		if share, named := objectCoverage(s, analyse(name+" "+e.Group)); share >= objectLeast && named && coverage(s, analyse(name+" "+e.Group+" "+answerWords[s.Answer])) >= objectLeast {
			return answerLeast + 0.08, name
		}
	}
	return 0, ""
}

// whetherAnswered looks for the answer to a yes or no: on a page that is named
// after the thing, one text that says all else that is asked of it ("Contains
// wheat, milk and hazelnuts" of a loaf and nuts).
func whetherAnswered(s *Subgoal, page *Page, analyse func(string) *words, sees func(*Text) bool) (float64, string) {
	if s.Kind != Inform || s.Answer != "yesno" {
		return 0, ""
	}
	heading := analyse(MainHeading(page))
	var rest []term
	thing := false
	for _, t := range s.terms {
		switch {
		case t.verb || t.way:
		case said(t, heading) >= matchStem:
			thing = true
		default:
			rest = append(rest, t)
		}
	}
	if !thing || len(rest) == 0 {
		return 0, ""
	}
	for i := range page.Texts {
		x := &page.Texts[i]
		if x.Kind == "heading" || len(x.Text) > 400 || !sees(x) {
			continue
		}
		w, all := analyse(x.Text), true
		for _, t := range rest {
			all = all && (said(t, w) >= matchStem || compounded(t, w))
		}
		if all {
			return answerLeast + 0.12, x.Text
		}
	}
	return 0, ""
}

// compounded: a word is a closed compound with the term as its head, and so a
// kind of it ("hazelnut" of "nut"). Both parts have at least three letters.
func compounded(t term, w *words) bool {
	const least = 3
	for _, b := range w.base {
		if len(t.base) >= least && len(b) >= len(t.base)+least && strings.HasSuffix(b, t.base) {
			return true
		}
	}
	return false
}
