package oracle

import (
	"strings"

	"understudy/domain/language"
	"understudy/domain/reading"
	"understudy/domain/task"
	"understudy/domain/walk"
)

const (
	// wordMS is how long a word takes the fastest of adult readers, 300 a minute
	// (Brysbaert 2019: 175 to 300); who stopped for less has not read it.
	wordMS = 200
	// mostWords is how many words of a sentence must have been read: an assumption.
	mostWords = 12
)

func readMS(text string) int { return wordMS * min(mostWords, len(strings.Fields(text))) }

// dwell counts the time for which the last look was stayed at: what stood there
// uncovered was read.
func (o *Oracle) dwell(ms int) {
	v := o.before
	for i := range o.goal.Subgoals {
		s, m := &o.goal.Subgoals[i], &o.marks[i]
		switch s.Kind {
		case task.Inform:
			o.answered(s, m, v, max(0, ms))
		case task.Reach:
			if m.confidence < verified {
				o.section(s, m, v, max(0, ms))
			}
		}
	}
}

// stood adds to the time for which a text was in view on a place and reports
// whether it is enough to have read it.
func (o *Oracle) stood(v *view, id, text string, ms int) bool {
	key := v.key + "\x00" + id
	o.dwelt[key] = min(o.dwelt[key]+min(ms, 1_000_000), 1_000_000)
	return o.dwelt[key] >= readMS(text) && o.dwelt[key] > 0
}

// answered: a passage that answers stood uncovered while the walker stopped.
func (o *Oracle) answered(s *task.Subgoal, m *mark, v *view, ms int) {
	if v.page.Status >= 400 {
		return
	}
	for _, f := range reading.Answers(s, v.page, v.read(), o.came()) {
		if f.Score < reading.Enough || !o.belongs(s, v, &f) {
			continue
		}
		said := f.Sentence
		if said == "" {
			said = f.Passage.Text
		}
		switch {
		case !f.Passage.InView:
			m.raise(0.4, "the page has "+quote(said)+", which was not on the screen")
		case !o.stood(v, f.Passage.Text, said, ms):
			m.raise(0.6, quote(said)+" was on the screen, but not long enough to be read")
		default:
			m.raise(verified+0.15*min(1, (f.Score-reading.Enough)/(1-reading.Enough)), "read: "+quote(said))
		}
	}
}

// belongs: the passage is about whom or what the question asks, and is no echo of
// the question itself. Every name that the question gives must be there; a passage
// that names somebody else speaks of them, whoever's page it stands on. What only
// points at an answer, a link or a hit of a search, is one where it holds the kind
// of answer that is asked for.
func (o *Oracle) belongs(s *task.Subgoal, v *view, f *reading.Found) bool {
	p := &f.Passage
	if (p.Kind == "control" || p.Kind == "heading" || o.echoes(s)) && (s.Answer == language.Anything || s.Whether || within(fold(o.query), fold(p.Text))) {
		return false
	}
	own := language.Read(p.Text)
	around := language.Read(strings.Join(append([]string{p.Text, p.Title, v.heading, o.came()}, p.Path...), "\n"))
	here, names := false, 0
	for _, w := range append(append([]language.Word{}, s.Object...), s.Place...) {
		if !named(w) {
			continue
		}
		names++
		if language.Best(w, around) < metName {
			return false
		}
		here = here || language.Best(w, own) >= metName
	}
	if names > 0 && !here && s.Answer != language.Person && language.Find(language.Person, p.Text) != "" {
		return false
	}
	return true
}

// echoes: the page shows the results of a search for what is wanted, so that its
// words are the person's own.
func (o *Oracle) echoes(s *task.Subgoal) bool {
	return o.query != "" && language.Cover(s.Wanted(), language.Read(o.query)) >= doubtful
}

// distinct is what tells the place that is wanted from the rest of the site: the
// words that its first page does not say of itself, all when it says them all.
func (o *Oracle) distinct(s *task.Subgoal) thing {
	it := subject(s)
	if len(it.names) > 0 || o.opened == nil {
		return it
	}
	said := language.Read(o.opened.page.Title + "\n" + o.opened.heading)
	var rest []language.Word
	for _, w := range it.words {
		if language.Best(w, said) < metCommon {
			rest = append(rest, w)
		}
	}
	if len(rest) > 0 {
		it.words = rest
	}
	return it
}

// arrive: a page about what is wanted was come to, by what it calls itself or by
// the link that led there.
func (o *Oracle) arrive(s *task.Subgoal, m *mark, t *turn) {
	v := t.after
	if t.refused != "" || v.page.Status >= 400 || words().error.MatchString(v.heading) || gated(v) && !subjectHas(s, "login", "signup", "password", "profile") {
		return
	}
	it := o.distinct(s)
	if it.empty() {
		return
	}
	if m.picked > 0 && t.moved {
		m.raise(0.85, "the one that was asked for was opened: "+quote(o.came()))
	}
	if o.echoes(s) {
		return
	}
	opened := t.target != nil && t.act.Type == walk.Click && t.reached && !walk.IsField(t.target)
	led := 0.0
	if opened && (t.moved || t.effect.Navigated || t.effect.NewTab || t.effect.Mutated && selected(v, t)) {
		led = it.fit(t.target.Name)
		if r := t.before.row(t.target.Row); r != nil && (len(t.label.Concepts) > 0 || t.target.Role != "link" && t.target.Role != "button") && !language.Destructive(first(t.label.Concepts)) {
			led = max(led, it.fit(r.text))
		}
	}
	title := ""
	if o.opened == nil || v.page.Title != o.opened.page.Title || v == o.opened {
		title = v.page.Title
	}
	switch heading := it.fit(v.heading); {
	case heading >= fits && it.said(v.heading):
		m.raise(0.9, "the page is called "+quote(v.heading))
	case it.fit(title) >= fits && it.said(title):
		m.raise(0.86, "the page is called "+quote(title))
	case led >= fits:
		m.raise(0.84, quote(t.target.Name)+" led there")
	case it.fit(title+"\n"+v.heading) >= 0.9:
		m.raise(0.82, "the page is called "+quote(title))
	}
}

// said: the text says something of the thing at all.
func (t *thing) said(text string) bool { return strings.TrimSpace(text) != "" && t.fit(text) > 0 }

// gated: the page asks for a password before it shows anything.
func gated(v *view) bool {
	for i := range v.page.Elements {
		if v.page.Elements[i].InputType == "password" {
			return true
		}
	}
	return false
}

func subjectHas(s *task.Subgoal, concepts ...string) bool {
	p := language.Read(s.Text)
	for _, c := range concepts {
		if p.Has(c) {
			return true
		}
	}
	return false
}

// selected: what was clicked is the current one now.
func selected(v *view, t *turn) bool {
	is := v.find(t.target, false)
	return is != nil && (is.Selected || is.Expanded == "true") && !t.target.Selected
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// section: a part of the page about what is wanted was stayed at, its heading and
// something below it on the screen. A heading that is a link or one of a list
// points at the place and is not it.
func (o *Oracle) section(s *task.Subgoal, m *mark, v *view, ms int) {
	it := o.distinct(s)
	if it.empty() || o.echoes(s) || v.page.Status >= 400 {
		return
	}
	passages := v.read()
	for i := range passages {
		p := &passages[i]
		if p.Kind != "heading" || p.Row > 0 || !p.InView || it.fit(p.Text) < fits || links(v, p.Text) {
			continue
		}
		for j := i + 1; j < len(passages) && passages[j].Kind != "heading"; j++ {
			if b := &passages[j]; b.InView && b.Element < 0 && o.stood(v, p.Text, p.Text, ms) {
				m.raise(0.84, "the part "+quote(p.Text)+" was on the screen")
				return
			}
		}
	}
}

// links: a text is the name of a link or a button.
func links(v *view, text string) bool {
	for i := range v.page.Elements {
		if e := &v.page.Elements[i]; e.Name == text && !walk.IsField(e) {
			return true
		}
	}
	return false
}
