package task

import (
	"strings"

	"understudy/domain/language"
)

// trim takes articles and conjunctions off the ends of a phrase.
func trim(tokens []token) []token {
	for len(tokens) > 0 && tokens[0].value == nil && (is(tokens[0], "article") || is(tokens[0], "joins")) {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && is(tokens[len(tokens)-1], "joins") {
		tokens = tokens[:len(tokens)-1]
	}
	return tokens
}

func (l *lexicon) singular(w string) string {
	if e, n := widgets.at([]token{{low: w, in: l}}, 0); n > 0 {
		return strings.TrimPrefix(e.means, "*")
	}
	return ""
}

// content are the words of tokens that carry meaning, without the kinds of places
// that everything on the web is.
func content(tokens []token) []language.Word {
	var out []language.Word
	for _, t := range tokens {
		if t.value != nil || is(t, "article") || is(t, "pronoun") || is(t, "site") {
			continue
		}
		for _, w := range t.in.read(t.text).Words {
			w.Capital = w.Capital && !t.noun
			if !w.Function && !w.Part {
				out = append(out, w)
			}
		}
	}
	return out
}

// words are the words of tokens that carry meaning, with those of what is quoted.
func words(tokens []token) []language.Word {
	out := content(tokens)
	for _, t := range tokens {
		if t.value != nil {
			out = append(out, language.Read(t.value.Text).Content()...)
		}
	}
	return out
}

func text(tokens []token) string {
	parts := make([]string, len(tokens))
	for i, t := range tokens {
		parts[i] = t.text
	}
	return strings.Join(parts, " ")
}

func texts(words []language.Word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.Text
	}
	return strings.Join(parts, " ")
}

// kindOf is the kind of value that words name, by the last noun of a kind.
func kindOf(words []token) string {
	for i := len(words) - 1; i >= max(0, len(words)-4); i-- {
		for from := max(0, i-2); from <= i; from++ {
			if e, n := kinds.at(words, from); n > 0 && from+n == i+1 {
				return e.means
			}
		}
	}
	return ""
}

// parts cuts a phrase at commas and "and".
func parts(tokens []token) [][]token {
	var out [][]token
	var one []token
	last := len(tokens) - 2 // behind which no comma stands
	for last >= 0 && !tokens[last].comma {
		last--
	}
	for i, t := range tokens {
		and := is(t, "and") && (i >= last || t.comma) // the one before the last thing; another belongs to a name
		if !and {
			one = append(one, t)
		}
		if (and || t.comma) && len(one) > 0 {
			out, one = append(out, one), nil
		}
	}
	if len(one) > 0 {
		out = append(out, one)
	}
	return out
}

func valued(tokens []token) bool {
	for _, t := range tokens {
		if t.value != nil {
			return true
		}
	}
	return false
}

func isWidget(tokens []token, at int) bool {
	_, n := widgets.at(tokens, at)
	return n > 0 || is(tokens[at], "and") || is(tokens[at], "article")
}

// joined are the words of tokens with the commas that stand between them.
func joined(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		if t.comma && i+1 < len(tokens) {
			b.WriteByte(',')
		}
	}
	return b.String()
}

// identifier: the tokens are one word that is written as no word is, as with marks
// inside.
func identifier(tokens []token) bool {
	return len(tokens) == 1 && tokens[0].marked()
}

// numeric: the tokens are a number, perhaps with a sign or a share.
func numeric(tokens []token) bool {
	return len(tokens) == 1 && strings.Trim(tokens[0].text, "0123456789.,%-") == ""
}
