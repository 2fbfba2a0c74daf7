package task

import "strings"

// clauses cuts a task where a sentence ends, at "then", and where another order
// begins: behind "and", a comma or a colon before a verb, and at "to" with a verb
// behind a place that is gone to.
func clauses(tokens []token) [][]token {
	var out [][]token
	from := 0
	cut := func(to, next int) {
		if to > from {
			out = append(out, tokens[from:to])
		}
		from = next
	}
	for i := 0; i < len(tokens); i++ {
		if i > from {
			rest := sentence(tokens, i)
			_, then := lists.at(rest, 0, "cut")
			behind := tokens[i-1].comma || tokens[i-1].colon
			switch {
			case then > 0 && then < len(rest):
				cut(i, i+then)
			case is(tokens[i], "and") && len(rest) > 1 && (begins(rest[1:], true) && !paired(tokens[from:i]) || question(rest[1:])):
				cut(i, i+1)
			case behind && (begins(rest, false) || declares(tokens[from:i]) > 0 && declares(rest) > 0):
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
	if _, said, rest := verbOf(tokens); said != "" && (len(rest) == 0 || !is(rest[0], "finite")) {
		return 0
	}
	for i, t := range tokens[:min(len(tokens), farVerb)] {
		switch {
		case i > 0 && t.value == nil && is(t, "finite"):
			return i
		case t.in.has("relative", t.low), t.comma, t.colon:
			return 0
		}
	}
	return 0
}

// self: the token is whom the task speaks to, or what they have.
func (t token) self() bool { return is(t, "self") }

// leadPlace is how many tokens say where before an order says what: "in the
// settings, …", "in the note "Trip" change …". 0 for none.
func leadPlace(tokens []token) int {
	if _, said, _ := verbOf(tokens); said != "" || !is(tokens[0], "place") {
		return 0
	}
	if at, _ := questionIn(tokens); at >= 0 {
		return 0
	}
	if len(tokens) > 1 && tokens[len(tokens)-1].comma {
		return len(tokens)
	}
	for i := 2; i+1 < len(tokens); i++ {
		if is(tokens[i], "preposition") || is(tokens[i-1], "preposition") || is(tokens[i-1], "article") {
			continue
		}
		if begins(tokens[i:], false) && is(tokens[i+1], "article") {
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
	q, n := questions.at(tokens, 0)
	return n > 0 && n < len(tokens) && q.means[0] != '*' && q.means[0] != '?' && q.words[0] != "a"
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
