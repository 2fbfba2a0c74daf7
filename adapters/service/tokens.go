package service

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/grant"
	"understudy/domain/oauthclient"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/grants"
)

// maxTokens is how many access tokens a node remembers, some 300 bytes each.
const maxTokens = 16384

// Tokens knows the access tokens that are in use on this node, so that requests with
// them ask the database only once each. What a token is never changes, but that it
// ends: the log is followed for what ends grants, and what has ended is remembered
// for as long as a token of it could be.
type Tokens struct {
	Pool *pgxpool.Pool
	Log  *eventstore.Store
	// Shared: other processes record in the log, too.
	Shared bool
	Logger *slog.Logger

	pulse  pulse
	missed misses

	mu sync.RWMutex
	// following: what ends is told. Until then nothing is remembered.
	following bool
	epoch     int                   // counts the beginnings
	known     map[string]knownToken // by hash
	ended     map[string]time.Time  // grants, and clients, since when
}

type knownToken struct {
	grants.Token
	GrantID, OrganizationID, UserID, ClientID string
	Environment                               domain.Environment
}

// Run follows the log until ctx ends.
func (t *Tokens) Run(ctx context.Context) error {
	return following(ctx, t.Logger, "what ends access tokens is followed anew; until then the database is asked", func(ctx context.Context) error {
		defer t.forget()
		return t.follow(ctx)
	})
}

// follow takes in what ends grants from where the read model is on: what ended before
// is in it.
func (t *Tokens) follow(ctx context.Context) error {
	position, err := projections.ReadPosition(ctx, t.Pool, grants.Projection)
	if err != nil {
		return fmt.Errorf("position of grants: %w", err)
	}
	sub := eventstore.Subscription{Name: "access tokens", Prefixes: grants.Projection.Prefixes, Closely: t.Shared}
	if position >= 0 {
		from := uint64(position)
		sub.From = &from
	}
	t.begin()
	t.pulse.begin(position)
	if t.Shared {
		asking, stop := context.WithCancel(ctx)
		defer stop()
		go t.pulse.run(asking, t.Log, "access tokens", t.Logger)
	}
	return t.Log.Subscribe(ctx, sub, func(_ context.Context, b eventstore.Batch) error {
		for _, e := range b.Events {
			switch e.Event.(type) {
			case grant.Revoked, oauthclient.Deleted:
				t.end(projections.StreamID(e))
			}
		}
		t.pulse.reached(b.Checkpoint)
		return nil
	})
}

func (t *Tokens) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.epoch++
	t.following, t.known, t.ended = true, map[string]knownToken{}, map[string]time.Time{}
}

func (t *Tokens) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.following, t.known, t.ended = false, nil, nil
}

// end notes that a grant, or a client, has ended.
func (t *Tokens) end(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.following {
		return
	}
	at := time.Now()
	for other, since := range t.ended {
		if at.Sub(since) > 2*grant.AccessLifetime {
			delete(t.ended, other)
		}
	}
	t.ended[id] = at
}

// find is a token that this node remembers, or since when it could remember one. What
// has ended is known only while the node is current.
func (t *Tokens) find(hash string) (k knownToken, epoch int, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if k, ok = t.known[hash]; ok && t.Shared {
		ok = t.pulse.current()
	}
	return k, t.epoch, ok
}

// inForce reports whether a token counts at a time, as far as this node was told.
func (t *Tokens) inForce(k knownToken, at time.Time) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, grantEnded := t.ended[k.GrantID]
	_, clientEnded := t.ended[k.ClientID]
	return !grantEnded && !clientEnded && at.Before(k.ExpiresAt.Time)
}

// remember keeps a token that was looked up in an epoch. In a later one, what has
// ended since may have been forgotten.
func (t *Tokens) remember(k knownToken, epoch int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.following || t.epoch != epoch {
		return
	}
	if len(t.known) >= maxTokens {
		clear(t.known)
	}
	t.known[k.Hash] = k
}

// lookUp reads a token from the read model.
func (t *Tokens) lookUp(ctx context.Context, token, hash string, epoch int) (knownToken, error) {
	if t.missed.has(hash) {
		return knownToken{}, ErrUnauthenticated
	}
	g, err := grants.Find(ctx, t.Pool, grantOf(accessPrefix, token))
	if domain.CodeOf(err) == domain.CodeNotFound {
		t.missed.add(hash)
		return knownToken{}, ErrUnauthenticated
	} else if err != nil {
		return knownToken{}, err
	}
	found, ok := g.Token(hash, time.Now())
	if !ok {
		t.missed.add(hash)
		return knownToken{}, ErrUnauthenticated
	}
	k := knownToken{
		Token: found, GrantID: g.ID, OrganizationID: g.OrganizationID, UserID: g.UserID, ClientID: g.ClientID, Environment: g.Environment,
	}
	t.remember(k, epoch)
	return k, nil
}

// isAccessToken tells access tokens from keys.
func isAccessToken(token string) bool { return strings.HasPrefix(token, accessPrefix) }

// authenticateToken finds out whose access token it is. It does no more than the
// person may do today.
func (s *Service) authenticateToken(ctx context.Context, token string) (Principal, error) {
	if grantOf(accessPrefix, token) == "" {
		return Principal{}, ErrUnauthenticated
	}
	hash := hashToken(token)
	k, epoch, known := s.Tokens.find(hash)
	if !known {
		var err error
		if k, err = s.Tokens.lookUp(ctx, token, hash, epoch); err != nil {
			return Principal{}, err
		}
	}
	if !s.Tokens.inForce(k, time.Now()) {
		return Principal{}, ErrUnauthenticated
	}
	role, plan, err := s.Directory.standing(ctx, k.OrganizationID, k.UserID)
	if err != nil {
		return Principal{}, err
	}
	if !role.Known() {
		return Principal{}, ErrUnauthenticated
	}
	return Principal{
		KeyID: k.GrantID, UserID: k.UserID, Role: role, OrganizationID: k.OrganizationID, Environment: k.Environment,
		Scopes: access.Within(k.Scopes, role), Actor: k.UserID, Plan: plan, RateLimit: s.Plans[plan].RequestsPerMinute,
	}, nil
}
