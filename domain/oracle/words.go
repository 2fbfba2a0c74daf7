package oracle

import (
	"embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"understudy/domain/language"
	"understudy/domain/task"
)

// The lists of all languages, a folder each.
//
//go:embed */words.txt
var folders embed.FS

// lexicon is what the words.txt of all languages say: pages mix them.
type lexicon struct {
	error, success, review *regexp.Regexp
	roles                  map[string][]string // by the name of a widget
	months                 [][]string          // of each language
	partial                map[string]bool     // by a language and a base form
}

var words = sync.OnceValue(func() lexicon {
	says := map[string][]string{}
	out := lexicon{roles: map[string][]string{}, partial: map[string]bool{}}
	texts := language.Texts(folders, "words.txt")
	for _, lang := range language.Installed() {
		for line := range strings.Lines(texts[lang]) {
			switch kind, rest, _ := strings.Cut(strings.TrimSpace(line), "\t"); kind {
			case "error", "success", "review":
				says[kind] = append(says[kind], rest)
			case "roles":
				names, list, _ := strings.Cut(rest, "\t")
				for n := range strings.SplitSeq(names, ";") {
					out.roles[n] = append(out.roles[n], strings.Fields(list)...)
				}
			case "months":
				out.months = append(out.months, strings.Fields(rest))
			case "partial":
				for w := range strings.FieldsSeq(rest) {
					out.partial[lang+" "+language.Base(lang, w)] = true
				}
			}
		}
	}
	any := func(kind string) *regexp.Regexp { return regexp.MustCompile("(?i)" + strings.Join(says[kind], "|")) }
	out.error, out.success, out.review = any("error"), any("success"), any("review")
	return out
})

// fold is a text as it is compared: lower case letters and digits, one space
// between words.
func fold(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// within: the words of part stand one behind the other in whole, or those of somebody's
// name with the last before the first; both are folded.
func within(whole, part string) bool {
	stands := func(part string) bool { return part != "" && strings.Contains(" "+whole+" ", " "+part+" ") }
	first, last, two := strings.Cut(part, " ")
	return stands(part) || two && !strings.Contains(last, " ") && stands(last+" "+first)
}

// same: a field holds what was to be entered. Texts are compared as they are but
// for their spaces, what is chosen in any case, and numbers, times and dates by
// what they mean in whatever form the field wants them.
func same(v task.Value, have string) bool {
	want, have := strings.Join(strings.Fields(v.Text), " "), strings.Join(strings.Fields(have), " ")
	if want == "" || have == "" {
		return false
	}
	if want == have {
		return true
	}
	if v.Kind == "password" || v.Kind == "username" {
		return false
	}
	a, b := numbers(want), numbers(have)
	f, part := fold(have), fold(want)
	switch {
	case part == "":
	case v.Choose && strings.HasPrefix(f+" ", part+" ") || part == f && (v.Kind == "search" || v.Kind == "email"):
		if slices.Equal(a, b[:min(len(a), len(b))]) {
			return true
		}
	case slices.ContainsFunc(v.Hint, func(w language.Word) bool { return words().partial[w.Language()+" "+w.Lemma] }):
		return strings.HasPrefix(f, part) || strings.HasSuffix(f, part)
	}
	if a, ok := clock(want); ok {
		b, ok := clock(have)
		return ok && a == b
	}
	switch {
	case len(a) == 0:
		return false
	case v.Kind == "phone":
		return digits(want) == digits(have)
	case len(a) == 1 && len(b) == 1:
		return a[0] == b[0] && !letters(have) && (!letters(want) || v.Kind == "amount")
	case v.Kind == "date" || len(a) == 3 && !letters(want):
		return len(b) >= len(a) && len(b) <= 3 && !slices.ContainsFunc(a, func(n float64) bool { return !slices.Contains(b, n) })
	}
	return false
}

var (
	numberShape = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?|[\p{L}]+`)
	digitShape  = regexp.MustCompile(`\d`)
)

// clock is a time of day in minutes.
func clock(s string) (int, bool) {
	s = strings.NewReplacer(" ", "", ".", "").Replace(strings.ToUpper(s))
	for _, layout := range []string{"15:04", "15:04:05", "3:04PM", "3PM"} {
		if at, err := time.Parse(layout, s); err == nil {
			return 60*at.Hour() + at.Minute(), true
		}
	}
	return 0, false
}

// numbers are those that a text holds, months by name as their number.
func numbers(s string) []float64 {
	var out []float64
	for _, at := range numberShape.FindAllStringIndex(s, 50) {
		part := s[at[0]:at[1]]
		if n, err := strconv.ParseFloat(strings.ReplaceAll(part, ",", ""), 64); err == nil && part[0] <= '9' {
			if before := s[:at[0]]; before == "-" || strings.HasSuffix(before, " -") {
				n = -n
			}
			out = append(out, n)
			continue
		}
		if n := month(part); n > 0 {
			out = append(out, float64(n))
		}
	}
	return out
}

// month is the number of the month that a word names or begins to name, 0 for none.
func month(word string) int {
	word = strings.ToLower(word)
	for _, names := range words().months {
		if at := slices.IndexFunc(names, func(m string) bool { return len(word) >= 3 && strings.HasPrefix(m, word) }); at >= 0 {
			return at + 1
		}
	}
	return 0
}

func digits(s string) string { return strings.Join(digitShape.FindAllString(s, -1), "") }

func letters(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// clip is a text as evidence quotes it.
func clip(s string) string {
	const most = 80
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return strings.TrimSpace(string(r[:most])) + "…"
	}
	return s
}

func quote(s string) string { return "“" + clip(s) + "”" }

// The strengths of a match (package language) from which a word is met: a common
// one by its base form, its concept or a word derived from it, a name by itself
// in another form at most.
const (
	metCommon = 0.75
	metName   = 0.85
)

// thing is which one is meant: a name as the task writes it, and words.
type thing struct {
	names []string // folded
	words []language.Word
}

// String is the thing as it is quoted.
func (t *thing) String() string {
	out := slices.Clone(t.names)
	for _, w := range t.words {
		out = append(out, w.Text)
	}
	return strings.Join(out, " ")
}

// named: the thing is told by a name.
func (t *thing) named() bool {
	return len(t.names) > 0 || slices.ContainsFunc(t.words, language.Word.Named)
}

func (t *thing) empty() bool { return len(t.names) == 0 && len(t.words) == 0 }

// fit is how far a text is about the thing, 0 to 1: names and verbatim words must
// all be there, of common words the share of their meaning counts. A word that is
// part of the name of a concept is met by its other names ("dark theme", "dark mode").
func (t *thing) fit(text string) float64 {
	folded := fold(text)
	if slices.ContainsFunc(t.names, func(n string) bool { return !within(folded, n) }) {
		return 0
	}
	if len(t.words) == 0 {
		return 1
	}
	p := language.Read(text)
	sum, all := 0.0, 0.0
	for _, w := range t.words {
		met := language.Best(w, p)
		weight := max(0.05, w.IDF)
		all += weight
		switch {
		case w.Named() && met < metName:
			return 0
		case w.Named() || met >= metCommon || slices.ContainsFunc(language.Read(w.Text).Concepts, p.Has):
			sum += weight
		}
	}
	return sum / all
}

// fits is the share of a thing's common words from which a text is about it: one
// word of four may be said otherwise (an assumption).
const fits = 0.75

// subject is the thing that an act or a place is about: what the task names, else
// the words in capitals, codes and numbers, else what it is said to be.
func subject(s *task.Subgoal) thing {
	var t thing
	if s.Literal != "" {
		t.names = append(t.names, fold(s.Literal))
	}
	for _, v := range s.Values {
		if v.Old && v.Text != "" {
			t.names = append(t.names, fold(v.Text))
		}
	}
	if len(t.names) > 0 {
		return t
	}
	both, kind := append(slices.Clone(s.Object), s.Place...), language.Read(s.Widget)
	for _, words := range [][]language.Word{
		keep(both, func(w language.Word) bool { return w.Named() && strconv.Itoa(s.Count) != w.Text }),
		keep(s.Object, func(w language.Word) bool { return language.Best(w, kind) < metCommon }),
		both,
	} {
		if t.words = words; len(words) > 0 {
			break
		}
	}
	return t
}
