package service_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/apikey"
	"understudy/domain/process"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/keys"
	"understudy/test/patience"
)

// owner and viewer are people of alice's organization; she founded it.
var (
	owner  = service.Principal{KeyID: "key_o", Actor: "key_o", UserID: "usr_1", Role: access.Owner, OrganizationID: "org_a", Environment: domain.Live, Scopes: []string{access.Full}}
	member = service.Principal{KeyID: "ses_1", Actor: "usr_2", UserID: "usr_2", Role: access.Member, SignedIn: true, OrganizationID: "org_a", Environment: domain.Live, Scopes: access.Member.Scopes()}
)

// uses keeps the uses of keys in memory.
type uses struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (u *uses) Record(_ context.Context, at map[string]time.Time) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = map[string]time.Time{}
	}
	for id, t := range at {
		u.at[id] = t
	}
	return nil
}

func (u *uses) Read(_ context.Context, ids []string) (map[string]time.Time, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	found := map[string]time.Time{}
	for _, id := range ids {
		if t, ok := u.at[id]; ok {
			found[id] = t
		}
	}
	return found, nil
}

// newDirectory is that of one node more, which reads the log by a store.
func (w *world) newDirectory(log *eventstore.Store) *service.Directory {
	d := &service.Directory{Pool: w.Pool, Log: log, Uses: &uses{}, Logger: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithCancel(w.ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Error(err)
		}
	})
	return d
}

func (w *world) newKey(p service.Principal, scopes ...string) service.KeyDocument {
	w.t.Helper()
	id := newID(domain.PrefixKey)
	doc, err := w.CreateKey(w.ctx, call(p, id), id, service.NewKey{Name: "CI", Scopes: scopes})
	w.must(err)
	return w.shown(doc)
}

func (w *world) shown(doc projections.Document[service.KeyDocument]) service.KeyDocument {
	w.t.Helper()
	k, err := doc.Decode()
	w.must(err)
	return k
}

func (w *world) works(d *service.Directory, key string) service.Principal {
	w.t.Helper()
	p, err := d.Authenticate(w.ctx, key)
	if err != nil {
		w.t.Errorf("the key …%s: %v", key[len(key)-4:], err)
	}
	return p
}

func (w *world) fails(d *service.Directory, key string) {
	w.t.Helper()
	if _, err := d.Authenticate(w.ctx, key); !errors.Is(err, service.ErrUnauthenticated) {
		w.t.Errorf("the key …%s: %v", key[len(key)-4:], err)
	}
}

func TestALifeOfAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	knows := func(want bool, secrets ...string) {
		t.Helper()
		for _, secret := range secrets {
			if w.Knows(secret) != want {
				t.Errorf("the key …%s is remembered: %v", secret[len(secret)-4:], !want)
			}
		}
	}
	first := apikey.NewKey(domain.Live, []byte(strings.Repeat("Under6tudy", 7)))
	w.fails(w.Directory, first)
	w.fails(w.Directory, "nothing like a key")
	knows(false, first, "nothing like a key")
	w.found(first)
	patience.Eventually(t, time.Minute, "the directory has heard of the key that it did not know", func() bool {
		_, err := w.Directory.Authenticate(w.ctx, first)
		return err == nil
	})
	if p := w.works(w.Directory, first); p.OrganizationID != "org_a" || p.UserID != "usr_1" || p.Role != access.Owner || p.RateLimit <= 0 {
		t.Errorf("it is %+v", p)
	}

	made := w.newKey(owner, access.TestsRead)
	if !strings.HasSuffix(made.Key, made.LastFour) || made.Status != keys.Active || made.CreatedBy != "usr_1" || made.LastUsedAt != nil {
		t.Errorf("made %+v", made)
	}
	if p := w.works(w.Directory, made.Key); len(p.Scopes) != 1 || p.KeyID != made.ID {
		t.Errorf("it is %+v", p)
	}
	read, err := w.Key(w.ctx, owner, made.ID)
	w.must(err)
	if k := w.shown(read); k.Key != "" || k.LastUsedAt == nil {
		t.Errorf("shown again: %+v", k)
	}

	name := "Nightly"
	_, err = w.ChangeKey(w.ctx, call(owner, "change"), made.ID, apikey.Change{Name: &name, Scopes: []string{access.ReportsRead}})
	w.must(err)
	if p := w.works(w.Directory, made.Key); len(p.Scopes) != 1 || p.Scopes[0] != access.ReportsRead {
		t.Errorf("after the change it is %+v", p)
	}
	stale := call(owner, "stale")
	stale.Seen = []uint64{0}
	_, err = w.ChangeKey(w.ctx, stale, made.ID, apikey.Change{ForgetExpiry: true})
	w.refused(err, domain.CodeChanged)

	doc, err := w.RotateKey(w.ctx, call(owner, "rotate"), made.ID, newID(domain.PrefixKey), time.Hour)
	w.must(err)
	second := w.shown(doc)
	if second.Status != keys.Rotating || second.Key == made.Key {
		t.Errorf("rotated: %+v", second)
	}
	w.works(w.Directory, made.Key)
	w.works(w.Directory, second.Key)
	knows(true, made.Key, second.Key)
	doc, err = w.RotateKey(w.ctx, call(owner, "rotate again"), made.ID, newID(domain.PrefixKey), 0)
	w.must(err)
	third := w.shown(doc)
	w.fails(w.Directory, made.Key)
	w.fails(w.Directory, second.Key)
	w.works(w.Directory, third.Key)
	knows(false, made.Key, second.Key)
	knows(true, third.Key)

	w.must(w.RevokeKey(w.ctx, call(owner, "revoke"), made.ID))
	w.must(w.RevokeKey(w.ctx, call(owner, "revoke again"), made.ID))
	w.fails(w.Directory, third.Key)
	knows(false, third.Key)
	for status, want := range map[string]int{"revoked": 1, "active": 1, "rotating": 0, "expired": 0, "": 2} {
		page, err := w.APIKeys(w.ctx, owner, service.Query{Status: status, Limit: 10})
		w.must(err)
		if len(page.Items) != want {
			t.Errorf("%d keys are %q, want %d", len(page.Items), status, want)
		}
	}
	history, err := w.Events(w.ctx, owner, made.ID, service.History{Limit: 10})
	w.must(err)
	if len(history.Events) != 5 || history.Events[4].Type != "apikey.revoked.v1" {
		t.Errorf("%d events", len(history.Events))
	}
}

// TestAnOldKey: one that only the organization's stream records has a life too.
func TestAnOldKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := apikey.NewKey(domain.Live, []byte(strings.Repeat("Under6tudy", 7)))
	w.found(first)
	id := "key_of_org_a"
	doc, err := w.RotateKey(w.ctx, call(owner, "rotate"), id, newID(domain.PrefixKey), 0)
	w.must(err)
	w.fails(w.Directory, first)
	w.works(w.Directory, w.shown(doc).Key)
	w.must(w.RevokeKey(w.ctx, call(owner, "revoke"), id))
	w.fails(w.Directory, w.shown(doc).Key)
}

// TestOthersKeys: nobody gives a key more than he has, sees those of others without
// leading the team, or gets one of somebody who may do more.
func TestOthersKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found(apikey.NewKey(domain.Live, []byte(strings.Repeat("Under6tudy", 7))))
	owners := w.newKey(owner, access.Full)
	id := newID(domain.PrefixKey)
	_, err := w.CreateKey(w.ctx, call(member, id), id, service.NewKey{Name: "too much", Scopes: []string{access.Full}})
	w.at(err, "scopes")
	admin := owner
	admin.UserID, admin.Role = "usr_3", access.Admin
	_, err = w.RotateKey(w.ctx, call(admin, "rotate"), owners.ID, newID(domain.PrefixKey), 0)
	w.refused(err, domain.CodeForbidden)
	foreign, elsewhere := mallory, owner
	foreign.Role, foreign.Scopes, elsewhere.Environment = access.Owner, []string{access.Full}, domain.Sandbox
	for _, p := range []service.Principal{member, foreign, elsewhere} {
		_, err = w.Key(w.ctx, p, owners.ID)
		w.refused(err, domain.CodeNotFound)
		_, err = w.ChangeKey(w.ctx, call(p, "change"), owners.ID, apikey.Change{ForgetExpiry: true})
		w.refused(err, domain.CodeNotFound)
		_, err = w.RotateKey(w.ctx, call(p, "rotate"), owners.ID, newID(domain.PrefixKey), 0)
		w.refused(err, domain.CodeNotFound)
		w.refused(w.RevokeKey(w.ctx, call(p, "revoke"), owners.ID), domain.CodeNotFound)
		_, err = w.Events(w.ctx, p, owners.ID, service.History{Limit: 1})
		w.refused(err, domain.CodeNotFound)
		page, err := w.APIKeys(w.ctx, p, service.Query{Limit: 10})
		w.must(err)
		if len(page.Items) != 0 {
			t.Errorf("%s sees %d keys", p.UserID, len(page.Items))
		}
	}
	w.must(w.RevokeKey(w.ctx, call(admin, "revoke"), owners.ID))
	// Of somebody who is no member no key counts.
	stranger := owner
	stranger.UserID = "usr_9"
	key := w.newKey(stranger, access.TestsRead).Key
	w.fails(w.Directory, key)
	if w.Knows(key) {
		t.Error("it is remembered as one that counts")
	}
}

// TestADirectoryThatCannotTakeAnEventIn lets the database be asked, which can.
func TestADirectoryThatCannotTakeAnEventIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := apikey.NewKey(domain.Live, []byte(strings.Repeat("Under6tudy", 7)))
	w.found(first)
	catalogue := process.Catalogue()
	for i := range catalogue {
		if catalogue[i].Type == (apikey.Revoked{}).EventType() {
			catalogue[i].Decode = func([]byte) (domain.Event, error) { panic("no such event") }
		}
	}
	log := w.opens(eventstore.NewCodec(catalogue))
	t.Cleanup(func() { w.must(log.Close()) })
	other, key := w.newDirectory(log), w.newKey(owner, access.TestsRead)
	patience.Eventually(t, time.Minute, "the other node has heard of the key", func() bool { return other.Knows(key.Key) })
	w.must(w.RevokeKey(w.ctx, call(owner, "revoke"), key.ID))
	patience.Eventually(t, time.Minute, "the other node refuses the key", func() bool {
		_, err := other.Authenticate(w.ctx, key.Key)
		return errors.Is(err, service.ErrUnauthenticated)
	})
	w.works(other, first)
}

// TestRevocationReachesOtherNodes, under load and within a second.
func TestRevocationReachesOtherNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.found(apikey.NewKey(domain.Live, []byte(strings.Repeat("Under6tudy", 7))))
	other := w.newDirectory(w.store)
	key := w.newKey(owner, access.TestsRead)
	ended := make(chan time.Time, 4)
	for range cap(ended) {
		go func() {
			for w.ctx.Err() == nil {
				if _, err := other.Authenticate(w.ctx, key.Key); err != nil {
					break
				}
			}
			ended <- time.Now()
		}()
	}
	w.works(other, key.Key)
	w.must(w.RevokeKey(w.ctx, call(owner, "revoke"), key.ID))
	revoked := time.Now()
	for range cap(ended) {
		if late := (<-ended).Sub(revoked); late > time.Second {
			t.Errorf("the other node let it in for %s more", late)
		}
	}
	w.fails(other, key.Key)
}
