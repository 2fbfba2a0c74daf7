package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/apikey"
	"understudy/eventstore"
	"understudy/projections/keys"
)

// ErrUnauthenticated is the answer to a credential that is unknown, malformed,
// expired or revoked. Which of them is not told.
var ErrUnauthenticated = errors.New("not authenticated")

// KeyUses keeps when keys were last used.
type KeyUses interface {
	// Record keeps the times of keys, by id; a later one stays.
	Record(ctx context.Context, at map[string]time.Time) error
	Read(ctx context.Context, ids []string) (map[string]time.Time, error)
}

const (
	// flushEvery is how often uses of keys are written.
	flushEvery = 10 * time.Second
	// flushTimeout bounds writing them.
	flushTimeout = 5 * time.Second
)

// Directory knows every credential in memory, and what bounds it, so that
// requests are authenticated without asking the database. It is filled from the
// read model and follows the log, on every node: what is revoked anywhere is refused
// here as soon as the event arrives. Until it is filled, while it cannot tell that it
// is current, and for what it does not know, the read model is asked.
type Directory struct {
	Pool *pgxpool.Pool
	Log  *eventstore.Store
	// Shared: other processes record in the log, too.
	Shared bool
	Uses   KeyUses
	// Plans are the limits of every plan.
	Plans  account.Plans
	Logger *slog.Logger

	mu     sync.RWMutex
	filled bool
	at     int64
	grown  chan struct{}
	keys   map[string]keys.Key // by id
	hashes map[string]string   // the key's id by the hash of a secret
	roles  map[membership]access.Role
	plans  map[string]account.Plan
	pulse  pulse
	missed misses

	using sync.Mutex
	used  map[string]time.Time
}

// membership is a person in an organization.
type membership struct{ organizationID, userID string }

// Run keeps the directory current until ctx ends.
func (d *Directory) Run(ctx context.Context) error {
	flushing := make(chan struct{})
	go func() {
		defer close(flushing)
		d.flushRegularly(ctx)
	}()
	defer func() { <-flushing }()
	return following(ctx, d.Logger, "the directory of credentials is filled anew; until then the database is asked", func(ctx context.Context) error {
		defer d.forget()
		return d.follow(ctx)
	})
}

// follow fills the directory and applies what is recorded from then on.
func (d *Directory) follow(ctx context.Context) error {
	all, err := keys.All(ctx, d.Pool)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	head, err := d.Log.Head(ctx)
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	d.fill(all)
	sub := eventstore.Subscription{Name: "credentials", Prefixes: keys.Projection.Prefixes, Closely: d.Shared}
	if d.Shared {
		asking, stop := context.WithCancel(ctx)
		defer stop()
		go d.pulse.run(asking, d.Log, "keys", d.Logger)
	}
	if all.Position >= 0 {
		from := uint64(all.Position)
		sub.From = &from
		d.reached(from, head)
	}
	return d.Log.Subscribe(ctx, sub, func(_ context.Context, b eventstore.Batch) error {
		d.apply(b.Events)
		d.reached(b.Checkpoint, head)
		return nil
	})
}

func (d *Directory) fill(all keys.Everything) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keys, d.hashes, d.roles, d.plans = map[string]keys.Key{}, map[string]string{}, map[membership]access.Role{}, all.Plans
	for _, k := range all.Keys {
		d.put(k)
	}
	for _, m := range all.Members {
		d.roles[membership{m.OrganizationID, m.UserID}] = m.Role
	}
	d.at = all.Position
	d.pulse.begin(all.Position)
}

// forget lets the database be asked again.
func (d *Directory) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.filled = false
	d.wake()
}

// reached notes how far the log has been seen; from the end that it had at first
// on, the directory answers.
func (d *Directory) reached(position, head uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pulse.reached(position)
	d.at = max(d.at, int64(position))          //nolint:gosec // positions of a log fit
	d.filled = d.filled || d.at >= int64(head) //nolint:gosec // as above
	d.wake()
}

func (d *Directory) wake() {
	if d.grown != nil {
		close(d.grown)
		d.grown = nil
	}
}

// apply takes events in. Whatever bounds credentials has its place here.
func (d *Directory) apply(events []domain.Recorded) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range events {
		if id := keys.IDOf(e); id != "" {
			d.put(keys.Fold(d.keys[id], e))
		}
		switch event := e.Event.(type) {
		case account.OrganizationCreated:
			d.plans[event.OrganizationID] = event.Plan
		case account.PlanChanged:
			d.plans[keys.OrganizationOf(e)] = event.Plan
		case account.Deleted:
			maps.DeleteFunc(d.roles, func(m membership, _ access.Role) bool { return m.organizationID == keys.OrganizationOf(e) })
		}
		for _, m := range keys.RolesAfter(e) {
			if m.Role == "" {
				delete(d.roles, membership{m.OrganizationID, m.UserID})
			} else {
				d.roles[membership{m.OrganizationID, m.UserID}] = m.Role
			}
		}
	}
}

// put keeps a key under the hashes of its secrets; one that was replaced twice
// leads nowhere.
func (d *Directory) put(k keys.Key) {
	before := d.keys[k.ID]
	delete(d.hashes, before.Hash)
	delete(d.hashes, before.PreviousHash)
	d.keys[k.ID] = k
	d.hashes[k.Hash] = k.ID
	if k.PreviousHash != "" {
		d.hashes[k.PreviousHash] = k.ID
	}
}

// answers reports whether the directory, which is locked, can tell.
func (d *Directory) answers() bool { return d.filled && (!d.Shared || d.pulse.current()) }

// find is the key with a secret's hash. known is false where only the database can
// tell.
func (d *Directory) find(hash string) (found keys.Found, known bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.hashes[hash]
	if !ok || !d.answers() {
		return keys.Found{}, false
	}
	k := d.keys[id]
	return keys.Found{Key: k, Role: d.roles[membership{k.OrganizationID, k.CreatedBy}], Plan: d.plans[k.OrganizationID]}, true
}

// Knows reports whether a bearer token is a key that counts, as far as the directory was
// told, current or not.
func (d *Directory) Knows(token string) bool {
	hash := apikey.HashKey(token)
	d.mu.RLock()
	defer d.mu.RUnlock()
	k := d.keys[d.hashes[hash]]
	return k.InForce(hash, time.Now()) && d.roles[membership{k.OrganizationID, k.CreatedBy}] != ""
}

// member reports whether a person belongs to an organization, as far as the directory was
// told, current or not.
func (d *Directory) member(organizationID, userID string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.roles[membership{organizationID, userID}] != ""
}

// standing is a person's role in an organization, "" for none, and its plan.
func (d *Directory) standing(ctx context.Context, organizationID, userID string) (access.Role, account.Plan, error) {
	d.mu.RLock()
	role, plan, answers := d.roles[membership{organizationID, userID}], d.plans[organizationID], d.answers()
	d.mu.RUnlock()
	if answers && role != "" {
		return role, plan, nil
	}
	return keys.Standing(ctx, d.Pool, organizationID, userID)
}

// Authenticate finds the key that a bearer token is. Its checksum is verified
// first: a typing error costs no look-up. Look-ups are by hash, so that how long they
// take tells nothing about any key.
func (d *Directory) Authenticate(ctx context.Context, token string) (Principal, error) {
	if _, ok := apikey.KeyEnvironment(token); !ok {
		return Principal{}, ErrUnauthenticated
	}
	hash := apikey.HashKey(token)
	k, known := d.find(hash)
	if !known {
		if d.missed.has(hash) {
			return Principal{}, ErrUnauthenticated
		}
		var err error
		if k, err = keys.Find(ctx, d.Pool, hash); domain.CodeOf(err) == domain.CodeNotFound {
			d.missed.add(hash)
			return Principal{}, ErrUnauthenticated
		} else if err != nil {
			return Principal{}, err
		}
	}
	at := time.Now()
	if !k.InForce(hash, at) || !k.Role.Known() {
		return Principal{}, ErrUnauthenticated
	}
	d.using.Lock()
	if d.used == nil {
		d.used = map[string]time.Time{}
	}
	d.used[k.ID] = at
	d.using.Unlock()
	return Principal{
		KeyID: k.ID, UserID: k.CreatedBy, Role: k.Role, OrganizationID: k.OrganizationID, Environment: k.Environment,
		Scopes: access.Within(k.Scopes, k.Role), Actor: k.ID, Plan: k.Plan, RateLimit: d.Plans[k.Plan].RequestsPerMinute,
	}, nil
}

// wait returns when the directory has taken in an event, or asks the database
// again: what a caller was told of counts for the next request.
func (d *Directory) wait(ctx context.Context, position uint64) error {
	for {
		d.mu.Lock()
		if !d.filled || d.at >= int64(position) { //nolint:gosec // positions of a log fit
			d.mu.Unlock()
			return nil
		}
		if d.grown == nil {
			d.grown = make(chan struct{})
		}
		grown := d.grown
		d.mu.Unlock()
		select {
		case <-grown:
		case <-ctx.Done():
			return domain.Refuse(domain.CodeUnavailable, "the change is recorded and counts in a moment")
		}
	}
}

// lastUses are when keys were last used, as far as this node or the rows know.
func (d *Directory) lastUses(ctx context.Context, ids []string) (map[string]time.Time, error) {
	d.using.Lock()
	here := maps.Clone(d.used) // first: what is written meanwhile is in the rows
	d.using.Unlock()
	uses, err := d.Uses.Read(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if at, used := here[id]; used && at.After(uses[id]) {
			uses[id] = at
		}
	}
	return uses, nil
}

func (d *Directory) flushRegularly(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			d.flush(ctx)
		case <-ctx.Done():
			d.flush(context.WithoutCancel(ctx))
			return
		}
	}
}

// flush writes the uses since the last time. Those that cannot be written wait for
// the next time.
func (d *Directory) flush(ctx context.Context) {
	d.using.Lock()
	uses := maps.Clone(d.used)
	d.using.Unlock()
	if len(uses) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	if err := d.Uses.Record(ctx, uses); err != nil {
		d.Logger.Warn("the uses of keys were not written", "error", err)
		return
	}
	d.using.Lock()
	defer d.using.Unlock()
	maps.DeleteFunc(d.used, func(id string, at time.Time) bool { return at.Equal(uses[id]) })
}
