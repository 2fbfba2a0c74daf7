package task

import (
	"slices"
	"strings"

	"understudy/domain/language"
)

// clauses cuts a task where a sentence ends, at "then", and where another order
// begins: behind "and", a comma or a colon before a verb, and at "to" with a verb
// behind a place that is gone to.
func clauses(tokens []token) [][]token {
	var out [][]token
	from := 0
	var verb []token // that goes for what follows, too
	cut := func(to, next int) {
		if to > from {
			out = append(out, slices.Concat(verb, tokens[from:to]))
		}
		from, verb = next, nil
	}
	for i := 0; i < len(tokens); i++ {
		if i > from {
			rest := sentence(tokens, i)
			_, then := lists.at(rest, 0, "cut")
			behind := tokens[i-1].comma || tokens[i-1].colon
			switch {
			case then > 0 && then < len(rest):
				cut(i, i+then)
			case is(tokens[i], "and") && len(rest) > 1 && (begins(rest[1:], true) && !paired(tokens[from:i]) || question(rest[1:]) || alsoAsks(tokens[from:i], rest[1:])):
				cut(i, i+1)
			case (behind || is(tokens[i], "and")) && refuses(rest):
				cut(i, i)
			case is(tokens[i], "and") && turned(tokens[from:i]) && turned(rest[1:]) && !begins(rest[1:], true):
				_, _, behind := verbOf(tokens[from:])
				said := slices.Clone(tokens[from : len(tokens)-len(behind)])
				cut(i, i+1)
				verb = said
			case tokens[i-1].comma && markedQuestion(rest):
				cut(i, i)
			case tokens[i-1].colon && wishes(rest):
				cut(i, i)
			case behind && (begins(rest, false) || declares(tokens[from:i]) > 0 && declares(rest[leadIn(rest):]) > 0):
				cut(i, i)
			case is(tokens[i], "and") && declares(tokens[from:i]) > 0 && declares(rest[1:]) > 0:
				cut(i, i+1)
			case tokens[i].low == "to" && reaches(tokens[from:i]) && begins(rest[1:], false) && !is(tokens[i-1], "infinitive"):
				cut(i, i+1)
			}
		}
		if tokens[i].ends {
			cut(i+1, i+1)
		}
	}
	cut(len(tokens), len(tokens))
	return out
}

// markedQuestion: a question that is marked as one begins here.
func markedQuestion(tokens []token) bool {
	q, n := questions.at(tokens, 0)
	return n > 0 && q.means[0] != '*' && tokens[len(tokens)-1].asks
}

// turned: it says what something is to become ("the name to Heron").
func turned(tokens []token) bool {
	for i := 1; i+1 < len(tokens); i++ {
		if tokens[i].ends {
			return false
		}
		if is(tokens[i], "becomes") && !is(tokens[i], "as") && tokens[i+1].named() {
			return true
		}
	}
	return false
}

// asks is where a question begins that is only told of or stands behind a colon ("my
// boss asks how many …"), and whether there is one.
func asks(tokens []token) (int, bool) {
	if begins(tokens, false) || is(tokens[0], "place") {
		return 0, false
	}
	for i := 1; i+1 < len(tokens); i++ {
		known := is(tokens[i-1], "knows")
		if !known && !tokens[i-1].colon {
			continue
		}
		if at, q := questionIn(tokens[i:]); at == 0 && (known || !q.relativeOnly()) {
			return i, true
		}
	}
	return 0, false
}

// relativeOnly: the question word says more of a noun as often.
func (q entry) relativeOnly() bool {
	return len(q.words) == 1 && (q.words[0] == "a" || q.means[0] == '?')
}

// wishes: it says how something is to be.
func wishes(tokens []token) bool {
	_, how := desire(tokens)
	return len(how) > 0
}

// refuses: it begins with what is not to be done.
func refuses(tokens []token) bool {
	from := 0
	if is(tokens[0], "and") {
		from = 1
	}
	if from < len(tokens) {
		from += leadIn(tokens[from:])
	}
	_, n := lists.at(tokens, from, "not")
	return n > 0 && !is(tokens[from], "why")
}

// farVerb is how many words the subject of a statement has at most: an assumption.
const farVerb = 12

// declares is where the verb of a statement stands: a sentence with a subject before
// its verb, which orders and asks nothing. 0 for none.
func declares(tokens []token) int {
	if len(tokens) < 2 {
		return 0
	}
	if is(tokens[0], "you") {
		if _, n := questions.at(tokens, 1); n == 0 && !tokens[1].named() {
			return 1
		}
	}
	if is(tokens[0], "anybody") && !tokens[1].named() {
		return 1
	}
	if at, _ := questionIn(tokens); at == 0 || is(tokens[0], "preposition") {
		return 0
	}
	if !is(tokens[0], "article") && !is(tokens[0], "pronoun") && is(tokens[1], "pronoun") && !is(tokens[1], "article") { // "block it until he comes"
		return 0
	}
	if is(tokens[0], "subjects") && !tokens[1].named() && !is(tokens[1], "preposition") {
		return 1
	}
	_, said, rest := verbOf(tokens)
	if said != "" && (len(rest) == 0 || !is(rest[0], "finite")) && !subject(rest) || said == "" && tokens[0].value == nil && !tokens[0].noun && ordered(tokens) {
		return 0
	}
	for i, t := range tokens[:min(len(tokens), farVerb)] {
		switch {
		case i > 0 && t.value == nil && (is(t, "finite") || t.tells() && !is(tokens[i-1], "article") && !is(tokens[i-1], "preposition")):
			return i
		case t.in.has("relative", t.low), t.comma, t.colon:
			return 0
		}
	}
	return 0
}

// tells: the token is the inflected verb of a statement ("lies", "bought"). What is as
// often a noun of several ("orders") is none.
func (t token) tells() bool {
	if t.named() || t.noun {
		return false
	}
	base := language.Base(t.in.named(), t.low)
	if base == t.low || strings.HasSuffix(t.low, "ing") || t.in.has("noun", base) && strings.HasSuffix(t.low, "s") {
		return false
	}
	_, n := verbs.at([]token{{low: base, in: t.in}}, 0)
	return n > 0 || t.in.has("states", base)
}

// subject: a name stands before the verb of a statement ("order 10457 left").
func subject(tokens []token) bool {
	return len(tokens) > 1 && tokens[0].named() && tokens[0].value == nil && (tokens[1].tells() || is(tokens[1], "finite"))
}

// self: the token is whom the task speaks to, or what they have.
func (t token) self() bool { return is(t, "self") }

// leadPlace is how many tokens say where before an order says what: "in the
// settings, …", "in the note "Trip" change …". 0 for none.
func leadPlace(tokens []token) int {
	if _, said, _ := verbOf(tokens); said != "" || !is(tokens[0], "place") && !is(tokens[0], "for") {
		return 0
	}
	if at, _ := questionIn(tokens); at >= 0 {
		if at > 1 && tokens[at-1].comma {
			return at
		}
		return 0
	}
	if len(tokens) > 1 && tokens[len(tokens)-1].comma {
		return len(tokens)
	}
	if at := slices.IndexFunc(tokens, func(t token) bool { return t.comma || t.colon }); at > 0 && at < farVerb && !valued(tokens[at+1:min(at+2, len(tokens))]) {
		return at + 1
	}
	for i := 2; i+1 < len(tokens); i++ {
		if is(tokens[i], "preposition") || is(tokens[i-1], "preposition") || is(tokens[i-1], "article") {
			continue
		}
		if begins(tokens[i:], false) && is(tokens[i+1], "article") || (is(tokens[i], "pronoun") || is(tokens[i], "self")) && declares(tokens[i:]) == 1 || is(tokens[i], "article") && tokens[i-1].named() && (wishes(tokens[i:]) || declares(tokens[i:]) > 0) {
			return i
		}
	}
	return 0
}

// sentence are the tokens from a place to the end of their sentence.
func sentence(tokens []token, from int) []token {
	for i := from; i < len(tokens); i++ {
		if tokens[i].ends {
			return tokens[from : i+1]
		}
	}
	return tokens[from:]
}

// begins: an order begins here. A verb that is as often a noun does only when
// something follows that a noun is not followed by. last: it may stand alone.
func begins(tokens []token, last bool) bool {
	tokens = tokens[leadIn(tokens):]
	verb, said, rest := verbOf(tokens)
	switch {
	case len(tokens) > 2 && in(tokens).has("names so", tokens[0].low) && callsIt(tokens) > 0:
		return true
	case said == "" && len(tokens) > 3 && is(tokens[0], "lets") && (is(tokens[1], "article") || is(tokens[1], "pronoun") || is(tokens[0], "lets only")):
		return true
	case said == "" && len(tokens) > 1 && !tokens[0].named():
		_, use := lists.at(tokens, 0, "use")
		return use > 0 || last && ordered(tokens)
	case said == "":
		return false
	case len(rest) == 0:
		return last && (in(tokens).has("alone", said) || strings.Contains(said, " "))
	case in(tokens).has("noun", tokens[0].low) && verb != "reach" && len(tokens)-len(rest) == 1:
		next := rest[0]
		return is(next, "article") || is(next, "pronoun") || next.named() || is(next, "preposition") && !is(next, "of")
	}
	return true
}

// ordered: a word that no list of verbs has, and the thing behind it ("freeze the
// card").
func ordered(tokens []token) bool {
	words := tokens[0].in.read(tokens[0].text).Words
	return len(words) == 1 && !words[0].Function && len(tokens) > 2 && is(tokens[1], "article") && !is(tokens[0], "article") && !is(tokens[0], "preposition")
}

// paired: the clause so far ends in a verb that is used as a noun or stands in a
// pair with the next ("the search and filter settings", "how to fetch and open").
func paired(tokens []token) bool {
	n := len(tokens) - 1
	if n < 1 {
		return false
	}
	if tokens[n-1].low == "to" {
		return n > 1 && is(tokens[n-2], "infinitive")
	}
	_, said, _ := verbOf(tokens[n:])
	return said != "" && is(tokens[n-1], "article")
}

// question: a question follows "and", as in "who leads it and where it meets".
func question(tokens []token) bool {
	if len(tokens) > 2 && is(tokens[0], "preposition") && tokens[1].in.has("asks", tokens[1].low) {
		return true // "and in which version"
	}
	q, n := questions.at(tokens, 0)
	return n > 0 && n < len(tokens) && q.means[0] != '*' && q.means[0] != '?' && q.words[0] != "a"
}

// alsoAsks: a question of yes or no follows a question.
func alsoAsks(before, tokens []token) bool {
	at, _ := questionIn(before)
	_, n := questions.at(tokens, 0, "?state")
	return at == 0 && n > 0 && len(tokens) > 2
}

// reaches: the clause goes to a place, so that an act may follow as its purpose.
func reaches(tokens []token) bool {
	tokens = tokens[leadIn(tokens):]
	verb, _, rest := verbOf(tokens)
	at, _ := questionIn(rest)
	return (verb == "reach" || verb == "switch") && len(rest) > 0 && at < 0
}

// leadIn is how many tokens say nothing but that something is to be done.
func leadIn(tokens []token) int {
	at := 0
	for at < len(tokens) {
		_, n := lists.at(tokens, at, "lead")
		if n == 0 || at+n == len(tokens) && in(tokens).has("noun", tokens[at].low) {
			break
		}
		// "next Friday" and "second hand" lead nothing in.
		if _, fixed := lists.at(tokens, at, "fixed"); fixed > 0 {
			break
		}
		at += n
	}
	return at
}

// verbOf takes the verb off an order: its deed, the verb as it is said, and what
// is left. A verb that goes around its object comes before one that does not.
func verbOf(tokens []token) (deed, said string, rest []token) {
	if e, rest, ok := verbs.spread(tokens); ok {
		if near, n := verbs.at(tokens, 0); n > len(e.words) && near.means != e.means && n > 1 {
			return near.means, strings.Join(near.words, " "), tokens[n:] // "switch off …, and leave the other on"
		}
		if tokens[0].in.has("article", e.tail[0]) {
			rest = tokens[1:] // "send the … a message": a message is what it is about, too
		}
		return e.means, e.words[0], rest
	}
	e, n := verbs.at(tokens, 0)
	if n == 0 {
		return "", "", tokens
	}
	return e.means, strings.Join(e.words, " "), tokens[n:]
}

// purpose is where "to" stands before a verb, -1 for nowhere.
func purpose(tokens []token, from int) int {
	for i := from; i+1 < len(tokens); i++ {
		if tokens[i].low == "to" && !tokens[i+1].named() {
			if _, said, _ := verbOf(tokens[i+1:]); said != "" {
				return i
			}
		}
	}
	return -1
}
