package service

import (
	"context"
	"errors"
	"sync"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/projections/accounts"
)

// ErrUnauthenticated is the answer to a credential that is unknown, malformed,
// expired or revoked. Which of them is not told.
var ErrUnauthenticated = errors.New("not authenticated")

// Authenticate finds the key that a bearer token is.
func (r Reads) Authenticate(ctx context.Context, token string) (Principal, error) {
	if _, ok := account.KeyEnvironment(token); !ok {
		return Principal{}, ErrUnauthenticated
	}
	k, err := r.key(ctx, account.HashKey(token))
	if domain.CodeOf(err) == domain.CodeNotFound {
		return Principal{}, ErrUnauthenticated
	}
	return Principal{
		KeyID: k.ID, OrganizationID: k.OrganizationID, Environment: k.Environment,
		Role:   access.Owner, // the first keys are made by who founds the organization
		Scopes: k.Scopes, Actor: k.ID, RateLimit: account.RequestsPerMinute[k.Plan],
	}, err
}

// key finds a key by its hash, in memory if nothing has happened to accounts
// since. A process without projectors would have to ask the database whether
// something has, and asks for the key instead.
func (r Reads) key(ctx context.Context, hash string) (accounts.Key, error) {
	if r.Positions.Read != nil {
		return accounts.FindKey(ctx, r.Pool, hash)
	}
	at := r.Positions.At(ctx, accounts.Projection.Name)
	if k, ok := r.keys.get(hash, at); ok {
		return k, nil
	}
	k, err := accounts.FindKey(ctx, r.Pool, hash)
	if err == nil {
		r.keys.put(hash, k, at)
	}
	return k, err
}

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
