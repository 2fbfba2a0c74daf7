package mind

import (
	"regexp"
	"strings"
)

// howLike is what sentences say that instruct.
var howLike = regexp.MustCompile(`(?i)\b(?:to|you can|use|run|click|select|choose|type|enter|go to|open|first|then|step)\b`)

// ofInstructions is what sentences say that speak of instructions which stand
// elsewhere: "a description of how to do it".
var ofInstructions = regexp.MustCompile(`(?i)\bhow to\b`)

// tellsDeed reports whether a sentence of a text says that the deed is done to
// the thing, or says the deed, where the task names no thing. At most maxSentences
// are read.
func tellsDeed(s *Subgoal, text string, analyse func(string) *words) bool {
	for n := 0; text != "" && n < maxSentences; n++ {
		var part string
		part, text = cutSentence(text)
		if promises(s, part) {
			continue
		}
		w := analyse(part)
		if doesTo(s, w) || len(s.Object) == 0 && verbSaid(s, w) >= matchStem {
			return true
		}
	}
	return false
}

// doesTo reports whether the words say the verb and shortly after it the
// object, with no preposition between: "undo a commit", "revert some existing
// commits", but not "restore from a different commit", nor what was done before
// ("a reverted commit", "after you revert a commit").
func doesTo(s *Subgoal, w *words) bool {
	const reach = 5 // words from the verb to the object
	one := func(i int) *words {
		return &words{base: w.base[i : i+1], stems: w.stems[i : i+1], concepts: conceptsIn(w.base[i : i+1])}
	}
	for i, word := range w.base {
		deed := one(i)
		if i+1 < len(w.base) {
			deed.joined = []string{word + w.base[i+1]} // "back up" is "backup"
		}
		by := verbSaid(s, deed)
		if by < matchStem || by < matchExact && strings.HasSuffix(word, "ed") || i > 1 && w.base[i-1] == "you" && supposing[w.base[i-2]] {
			continue
		}
		for j := i + 1; j < len(w.base) && j <= i+reach && !turns[w.base[j]]; j++ {
			if objectSaid(s, one(j)) {
				return true
			}
		}
	}
	return false
}

// supposing are words that take for granted that something is done.
var supposing = set(`after before once when whenever if unless until while because since as`)

// turns are words after which a sentence is about something else than what
// its verb is done to.
var turns = set(`from in to with by of for at into on that which when if and or but made using via since because while
although though than after before until unless`)
