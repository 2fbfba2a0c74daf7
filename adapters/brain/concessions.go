package brain

import (
	"maps"
	"net/http"
	"regexp"
	"sync"
)

// concessions are the optional parts of a request that a model has refused.
// Which ones a model takes is only known by asking: reasoning models refuse a
// temperature, older servers the newer name of a limit. Sessions share them.
type concessions struct {
	mu   sync.Mutex
	made map[string]bool
}

// now is what a request that is built now leaves out.
func (c *concessions) now() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.made)
}

// make finds the part of a request that its refusal complains of and leaves it
// out from now on; without is what that request left out already. It reports
// false when the refusal is of something else. Asking again whenever it reports
// true ends after as many requests as there are parts.
func (c *concessions) make(without map[string]bool, status int, said string, parts ...string) bool {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return false
	}
	for _, part := range parts {
		if without[part] || !names(said, part) {
			continue
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.made == nil {
			c.made = map[string]bool{}
		}
		c.made[part] = true // another session may have been first
		return true
	}
	return false
}

// names reports whether a server's words, mostly JSON, hold a name as a word of
// its own. What JSON writes with a backslash is no letter of a word.
func names(said, name string) bool {
	return regexp.MustCompile(`(^|\W|\\[bfnrt]|\\u[0-9a-fA-F]{4})` + name + `(\W|$)`).MatchString(said)
}
