package brain

import (
	"net/http"
	"strings"
	"sync"
)

// concessions are the optional parts of a request that a model has refused.
// Which ones a model takes is only known by asking: reasoning models refuse a
// temperature, older servers the newer name of a limit.
type concessions struct {
	mu   sync.Mutex
	made map[string]bool
}

// without reports whether a part is left out.
func (c *concessions) without(part string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made[part]
}

// make finds the part that a refusal complains of and leaves it out from now
// on. It reports false when the refusal is of something else.
func (c *concessions) make(status int, said string, parts ...string) bool {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, part := range parts {
		if !c.made[part] && strings.Contains(said, part) {
			if c.made == nil {
				c.made = map[string]bool{}
			}
			c.made[part] = true
			return true
		}
	}
	return false
}
