package oracle

import (
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// reports: the row of the thing, or a sentence that names it, says now that the deed was
// done to it ("Paused", "Garden is the default shelf"), and did not before.
func (o *Oracle) reports(s *task.Subgoal, m *mark, t *turn) {
	it := subject(s)
	done := func(text string) bool { return past(s, text) }
	offered := does(s, t.label)
	for _, v := range s.Values {
		if words := language.Read(v.Text).Content(); v.New && v.Choose && len(words) > 0 && language.Best(words[0], t.label) >= metName {
			offered, done = true, func(text string) bool { return language.Cover(words, language.Read(text)) >= fits }
		}
	}
	if !it.named() || !t.reached || t.target == nil || !offered || t.negated() != "" || o.wrong(s, t, nil) != "" {
		return
	}
	says := func(v *view) string {
		for _, r := range v.about(&it) {
			if done(r.text) {
				return r.text
			}
		}
		for i := range v.page.Texts {
			x := &v.page.Texts[i]
			if n := len(strings.Fields(x.Text)); x.Kind != "heading" && n > 2 && n <= reportWords && it.said(x.Text) && done(x.Text) && !strings.HasSuffix(strings.TrimSpace(x.Text), "?") {
				return x.Text
			}
		}
		return ""
	}
	if said := says(t.after); said != "" && says(t.before) == "" {
		m.raise(0.88, quote(said)+" is told now")
	}
}

// reportWords is how many words a sentence has at most that tells what was done: an
// assumption.
const reportWords = 25

// past: a text says of the deed of a subgoal that it was done ("has been cancelled").
func past(s *task.Subgoal, text string) bool {
	verb := language.Read(s.Verb).Content()
	return len(verb) == 1 && slices.ContainsFunc(language.Read(text).Words, func(w language.Word) bool {
		return w.Lemma == verb[0].Lemma && strings.ToLower(w.Text) != w.Lemma
	})
}

// tells: the page says now, in a sentence of its own, that the deed was done, to one thing
// and not to all.
func (t *turn) tells(s *task.Subgoal) bool {
	return slices.ContainsFunc(t.after.page.Texts, func(x walk.Text) bool {
		return x.Kind != "heading" && len(strings.Fields(x.Text)) <= reportWords && past(s, x.Text) && !language.Read(x.Text).Whole() && t.before.shows(fold(x.Text)) == 0
	})
}

// affirms: the page that came says in a sentence of its own, which names the thing, that
// something was done.
func (t *turn) affirms(it thing) bool {
	return it.named() && slices.ContainsFunc(t.after.page.Texts, func(x walk.Text) bool {
		return x.Kind != "heading" && len(strings.Fields(x.Text)) <= reportWords && it.said(x.Text) &&
			words().success.MatchString(x.Text) && !words().error.MatchString(x.Text) && t.before.shows(fold(x.Text)) == 0
	})
}
