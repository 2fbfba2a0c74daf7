package language

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxWords bounds how much of a text is read, maxLength how much of one word, in
// bytes.
const (
	maxWords  = 400
	maxLength = 200
)

// What was read is kept: sites say the same on every page, and many walk on one.
const (
	keptLength  = 160   // in bytes: longer texts are seldom read twice
	keptPhrases = 20000 // about 30 MB; when they are so many, it starts anew
)

var kept struct {
	sync.RWMutex
	phrases map[string]*Phrase
}

// Read takes a text apart. It is total; of a longer text the first 400 words are
// read. A word joined of several by . _ - or # is followed by its parts. What it
// returns is shared and must not be changed.
func Read(text string) *Phrase {
	if len(text) > keptLength {
		return read(text)
	}
	kept.RLock()
	p := kept.phrases[text]
	kept.RUnlock()
	if p != nil {
		return p
	}
	p = read(text)
	kept.Lock()
	defer kept.Unlock()
	if kept.phrases == nil || len(kept.phrases) >= keptPhrases {
		kept.phrases = map[string]*Phrase{}
	}
	kept.phrases[strings.Clone(text)] = p
	return p
}

func read(text string) *Phrase {
	p := english().read(text)
	if len(tongues()) > 1 {
		if l := detect(p.Words); l.at != 0 {
			return l.read(text)
		}
	}
	return p
}

// ReadAs takes a text apart that is known to be in a language.
func ReadAs(lang, text string) *Phrase { return tongueOf(lang).read(text) }

func (l *tongue) read(text string) *Phrase {
	p := &Phrase{Text: text, lang: l.at}
	scan(text, func(raw string) bool {
		p.Words = append(p.Words, l.word(raw))
		if whole := p.Words[len(p.Words)-1].Text; strings.ContainsAny(whole, "._-/@#:") {
			for part := range strings.FieldsFuncSeq(raw, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				if w := l.word(part); w.Text != whole {
					w.Part = true
					p.Words = append(p.Words, w)
				}
			}
		}
		return len(p.Words) < maxWords
	})
	p.Words = p.Words[:min(len(p.Words), maxWords)]
	l.phrasal(p.Words)
	p.Concepts = express(l, p.Words)
	p.content = p.Content()
	return p
}

// word reads one word, which is not empty.
func (l *tongue) word(raw string) Word {
	raw = contraction(raw)
	first, _ := utf8.DecodeRuneInString(raw)
	low := strings.ToLower(raw)
	w := Word{Text: low, Lemma: low, Capital: unicode.IsUpper(first), Verbatim: verbatim(raw), index: unknown, lang: l.at}
	if w.Verbatim {
		w.Lemma = strings.ReplaceAll(low, ",", "")
		w.IDF = 1
		return w
	}
	w.Function = l.is("function", low) && (!w.Capital || !l.is("calendar", low)) // "in May"
	if l.at != 0 {
		l.weigh(&w)
		return w
	}
	if joined := strings.ReplaceAll(low, "-", ""); joined != low && lookUp(joined) >= 0 {
		w.Lemma = lemma(joined) // "e-mail", "check-in"
	} else if w.Lemma = lemma(low); w.Lemma == low && capitalsPlural(raw) {
		w.Lemma = strings.TrimSuffix(low, "s")
	}
	w.index = lookUp(w.Lemma)
	if !w.Function {
		w.IDF = idf(min(rank(w.index), rank(lookUp(low))))
	}
	return w
}

// listed is the weight of words that a language without ranks has in its lists: that
// of the thousandth word of English or so.
const listed = 0.6

// weigh gives a word of a language without vectors its lemma and weight.
func (l *tongue) weigh(w *Word) {
	low := w.Text
	if joined := strings.ReplaceAll(low, "-", ""); joined != low && l.has(joined) {
		low = joined // "E-Mail"
	}
	w.Lemma, w.listed = l.lemma(low), l.has(low)
	switch {
	case w.Function:
	case w.listed:
		w.IDF = listed
	default:
		w.IDF = 1
		_, w.head = l.head(low)
	}
	if w.listed || w.head != "" { // an unknown word may be a name
		w.Capital = w.Capital && !l.capitals()
	}
}

// known: the language of a word has it.
func (w *Word) known() bool { return w.index >= 0 || w.listed }

// scan passes on the words of a text: letters and digits, joined by what
// identifiers are joined with, and signs that stand alone on buttons. It stops when
// it is told to.
func scan(text string, each func(raw string) bool) {
	from, letters := -1, false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next := i + size
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || from >= 0 && unicode.Is(unicode.Mn, r) || r == '#' && from < 0 && startsWith(text[next:], unicode.IsDigit):
			if from < 0 {
				from, letters = i, false
			}
			letters = letters || unicode.IsLetter(r)
		case from >= 0 && joins(r, letters) && startsWith(text[next:], func(n rune) bool { return unicode.IsLetter(n) || unicode.IsDigit(n) }):
		default:
			if from >= 0 && !each(bounded(text[from:i])) {
				return
			}
			from = -1
			if strings.ContainsRune("+×✕✖☰≡⋮…⋯▶►⏸❚›»→‹«←", r) && !each(text[i:next]) {
				return
			}
		}
		i = next
	}
	if from >= 0 {
		each(bounded(text[from:]))
	}
}

// joins: a sign holds together what is left and right of it; some do it between
// digits only ("8:42", "1,000", "3/4").
func joins(r rune, letters bool) bool {
	switch r {
	case '.', '_', '-', '@', '#', '\'', '’':
		return true
	case '/', ':', ',':
		return !letters
	}
	return false
}

func startsWith(text string, is func(rune) bool) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && is(r)
}

func bounded(raw string) string {
	if len(raw) > maxLength {
		return strings.ToValidUTF8(raw[:maxLength], "")
	}
	return raw
}

// contraction cuts what an apostrophe adds: "what's" is what, "don't" stays.
func contraction(w string) string {
	at := strings.IndexAny(w, "'’")
	switch {
	case at <= 0:
		return w
	case strings.HasSuffix(w, "t") && strings.HasSuffix(w[:at], "n"):
		return w[:at] + "t"
	}
	return w[:at]
}

// verbatim: nothing but the word itself will do: numbers, and what mixes letters
// with digits or capitals, or joins them as identifiers do. Capitals with a small
// plural s are a word ("FAQs").
func verbatim(raw string) bool {
	letters, numbers, upper, from := 0, 0, 0, 0
	for i, r := range raw {
		switch {
		case unicode.IsDigit(r):
			numbers++
		case unicode.IsLetter(r):
			letters++
			if i > from && unicode.IsUpper(r) {
				upper++
			}
		case strings.ContainsRune("._@/#", r):
			return true
		case r == '-':
			letters, upper, from = 0, 0, i+1 // "Sign-Up", "E-Mail"
		}
	}
	return numbers > 0 || upper > 0 && upper < letters-1 && !capitalsPlural(raw)
}

// capitalsPlural: capitals with a small s behind them.
func capitalsPlural(raw string) bool {
	stem, ok := strings.CutSuffix(raw, "s")
	return ok && len(stem) > 1 && strings.ToUpper(stem) == stem
}

// phrasal notes at verbs which particle behind them makes another verb of them
// ("back up" is "backup"), where the two are one in the vocabulary or in the name of
// a concept.
func (l *tongue) phrasal(words []Word) {
	for i := range words[:max(0, len(words)-1)] {
		w, next := &words[i], words[i+1].Text
		if w.Function || w.Verbatim || !l.is("particle", next) {
			continue
		}
		if joined := w.Lemma + next; lookUp(joined) >= 0 || l.names.pairs[[2]string{w.Lemma, next}] {
			w.joined = joined
		}
	}
}
