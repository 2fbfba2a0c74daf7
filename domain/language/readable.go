package language

import (
	"strings"
	"unicode"
)

// What tells a language that cannot be read: assumptions, on the safe side, for a
// page of names, figures or code is none.
const (
	leastTelling = 5    // function words of another language
	leastOdd     = 30   // words, or letters of another script, from which on a text is long enough to tell
	mostEnglish  = 0.15 // of its words that are function words of English
	mostKnown    = 0.5  // of its words that are in the vocabulary
)

// Readable is the language that a text seems to be in, told by its function words
// and its script, and whether it can be read. tag is what the text says of itself; it
// names a language whose words are not known and never makes one of them unreadable:
// names, code and filling are in no language. Texts too short to tell are taken for
// readable.
func Readable(text, tag string) (lang string, ok bool) {
	others := data().languages
	counts := make([]int, len(others))
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	if tag == "en" {
		tag = ""
	}
	total, english, familiar := 0, 0, 0
	latin, strange := 0, 0 // letters
	scan(text, func(raw string) bool {
		w := strings.ToLower(raw)
		if verbatim(raw) {
			return true
		}
		total++
		for _, r := range w { // by letters, for some scripts have no spaces
			if 'a' <= r && r <= 'z' || unicode.Is(unicode.Latin, r) {
				latin++
			} else if unicode.IsLetter(r) {
				strange++
			}
		}
		if is("function", w) {
			english++
		}
		if tag != "" && lookUp(w) >= 0 {
			familiar++
		}
		for _, i := range data().foreign[w] {
			counts[i]++
		}
		return total < maxWords
	})
	best, name := english, "en"
	for i, l := range others {
		if counts[i] > best && counts[i] >= leastTelling {
			best, name = counts[i], l
		}
	}
	switch {
	case name != "en":
		return name, false
	case strange >= leastOdd && strange > latin:
		return tag, false
	case tag != "" && total >= leastOdd && float64(english) < mostEnglish*float64(total) && float64(familiar) < mostKnown*float64(total):
		return tag, false
	}
	return "en", true
}

// Familiar reports whether the words of labels are mostly those of a language that
// can be read.
func Familiar(labels string) bool {
	total, familiar := 0, 0
	scan(labels, func(raw string) bool {
		if !verbatim(raw) {
			total++
			if lookUp(strings.ToLower(raw)) >= 0 {
				familiar++
			}
		}
		return total < maxWords
	})
	return total > 0 && float64(familiar) >= mostKnown*float64(total)
}
