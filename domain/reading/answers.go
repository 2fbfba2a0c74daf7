package reading

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"understudy/domain/language"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// Found is a passage with how well it answers.
type Found struct {
	Passage Passage
	// Score is 0 to 1; from Enough on the passage is an answer.
	Score float64
	// Sentence is the part of it that says it.
	Sentence string
}

// The weights of the score (facts.md: tried on 14 real pages): the passage itself
// says most, its headings nearly as much, the page's title and the link that led
// here less; without the kind of answer that is asked for it is hardly one. Enough
// lies between the best passages of pages without the answer (.46 at most there)
// and those of pages with it.
const (
	Enough     = 0.6
	pathShare  = 0.9
	titleShare = 0.7
	kindless   = 0.45
	bestOf     = 5
)

// Answers ranks the passages by how well they answer a question or are what is
// looked for, the best first, at most five. came is the name of the link that led
// here, "" for none.
func Answers(s *task.Subgoal, page *walk.Page, passages []Passage, came string) []Found {
	want := s.Wanted()
	if len(want) == 0 {
		return nil
	}
	title, link := language.Read(page.Title), language.Read(came)
	read := map[string]*language.Phrase{}
	phrase := func(t string) *language.Phrase {
		if read[t] == nil {
			read[t] = language.Read(t)
		}
		return read[t]
	}
	var out []Found
	for i := range passages {
		p := &passages[i]
		own := phrase(p.Text)
		sum, all, said := 0.0, 0.0, 0.0
		for _, w := range want {
			here := language.Best(w, own)
			best := here
			for _, h := range p.Path {
				best = math.Max(best, pathShare*language.Best(w, phrase(h)))
			}
			best = math.Max(best, titleShare*math.Max(language.Best(w, title), language.Best(w, link)))
			if w.Verbatim && best < pathShare*0.8 {
				best = 0
			}
			weight := math.Max(0.05, w.IDF)
			sum += weight * best
			all += weight
			said = math.Max(said, here*w.IDF)
		}
		score := sum / all
		switch {
		case p.Kind == "heading":
			score *= kindless // it asks, what stands below it answers
			if s.Kind == task.Reach {
				score = sum / all
			}
		case said == 0 && s.Answer == "" && s.Kind == task.Inform:
			score *= 0.8 // it speaks of something else below the right heading
		}
		if s.Kind == task.Inform && s.Answer != "" && !answers(s, p) {
			score *= kindless
		}
		if strings.HasSuffix(strings.TrimSpace(p.Text), "?") {
			score *= kindless
		}
		if score > 0.2 {
			out = append(out, Found{*p, math.Min(1, score), sentence(want, p.Text, phrase)})
		}
	}
	slices.SortStableFunc(out, func(a, b Found) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), bestOf)]
}

// answers: the passage holds an answer of the kind that is asked for.
func answers(s *task.Subgoal, p *Passage) bool {
	if s.Whether {
		return language.Holds(language.State, p.Text) || language.Holds(language.Percent, p.Text)
	}
	return language.Holds(s.Answer, p.Text)
}

// sentence is the sentence of a text that says most of what is wanted.
func sentence(want []language.Word, text string, phrase func(string) *language.Phrase) string {
	best, out := -1.0, ""
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		for _, part := range strings.SplitAfter(one, ". ") {
			if c := language.Cover(want, phrase(part)); c > best {
				best, out = c, part
			}
		}
	}
	return strings.TrimSpace(out)
}

// About is how far a page is about some words, 0 to 1: by its title, its first
// heading and the link that led to it.
func About(words []language.Word, page *walk.Page, came string) float64 {
	heading := ""
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Kind == "heading" && t.Level <= 1 {
			heading = t.Text
			break
		}
	}
	return math.Max(language.Cover(words, language.Read(page.Title+"\n"+heading)), 0.9*language.Cover(words, language.Read(came)))
}
