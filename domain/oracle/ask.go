package oracle

import (
	"regexp"
	"slices"
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
	// mostWords is how many words of a sentence must have been read, contentWords how
	// many make a content of their own: assumptions.
	mostWords    = 12
	contentWords = 4
)

// dwell counts the time for which the last look was stayed at: what stood there
// uncovered was read.
func (o *Oracle) dwell(ms int) {
	for i := range o.goal.Subgoals {
		s, m := &o.goal.Subgoals[i], &o.marks[i]
		switch {
		case o.before.page.Status >= 400:
		case s.Kind == task.Inform:
			o.answered(s, m, o.before, max(0, ms))
		case s.Kind == task.Reach && m.confidence < verified:
			o.section(s, m, o.before, max(0, ms))
		}
	}
}

// stood adds to the time for which a text was in view on a place and reports
// whether it is enough to have read it.
func (o *Oracle) stood(v *view, id, text string, ms int) bool {
	const most = 1_000_000
	key := v.key + "\x00" + id
	o.dwelt[key] = min(o.dwelt[key]+min(ms, most), most)
	return o.dwelt[key] >= max(1, wordMS*min(mostWords, len(strings.Fields(text))))
}

// answered: a passage that answers stood uncovered while the walker stopped. What
// heads the results of a search says nothing of its own.
func (o *Oracle) answered(s *task.Subgoal, m *mark, v *view, ms int) {
	page, passages := *v.page, v.read()
	if o.at.query != "" {
		page.Title, passages = o.others(page.Title), slices.Clone(passages)
		for i := range passages {
			p := &passages[i]
			p.Path = slices.Clone(p.Path)
			for j := range p.Path {
				p.Path[j] = o.others(p.Path[j])
			}
		}
	}
	for _, f := range reading.Answers(s, &page, passages, o.came()) {
		if f.Score < reading.Enough || !o.belongs(s, v, &f.Passage) {
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

// belongs: the passage is about whom or what the question asks, and no echo of it.
// Every name that the question gives must be there; a passage that names somebody
// else speaks of them, whoever's page it stands on. What only points at an answer,
// a link or a hit of a search, is one where it holds the kind of answer that is
// asked for, and so does what repeats the person's own words, beside them.
func (o *Oracle) belongs(s *task.Subgoal, v *view, p *reading.Passage) bool {
	said := o.others(p.Text)
	switch {
	case s.Answer != language.Anything && !s.Whether:
		if said != p.Text && !language.Holds(s.Answer, said) {
			return false
		}
	case s.Whether && language.Holds(language.State, said): // "Delivery: complete"
	case p.Kind == "control" || p.Kind == "heading" || o.echoes(s) || said != p.Text && len(language.Read(said).Content()) < contentWords:
		return false
	}
	own := language.Read(p.Text)
	around := language.Read(strings.Join(append([]string{p.Text, p.Title, v.heading, o.came()}, p.Path...), "\n"))
	names := keep(append(slices.Clone(s.Object), s.Place...), language.Word.Named)
	in := func(p *language.Phrase) func(language.Word) bool {
		return func(w language.Word) bool { return language.Best(w, p) >= metName }
	}
	return len(keep(names, in(around))) == len(names) &&
		(len(names) == 0 || slices.ContainsFunc(names, in(own)) || s.Answer == language.Person || language.Find(language.Person, p.Text) == "")
}

// others is a text without what the person typed themselves.
func (o *Oracle) others(text string) string {
	const least = 3 // letters that are no chance: an assumption
	for i := range o.entries {
		x := &o.entries[i]
		if typed := strings.TrimSpace(x.text); len(typed) >= least && (x.field.Role == "textbox" || x.field.Role == "searchbox" || x.field.Role == "combobox") {
			if it, err := regexp.Compile("(?i)" + regexp.QuoteMeta(typed)); err == nil {
				text = it.ReplaceAllString(text, "")
			}
		}
	}
	return text
}

// echoes: the page shows the results of a search for what is wanted, so that its
// words are the person's own.
func (o *Oracle) echoes(s *task.Subgoal) bool {
	return o.at.query != "" && language.Cover(s.Wanted(), language.Read(o.at.query)) >= doubtful
}

// distinct is what tells the place that is wanted from the rest of the site: the
// words that its first page does not say of itself, all when it says them all.
func (o *Oracle) distinct(s *task.Subgoal) thing {
	it := subject(s)
	if len(it.names) > 0 || o.opened == nil {
		return it
	}
	said := language.Read(o.opened.page.Title + "\n" + o.opened.heading)
	if rest := keep(it.words, func(w language.Word) bool { return language.Best(w, said) < metCommon }); len(rest) > 0 {
		it.words = rest
	}
	return it
}

// arrive: a page about what is wanted was come to, by what it calls itself or by
// the link that led there; or what was pressed opened it in its place.
func (o *Oracle) arrive(s *task.Subgoal, m *mark, t *turn) {
	v, it := t.after, o.distinct(s)
	if it.empty() || t.refused != "" || v.page.Status >= 400 || words().error.MatchString(v.heading) || gated(v) && !guarded(s) {
		return
	}
	if m.picked > 0 && t.moved {
		m.raise(0.85, "the one that was asked for was opened: "+quote(o.came()))
	}
	if o.echoes(s) {
		return
	}
	led := 0.0
	if e := t.target; e != nil && t.act.Type == walk.Click && t.reached && !walk.IsField(e) && (t.moved || t.effect.NewTab || t.opens()) {
		if led = it.fit(e.Name); !reading.Mostly(s, e.Name) {
			led = 0
		}
		if r := t.before.row(e); r != nil && (len(t.label.Words) == 0 || t.label.Has("more") || t.label.Has("open") || e.Role != "link" && e.Role != "button") {
			led = max(led, it.fit(r.text))
		}
	}
	title := ""
	if o.opened == nil || v.page.Title != o.opened.page.Title || v == o.opened {
		title = v.page.Title
	}
	switch {
	case it.said(v.heading):
		m.raise(0.9, "the page is called "+quote(v.heading))
	case it.said(title), it.fit(title+"\n"+v.heading) >= 0.9:
		m.raise(0.86, "the page is called "+quote(title))
	case it.said(v.dialog):
		m.raise(0.88, quote(v.dialog)+" was opened")
	case led >= fits:
		m.raise(0.84, quote(t.target.Name)+" led there")
	case t.moved && len(keep(s.Object, language.Word.Named)) == 0 && slices.ContainsFunc(s.Concepts(), func(c string) bool { return t.label.Has(c) && language.Read(v.heading+"\n"+title).Has(c) }):
		m.raise(0.82, quote(t.target.Name)+" led to "+quote(v.heading))
	}
}

// said: the text is about the thing.
func (t *thing) said(text string) bool { return strings.TrimSpace(text) != "" && t.fit(text) >= fits }

// opens: the act brought something into view on the same place, in a dialog or as a
// content that was nowhere before, or it made itself the current one.
func (t *turn) opens() bool {
	if is := t.after.find(t.target); is != nil && (is.Selected || is.Expanded == "true") && !t.target.Selected {
		return true
	}
	dialog := func(e *walk.Element) bool { return e.InDialog && e.InViewport }
	return t.after.any(dialog) != nil && t.before.any(dialog) == nil || slices.ContainsFunc(t.after.page.Texts, func(x walk.Text) bool {
		return x.InViewport && !x.Covered && !message(&x) && (x.InDialog || x.Kind != "heading" && len(strings.Fields(x.Text)) >= contentWords) &&
			!slices.ContainsFunc(t.before.page.Texts, func(y walk.Text) bool { return y.Text == x.Text })
	})
}

// gated: the page asks for a password before it shows anything.
func gated(v *view) bool {
	return v.any(func(e *walk.Element) bool { return e.InputType == "password" }) != nil
}

// guarded: the place that is wanted asks for a password itself.
func guarded(s *task.Subgoal) bool {
	it := subject(s)
	p := language.Read(it.String())
	return slices.ContainsFunc([]string{"login", "signup", "password", "profile"}, p.Has)
}

// section: a part of the page about what is wanted was stayed at, its heading and
// something below it on the screen. A heading that is a link or one of a list
// points at the place and is not it.
func (o *Oracle) section(s *task.Subgoal, m *mark, v *view, ms int) {
	it := o.distinct(s)
	if it.empty() || o.echoes(s) {
		return
	}
	passages := v.read()
	for i := range passages {
		p := &passages[i]
		if p.Kind != "heading" || p.Row > 0 || !p.InView || it.fit(p.Text) < fits || !reading.Mostly(s, p.Text) || v.pressed(p) {
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

// pressed: a heading can be pressed, as a link or a button of its name lies on it.
func (v *view) pressed(p *reading.Passage) bool {
	return v.any(func(e *walk.Element) bool {
		x, y := e.Box.X+e.Box.W/2, e.Box.Y+e.Box.H/2
		return e.Name == p.Text && !walk.IsField(e) && x >= p.Box.X && x <= p.Box.X+p.Box.W && y >= p.Box.Y && y <= p.Box.Y+p.Box.H
	}) != nil
}
