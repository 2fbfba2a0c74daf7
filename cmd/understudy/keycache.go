package main

import (
	"sync"

	"understudy/projections/accounts"
)

// maxCachedKeys bounds the keys in memory, some 300 bytes each.
const maxCachedKeys = 4096

// keyCache remembers keys as they were at a position of the accounts read
// model. When that has moved, whatever moved it, all are looked up again: a
// change that somebody was told of counts for the next request.
type keyCache struct {
	mu   sync.Mutex
	at   int64
	keys map[string]accounts.Key // by the token's hash
}

func newKeyCache() *keyCache { return &keyCache{keys: map[string]accounts.Key{}} }

// get finds a key as of a position.
func (c *keyCache) get(hash string, at int64) (accounts.Key, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at != at {
		return accounts.Key{}, false
	}
	k, ok := c.keys[hash]
	return k, ok
}

// put keeps a key that was looked up when the read model had come to at, or
// later.
func (c *keyCache) put(hash string, k accounts.Key, at int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case at < c.at:
		return
	case at > c.at || len(c.keys) >= maxCachedKeys:
		clear(c.keys)
		c.at = at
	}
	c.keys[hash] = k
}
