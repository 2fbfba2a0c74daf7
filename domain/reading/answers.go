package reading

import (
	"cmp"
	"embed"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"

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

// The weights of the score. pathShare, titleShare and kindless are from facts.md,
// tried there on 14 real pages; implied is that of a synonym; openedShare, addressShare, aside and
// met are assumptions. Enough lies between the passages that answer on the 65 pages of
// the tests, .69 and more, and the best of those without the answer, .66 at most.
const (
	// Enough is the score from which a passage is an answer.
	Enough       = 0.68
	pathShare    = 0.9  // the headings above say nearly as much as the passage
	openedShare  = 0.95 // what was opened by its name is what everything here is about
	titleShare   = 0.7  // the page's title and the link that led here say less
	addressShare = 0.6  // so does the address
	kindless     = 0.45 // the kind of answer is missing, or who or what is asked about
	implied      = 0.8  // a word for the kind of answer is said by an answer
	aside        = 0.8  // below the right heading it speaks of something else
	met          = 0.6  // a name is met from this match on: that of a title at least
	mentioned    = 0.6  // a text that speaks of something else mentions it
	subjectWords = 8    // within which a sentence names its subject
	faint        = 0.2  // what scores less is not told
	bestOf       = 5
	telling      = 0.5  // the weight of a word that tells one way of doing from others
	sameWord     = 0.85 // from where on a word is that one itself
)

// The lists of all languages, a folder each.
//
//go:embed */kinds.txt */imprint.txt */empty.txt
var folders embed.FS

// kindWord is a word that names a kind of answer in a language.
type kindWord struct {
	kind       language.Kind
	lang, base string
}

var kindWords = sync.OnceValue(func() map[kindWord]bool {
	out := map[kindWord]bool{}
	for lang, text := range language.Texts(folders, "kinds.txt") {
		for line := range strings.Lines(text) {
			kind, words, ok := strings.Cut(line, ":")
			if !ok || strings.HasPrefix(line, "#") {
				continue
			}
			for w := range strings.FieldsSeq(words) {
				if lang != language.English { // whose list has base forms
					w = language.Base(lang, w)
				}
				out[kindWord{language.Kind(kind), lang, w}] = true
			}
		}
	}
	return out
})

// namesKind reports whether a word names a kind of answer.
func namesKind(kind language.Kind, w *language.Word) bool {
	return kindWords()[kindWord{kind, w.Language(), w.Lemma}]
}

// phrases reads texts once.
type phrases map[string]*language.Phrase

func (r phrases) of(text string) *language.Phrase {
	if r[text] == nil {
		r[text] = language.Read(text)
	}
	return r[text]
}

// Answers ranks the passages by how well they answer a question or are what is
// looked for, the best first, at most five. came is the name of the link that led
// here, "" for none.
func Answers(s *task.Subgoal, page *walk.Page, passages []Passage, came string) []Found {
	want := s.Wanted()
	if len(want) == 0 {
		return nil
	}
	read := phrases{}
	around := make([]float64, len(want)) // what the page itself says of each word
	opened := nameIn(want, read.of(came))
	for i, w := range want {
		around[i] = titleShare * math.Max(language.Best(w, read.of(page.Title)), language.Best(w, read.of(came)))
		if opened {
			around[i] = openedShare
		}
	}
	var out []Found
	for i := range passages[:min(len(passages), maxPassages)] {
		p := &passages[i]
		if score := score(s, want, p, around, read); score > faint {
			out = append(out, Found{*p, math.Min(1, score), sentence(want, s.Answer, p.Text, read)})
		}
	}
	slices.SortStableFunc(out, func(a, b Found) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), bestOf)]
}

// nameIn: a phrase has all the names that are wanted, which say which one is meant
// whatever else is said of it.
func nameIn(want []language.Word, in *language.Phrase) bool {
	named := 0
	for _, w := range want {
		if w.Named() {
			if named++; language.Best(w, in) < met {
				return false
			}
		}
	}
	return named > 0
}

// score is the share of the wanted words' meaning that a passage says, with what
// stands above and around it, less where something essential is missing.
func score(s *task.Subgoal, want []language.Word, p *Passage, around []float64, read phrases) float64 {
	own := read.of(p.Text)
	answered := s.Answer != "" && answers(s, p)
	sum, all, most, said, missing := 0.0, 0.0, 0.0, 0.0, false
	for i, w := range want {
		here := language.Best(w, own)
		if answered && namesKind(s.Answer, &w) {
			here = math.Max(here, implied)
		}
		best := math.Max(here, around[i])
		for _, h := range p.Path {
			best = math.Max(best, pathShare*language.Best(w, read.of(h)))
		}
		if best < met && (names(want, i) || s.Howto && w.IDF >= telling) {
			missing = true
		}
		weight := math.Max(0.05, w.IDF)
		sum += weight * best
		all += weight
		most, said = math.Max(most, here*w.IDF), math.Max(said, here)
	}
	score := sum / all
	if last := len(want) - 1; s.Answer == "" && s.Which() && last > 0 && language.Best(want[last], own) < met && !slices.ContainsFunc(p.Path, func(h string) bool { return language.Best(want[last], read.of(h)) >= met }) {
		missing = true // what tells the one that is meant from others
	}
	if missing {
		score *= kindless
	}
	asks := strings.HasSuffix(strings.TrimSpace(p.Text), "?")
	switch {
	case s.Kind == task.Inform && !s.Whether && echoes(want, own):
		return score * kindless // it says the question's own words and nothing else
	case s.Answer == language.Number && s.Counted() && !counts(want[0], p):
		return score * kindless // it counts something else
	}
	switch {
	case s.Howto && (p.Kind == "control" || slices.ContainsFunc(p.Links, func(l string) bool { return language.Cover(want, read.of(l)) >= aside*language.Cover(want, own) })):
		return score * kindless // it leads to where it is said
	case s.Kind == task.Inform && (p.Kind == "heading" && (!s.Whether || !answered) || asks):
		return score * kindless // it asks; what stands below it answers
	case s.Kind != task.Inform:
		return score
	case s.Answer == "" && s.Which() && language.Best(want[0], own) < met && (p.Kind == "row" && !oneOf(want, p, own, read) || said < met):
		return score * mentioned // a row says what each of its cells is; what says no word of the question answers none
	case s.Answer == "" && p.Kind != "row" && len(own.Words) > subjectWords && !topical(want, p, read):
		return score * mentioned
	case s.Answer == "" && special(want, p, read):
		return score * aside
	case s.Answer != "" && !answered:
		return score * kindless
	case most == 0 && !labelled(s.Answer, own) && (len(p.Path) == 0 || !labelled(s.Answer, read.of(p.Path[len(p.Path)-1]))):
		return score * aside
	}
	return score
}

// echoes: a passage has no word but those that are asked about.
func echoes(want []language.Word, own *language.Phrase) bool {
	asked := &language.Phrase{Words: want}
	return !slices.ContainsFunc(own.Content(), func(w language.Word) bool { return language.Best(w, asked) < sameWord })
}

// counts: a number stands before the word for what is counted, or that is what the
// passage is called.
func counts(what language.Word, p *Passage) bool {
	const reach = 2                                   // words between a number and what it counts: an assumption
	for i, part := range strings.Split(p.Text, ";") { // as a row says each of its cells
		label, value, labelled := strings.Cut(part, ":")
		if labelled && language.Best(what, language.Read(label)) >= sameWord && (i == 0 || language.Holds(language.Number, value)) {
			return true
		}
	}
	words := strings.Fields(p.Text)
	for i, w := range words {
		if language.Best(what, language.Read(w)) >= sameWord && language.Holds(language.Number, strings.Join(words[max(0, i-reach):i], " ")) {
			return true
		}
	}
	return false
}

// topical: the passage is about what is asked, by what stands above it, its term or
// how it begins, and does not only mention it.
func topical(want []language.Word, p *Passage, read phrases) bool {
	head := strings.Join(p.Path, "\n")
	begin := p.Text
	if at := strings.IndexAny(begin, ":.;"); at > 0 {
		begin = begin[:at]
	}
	if words := strings.Fields(begin); len(words) > subjectWords {
		begin = strings.Join(words[:subjectWords], " ")
	}
	best := 0.0
	for _, h := range []string{begin, head} {
		best = math.Max(best, language.Cover(want, read.of(h)))
	}
	return best >= met
}

// oneOf: the passage stands right below the name of the things of which one is asked for, and
// says itself what tells that one from others.
func oneOf(want []language.Word, p *Passage, own *language.Phrase, read phrases) bool {
	return len(p.Path) > 0 && language.Best(want[0], read.of(p.Path[len(p.Path)-1])) >= met && language.Best(want[len(want)-1], own) >= met
}

// special: the heading that a passage stands under names a kind of what is asked, by a
// word right before it ("Nested lists" for lists).
func special(want []language.Word, p *Passage, read phrases) bool {
	if len(p.Path) == 0 {
		return false
	}
	asked := &language.Phrase{Words: want}
	words := read.of(p.Path[len(p.Path)-1]).Content()
	for i := 1; i < len(words); i++ {
		before := words[i-1]
		if language.Best(words[i], asked) >= sameWord {
			return language.Best(before, asked) < faint && before.IDF >= telling && !before.Verbatim
		}
	}
	return false
}

// labelled: the passage says itself which kind of answer it has ("Length: …").
func labelled(kind language.Kind, in *language.Phrase) bool {
	return kind != "" && slices.ContainsFunc(in.Words, func(w language.Word) bool { return namesKind(kind, &w) })
}

// names: only the word itself will do, as it is a number, an identifier or what a
// name ends with.
func names(want []language.Word, i int) bool {
	if want[i].Verbatim {
		return true
	}
	return want[i].Capital && (i+1 == len(want) || !want[i+1].Capital)
}

// answers: the passage holds an answer of the kind that is asked for.
func answers(s *task.Subgoal, p *Passage) bool {
	if s.Whether {
		return language.Holds(language.State, p.Text) || language.Holds(language.Percent, p.Text)
	}
	return language.Holds(s.Answer, p.Text)
}

// sentence is the sentence of a text that says most of what is wanted, one with an
// answer of the kind before one without.
func sentence(want []language.Word, kind language.Kind, text string, read phrases) string {
	best, out := -1.0, ""
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		for _, part := range strings.SplitAfter(one, ". ") {
			c := language.Cover(want, read.of(part))
			if !language.Holds(kind, part) {
				c *= kindless
			}
			if c > best {
				best, out = c, part
			}
		}
	}
	if kind != language.Anything && !language.Holds(kind, out) {
		out = text // what answers stands beside what says of what
	}
	return strings.TrimSpace(out)
}

// Mostly says that what is wanted makes up a good part of a link's words; one that names it
// among much else leads to something else. A card says more of its thing.
func Mostly(s *task.Subgoal, name string) bool {
	const least, card = 0.3, 8 // a share, and words of a card at least: assumptions
	said := language.Read(name).Content()
	return len(said) >= card || language.Cover(said, &language.Phrase{Words: s.Wanted()}) >= least
}

// About is how far a page is about some words, 0 to 1: by its title and first
// heading, the link that led to it, and its address.
func About(words []language.Word, page *walk.Page, came string) float64 {
	if len(words) == 0 {
		return 0
	}
	heading := ""
	for i := range page.Texts {
		if t := &page.Texts[i]; t.Kind == "heading" && t.Level <= 1 {
			heading = t.Text
			break
		}
	}
	own, link, address := language.Read(page.Title+"\n"+heading), language.Read(came), language.Read(addressed(page.URL))
	sum, all := 0.0, 0.0
	for _, w := range words {
		weight := math.Max(0.05, w.IDF)
		sum += weight * max(language.Best(w, own), pathShare*language.Best(w, link), addressShare*language.Best(w, address))
		all += weight
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// addressed are the words of an address's path.
func addressed(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return apart.Replace(u.Path)
}

// apart takes the words of a path apart.
var apart = strings.NewReplacer("/", " ", "-", " ", "_", " ", "+", " ", ".", " ")
