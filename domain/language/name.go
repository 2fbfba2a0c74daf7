package language

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// How far a word lies on the side of names of persons, or of places, in the space
// of vectors. Looked at: of 80 given and family names all but those that are
// ordinary words (Rose, White, Hill …) have more than .05, of 90 words of labels
// all but offices (director .24, treasurer .31, a list) and kin less than .1; of 45
// cities and countries all but four have more than .14, people's names less than
// .12 but for Sofia.
const (
	somebody     = 0.13 // a name of a person
	hardlyAnyone = -0.1 // ordinary words that are names too lie above
	surely       = 0.28 // a name beyond doubt
	somewhere    = 0.2  // a name of a place
	// commonRank is the frequency rank up to which a word is common: an assumption.
	commonRank = 3000
	ordinary   = 5000 // the words of the language that names are told from
)

// direction is an axis of the space of vectors, of length 1.
type direction [dimensions]float64

// axes are the directions from ordinary words to names of persons and of places.
var axes = sync.OnceValue(func() *struct{ person, place direction } {
	a := &struct{ person, place direction }{}
	var persons, places, common direction
	for i := range int32(known) {
		text := textOf(i)
		if rank(i) <= ordinary {
			common.add(i, 1./ordinary)
		}
		if is("persons", text) {
			persons.add(i, 1/float64(len(data().words["persons"])))
		}
		if is("places", text) {
			places.add(i, 1/float64(len(data().words["places"])))
		}
	}
	for d := range dimensions {
		a.person[d] = persons[d] - common[d]
		a.place[d] = places[d] - (common[d]+persons[d])/2
	}
	a.person.normalise()
	a.place.normalise()
	return a
})

// add adds a share of a word's vector, taken at length 1.
func (v *direction) add(index int32, share float64) {
	from, scale := atNumbers+dimensions*int(index), share/length(index)
	for d := range v {
		v[d] += scale * float64(int8(vocabulary[from+d]))
	}
}

func (v *direction) normalise() {
	squares := 0.0
	for _, x := range v {
		squares += x * x
	}
	for d := range v {
		v[d] /= math.Sqrt(squares)
	}
}

// along is how far a word lies in a direction, −1 to 1.
func (v *direction) along(index int32) float64 {
	sum, from := 0.0, atNumbers+dimensions*int(index)
	for d := range v {
		sum += v[d] * float64(int8(vocabulary[from+d]))
	}
	return sum / length(index)
}

func isName(w Word) bool {
	if w.index < 0 || is("office", w.Text) {
		return false
	}
	a := axes()
	return a.person.along(w.index) >= surely || a.place.along(w.index) >= somewhere
}

// token is a word of a running text with its sign behind, as names are told by both.
type token struct {
	text, low string
	tongue    *tongue // of the text
	index     int32
	ends      bool // a sign or a line's end follows
	dot       bool // a full stop follows

	at, to int // where it stands
}

func tokens(l *tongue, text string) []token {
	var out []token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) {
			if len(out) > 0 && !unicode.IsSpace(r) && r != '.' {
				out[len(out)-1].ends = true
			}
			if len(out) > 0 && r == '.' && out[len(out)-1].to == i {
				out[len(out)-1].dot = true
			}
			if len(out) > 0 && (r == '\n' || r == '.' && len(out[len(out)-1].text) > 1 && !out[len(out)-1].is("title")) {
				out[len(out)-1].ends = true
			}
			i += size
			continue
		}
		from := i
		for i < len(text) {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' && !unicode.Is(unicode.Mn, r) {
				break
			}
			i += size
		}
		t := token{tongue: l, text: text[from:i], at: from, to: i}
		if cut := strings.IndexAny(t.text, "'’"); cut > 1 && len(t.text)-cut <= 4 {
			t.text, t.to, t.ends = t.text[:cut], from+cut, true // "Anna's"
		}
		t.low = strings.ToLower(t.text)
		t.index = lookUp(t.low)
		out = append(out, t)
	}
	return out
}

// capital: written as names are, with one capital at the beginning.
func (t *token) capital() bool {
	first, size := utf8.DecodeRuneInString(t.text)
	return unicode.IsUpper(first) && (len(t.text) == size || strings.ToUpper(t.text) != t.text)
}

// is reports whether the word is in a list of its text's language, or of English.
func (t *token) is(kind string) bool {
	return t.tongue.is(kind, t.low) || t.tongue.at != 0 && is(kind, t.low)
}

func (t *token) initial() bool { return utf8.RuneCountInString(t.text) == 1 && t.capital() }

// person is how much a word is like a name of a person: 1 for one that is, 0 for
// one that may be, −1 for one that is not.
func (t *token) person() int {
	switch {
	case !t.capital() || t.is("function") || t.is("office") || len(data().distinct[t.low]) > 0 && !t.may():
		return -1
	case t.tongue.at != 0 && (t.tongue.familiar(t.low)):
		return -1
	case t.index < 0:
		if b := base(t.low); b != t.low || names().known(t.low) {
			return -1 // a form of an ordinary word
		}
		return 0
	}
	along := axes().person.along(t.index)
	switch {
	case names().known(lemma(t.low)) && along < surely:
		return -1
	case along >= somebody:
		return 1
	case along >= hardlyAnyone && rank(t.index) < ordinary || rank(t.index) >= ordinary && lemma(t.low) == t.low && along >= 0:
		return 0
	}
	return -1
}

// may: colours and months are names too ("Anna Brown").
func (t *token) may() bool { return axes().person.along(max(0, t.index)) >= hardlyAnyone }

// personIn finds the first name of a person: two words or more of which one is a
// name and the others may be, one after a title, or else one that is beyond doubt.
func personIn(l *tongue, text string) string {
	all := tokens(l, text)
	alone := ""
	for i := 0; i < len(all); i++ {
		t := &all[i]
		titled := t.is("title") && t.capital() && i+1 < len(all) && !t.ends
		from, names, words, unknowns, initials := i, 0, 0, 0, 0
		if titled {
			i++
		}
		end := i
		for ; i < len(all); i++ {
			t := &all[i]
			like := t.person()
			if t.initial() && t.dot && i+1 < len(all) && !t.ends {
				end, initials = i, initials+1
				continue
			}
			if words > 0 && t.is("inner") && !t.ends && i+1 < len(all) && (all[i+1].capital() || all[i+1].is("inner")) {
				continue
			}
			if titled && words == 0 && t.capital() && like < 0 && !t.is("function") {
				like = 0
			}
			if like < 0 {
				break
			}
			words, end, names = words+1, i, names+max(0, like)
			if t.index < 0 {
				unknowns++
			}
			if t.ends || words == 4 {
				break
			}
		}
		if words > 0 && (titled || words > 1 && (names > 0 || unknowns == words && l.at == 0) || initials > 0 && words+initials > 1) {
			return text[all[from].at:all[end].to]
		}
		if t := &all[min(from, len(all)-1)]; alone == "" && words == 1 && names == 1 && axes().person.along(t.index) >= surely {
			alone = t.text
		}
	}
	return alone
}

// placeIn finds the first name of a place: a name after a preposition that a place
// stands after, or a word that is one beyond doubt.
func placeIn(l *tongue, text string) string {
	all := tokens(l, text)
	sure := ""
	for i := range all {
		t := &all[i]
		if !t.capital() || t.is("function") || len(data().distinct[t.low]) > 0 && !t.is("places") {
			continue
		}
		along := 0.0
		if t.index >= 0 {
			along = axes().place.along(t.index)
		}
		likely := t.index < 0 || along >= somewhere || t.is("places")
		before := i - 1
		for before >= 0 && all[before].is("article") {
			before--
		}
		if before >= 0 && !all[before].ends && all[before].is("at") && (likely || !all[i].ends && i+1 < len(all) && all[i+1].capital()) && t.person() < 1 {
			end := i
			for end+1 < len(all) && !all[end].ends && all[end+1].capital() {
				end++
			}
			return text[t.at:all[end].to]
		}
		if sure == "" && t.index >= 0 && along >= somewhere && !names().known(lemma(t.low)) && rank(t.index) > 100 && t.person() < 1 && !compass(t.low) {
			sure = t.text
		}
	}
	return sure
}

func compass(word string) bool { return data().different(word, "north") || word == "north" }
