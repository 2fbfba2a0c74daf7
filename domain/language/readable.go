package language

import (
	"slices"
	"strings"
	"unicode"
)

// What tells a language that cannot be read: assumptions, on the safe side, for a
// page of names, figures or code is none.
const (
	leastTelling = 5    // function words of another language
	leastOdd     = 30   // words, or letters of another script, from which on a text is long enough to tell
	mostOwn      = 0.15 // of its words that are function words of the language that it is read in
	mostKnown    = 0.5  // of its words that this language has
)

// Readable is the language that a text seems to be in, told by its function words
// and its script, and whether it can be read: by one that is installed. tag is what the
// text says of itself; it names a language whose words are not known and never makes one
// of them unreadable: names, code and filling are in no language. Texts too short to tell
// are taken for readable.
func Readable(text, tag string) (lang string, ok bool) {
	own, others := tongues(), data().languages
	function, counts := make([]int, len(own)), make([]int, len(others))
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	if slices.Contains(Installed(), tag) {
		tag = ""
	}
	total, familiar := 0, make([]int, len(own))
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
		for i, l := range own {
			if l.is("function", w) {
				function[i]++
			}
			if tag != "" && l.familiar(w) {
				familiar[i]++
			}
		}
		for _, i := range data().foreign[w] {
			counts[i]++
		}
		return total < maxWords
	})
	best, at, name := function[0], 0, English
	for i, l := range own {
		if function[i] > best && function[i] >= leastTelling {
			best, at, name = function[i], i, l.name
		}
	}
	readable := true
	for i, l := range others {
		if counts[i] > best && counts[i] >= leastTelling && !slices.Contains(Installed(), l) {
			best, name, readable = counts[i], l, false
		}
	}
	switch {
	case !readable:
		return name, false
	case strange >= leastOdd && strange > latin:
		return tag, false
	case tag != "" && total >= leastOdd && float64(function[at]) < mostOwn*float64(total) && float64(familiar[at]) < mostKnown*float64(total):
		return tag, false
	}
	return name, true
}

// Prose reports whether a text is written in sentences of a language that can be read:
// filling, names and code have few of its function words.
func Prose(text string) bool {
	own := tongues()
	function, total := make([]int, len(own)), 0
	scan(text, func(raw string) bool {
		total++
		for i, l := range own {
			if l.is("function", strings.ToLower(raw)) {
				function[i]++
			}
		}
		return total < maxWords
	})
	return total > 0 && float64(slices.Max(function)) >= mostOwn*float64(total)
}

// familiar: the language has the word.
func (l *tongue) familiar(w string) bool {
	if l.at == 0 {
		return lookUp(w) >= 0
	}
	part, _ := l.head(w)
	return part != "" || l.has(w)
}

// Familiar reports whether the words of labels are mostly those of one of the
// languages that somebody reads beside English.
func Familiar(labels string, read ...string) bool {
	own := slices.DeleteFunc(slices.Clone(tongues()), func(l *tongue) bool { return l.at != 0 && !slices.Contains(read, l.name) })
	total, familiar := 0, make([]int, len(own))
	scan(labels, func(raw string) bool {
		if !verbatim(raw) {
			total++
			for i, l := range own {
				if l.familiar(strings.ToLower(raw)) {
					familiar[i]++
				}
			}
		}
		return total < maxWords
	})
	return total > 0 && float64(slices.Max(familiar)) >= mostKnown*float64(total)
}
