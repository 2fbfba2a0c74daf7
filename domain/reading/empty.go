package reading

import (
	"regexp"
	"strings"
	"sync"

	"understudy/domain/language"
)

// longEmpty is how long, in bytes, a text may be that says that nothing was found: what
// mentions it in passing is longer (an assumption).
const longEmpty = 200

// empties are the patterns of all languages.
var empties = sync.OnceValue(func() (out []*regexp.Regexp) {
	for _, text := range language.Texts(folders, "empty.txt") {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				out = append(out, regexp.MustCompile("(?i)"+line))
			}
		}
	}
	return out
})

// Empty reports whether a text says that a list, or a search, has nothing.
func Empty(text string) bool {
	if len(text) > longEmpty {
		return false
	}
	for _, re := range empties() {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}
