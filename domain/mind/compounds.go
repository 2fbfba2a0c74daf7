package mind

import (
	"regexp"
	"slices"
	"strings"
)

// compound is a word joined by hyphens; single letters before a hyphen make
// none ("e-mail").
var compound = regexp.MustCompile(`\pL{2,}(?:-\pL{2,})+`)

// inCompound: the text has the word only as a part of compounds, where it does
// not mean what interfaces call by it ("write" in "write-ahead logging").
func inCompound(text, base1 string) bool {
	apart := compound.ReplaceAllString(text, " ")
	return apart != text && !has(analyse(apart).base, base1) && has(analyse(text).base, base1)
}

// leastInitials is how many words an abbreviation by initials is made of at
// least: shorter ones are met by chance.
const leastInitials = 3

// initialsWith are the abbreviations by initials that a word of the object is
// a part of: of every run of words that holds it.
func initialsWith(object []string, word string) []string {
	at := slices.Index(object, word)
	var out []string
	for from := 0; from <= at; from++ {
		short := ""
		for i := from; i < len(object); i++ {
			short += object[i][:1]
			if i >= at && len(short) >= leastInitials && !stopwords[short] && strings.Trim(short, "abcdefghijklmnopqrstuvwxyz") == "" {
				out = append(out, short)
			}
		}
	}
	return out
}

// abbreviates: the word is an abbreviation of what the term is a part of, with
// or without a number behind it ("FTS5").
func (t *term) abbreviates(word string) bool {
	return len(t.initials) > 0 && has(t.initials, strings.TrimRight(word, "0123456789"))
}

// particles make another verb of the one before them ("back up").
var particles = set(`up out off down over`)
