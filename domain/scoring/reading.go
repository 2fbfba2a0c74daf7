package scoring

import (
	"strings"
	"unicode"

	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// shortBlock is the number of words up to which a block counts as easy to take in.
const shortBlock = 80

// reading measures the blocks of text that were on the screen during the walk,
// each once.
func reading(w walk.Walked) Reading {
	f := w.Persona.Facets.WithDefaults()
	r := Reading{ToleratedGrade: tolerated(f)}
	goal := map[string]bool{}
	for _, g := range strings.Fields(strings.ToLower(w.Goal.Task)) {
		goal[strings.Trim(g, ".,;:!?\"'")] = true
	}
	seen := map[string]bool{}
	var sentences, syllables, hard, short int
	for i := range w.Steps {
		for j := range w.Steps[i].Page.Texts {
			t := &w.Steps[i].Page.Texts[j]
			if !t.InViewport || seen[t.Text] || t.Kind == "label" || t.Kind == "cell" {
				continue
			}
			seen[t.Text] = true
			n, s, y, h := measure(t.Text, goal)
			r.Words += n
			sentences += s
			syllables += y
			hard += h
			if n <= shortBlock {
				short += n
			}
		}
	}
	if r.Words == 0 {
		return r
	}
	words := float64(r.Words)
	// Kincaid et al. 1975.
	r.Grade = 0.39*words/float64(max(1, sentences)) + 11.8*float64(syllables)/words - 15.59
	r.UnfamiliarShare = float64(hard) / words * familiarity(f)
	r.ShortBlockShare = float64(short) / words
	return r
}

// measure counts the words, sentences, syllables and hard words of a text. A
// block without a full stop is one sentence.
func measure(text string, goal map[string]bool) (words, sentences, syllables, hard int) {
	word := func(s string) {
		if s == "" {
			return
		}
		words++
		n := syllablesIn(s)
		syllables += n
		// Without a frequency list for every language, length stands in for
		// rarity: four syllables or thirteen letters (as in the Gunning fog
		// index, one syllable stricter). The goal's own words are known.
		if (n >= 4 || len(s) >= 13) && !goal[strings.ToLower(s)] {
			hard++
		}
	}
	start := -1
	ended := true
	for i, c := range text {
		if unicode.IsLetter(c) || c == '\'' || c == '’' {
			if start < 0 {
				start = i
			}
			ended = false
			continue
		}
		if start >= 0 {
			word(text[start:i])
			start = -1
		}
		if (c == '.' || c == '!' || c == '?') && !ended {
			sentences++
			ended = true
		}
	}
	if start >= 0 {
		word(text[start:])
	}
	if !ended {
		sentences++
	}
	return words, sentences, syllables, hard
}

// syllablesIn counts groups of vowels, a silent e at the end left out.
func syllablesIn(w string) int {
	n := 0
	vowel := false
	for i := range len(w) {
		v := strings.IndexByte("aeiouyAEIOUY", w[i]) >= 0
		if v && !vowel {
			n++
		}
		vowel = v
	}
	if l := len(w); l > 2 && (w[l-1] == 'e' || w[l-1] == 'E') && n > 1 && w[l-2] != 'l' {
		n--
	}
	return max(1, n)
}

// tolerated is the school grade that a persona reads without effort: an
// assumption around the usual advice to write for grades 7 to 9.
func tolerated(f persona.Facets) float64 {
	g := map[string]float64{persona.Basic: 5, persona.Intermediate: 7, persona.Fluent: 9, persona.Native: 10}[f.LanguageLevel]
	switch f.DomainKnowledge {
	case persona.High:
		g += 2
	case persona.Low:
		g--
	}
	return g
}

// familiarity is the share of hard words that are hard for this persona.
func familiarity(f persona.Facets) float64 {
	v := map[string]float64{persona.Low: 1, persona.Medium: 0.6, persona.High: 0.3}[f.DomainKnowledge]
	switch f.LanguageLevel {
	case persona.Basic:
		v += 0.4
	case persona.Intermediate:
		v += 0.2
	}
	return unit(v)
}

// ReadingOf measures the texts on the screen in one look, for one persona.
func ReadingOf(page *walk.Page, p persona.Persona, goal task.Goal) Reading {
	return reading(walk.Walked{Persona: p, Goal: goal, Steps: []walk.StepRecord{{Page: *page}}})
}
