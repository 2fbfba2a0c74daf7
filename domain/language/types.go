// Package language holds words: how a text is read into words and interface
// concepts, how alike two words are, and what kinds of answer a text holds.
//
// Everything about a language is data: a folder each, as en/, has its lists (concepts,
// closed word lists, answers, orders). A phrase is read in the installed language whose
// words it has. English alone has word vectors with frequency ranks, words.bin, which
// the command in vectors/ makes; the others are read by their lists.
package language

import (
	"cmp"
	"slices"
	"strings"
)

// Word is one word of a text.
type Word struct {
	Text     string  // lower case, as it stands there
	Lemma    string  // the base form: "fees" has "fee", "paid" has "pay"; verbatim words keep themselves
	IDF      float64 // how much it says: 0 (nothing) to 1 (rare or unknown), from its frequency rank
	Function bool    // carries no meaning alone: a, of, the, please
	Verbatim bool    // identifier, code or number: nothing but itself will do
	Capital  bool    // written with a capital, where that is not how its language writes all nouns
	Part     bool    // a part of the joined word before it: "dumps" of "json.dumps"

	index  int32  // of its lemma in the vocabulary, unknown (-1) when it is not there
	lang   uint8  // of the installed languages, 0 for English
	listed bool   // the lists of its language have it, where that has no vectors
	head   string // the lemma of what a compound ends in ("Gebühr" of "Jahresgebühr"), "" for none
	joined string // with the particle behind it: "backup" at the "back" of "back up", "" for none
}

// Named says that a word is written as a name or an identifier, so that nothing like it will do.
func (w Word) Named() bool { return w.Verbatim || w.Capital }

// Dates says that a word tells when rather than what: a month, a day of the week or up to
// four digits.
func (w Word) Dates() bool {
	return len(w.Text) <= 4 && strings.Trim(w.Text, "0123456789") == "" || w.tongue().is("calendar", w.Text)
}

// Phrase is a text as it was read.
type Phrase struct {
	Text     string
	Words    []Word
	Concepts []string // interface concepts that it expresses, sorted, without duplicates

	lang    uint8  // of the installed languages, 0 for English
	content []Word // of one that was read
}

// Kind is a kind of answer. The empty kind is anything.
type Kind string

// The kinds of answer.
const (
	Anything Kind = ""
	Money    Kind = "money"
	Number   Kind = "number"
	Percent  Kind = "percent"
	Clock    Kind = "clock" // a time of day
	Hours    Kind = "hours" // when something is open
	Date     Kind = "date"
	Year     Kind = "year"
	Duration Kind = "duration"
	Place    Kind = "place"
	Person   Kind = "person"
	Email    Kind = "email"
	Phone    Kind = "phone"
	Contact  Kind = "contact" // where somebody can be written to or called
	State    Kind = "state"   // yes or no, open or closed, finished or not
)

// Content returns the words that carry meaning, without function words and
// parts; all words but the parts when nothing else is left. They are shared and must
// not be changed.
func (p *Phrase) Content() []Word {
	if p.content != nil {
		return p.content
	}
	var content, all []Word
	for _, w := range p.Words {
		if w.Part {
			continue
		}
		all = append(all, w)
		if !w.Function {
			content = append(content, w)
		}
	}
	if len(content) == 0 {
		content = all
	}
	return slices.Clip(content)
}

// Whole tells whether the phrase speaks of all there are.
func (p *Phrase) Whole() bool {
	return slices.ContainsFunc(p.Words, func(w Word) bool { return w.tongue().is("whole", w.Lemma) || w.tongue().is("whole", w.Text) })
}

// Generic tells whether a word is what the things of any list are called.
func (w Word) Generic() bool { return w.tongue().is("generic", w.Lemma) }

// Has tells whether the phrase expresses an interface concept.
func (p *Phrase) Has(concept string) bool {
	_, found := slices.BinarySearchFunc(p.Concepts, concept, cmp.Compare[string])
	return found
}
