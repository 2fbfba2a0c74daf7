// Package notary keeps the log's Merkle tree and signs its heads. It follows
// the log as it was recorded, keeps the tree's hashes in Postgres, where every
// node answers proofs from, and adds a signed head to a file outside of the
// event store, at most every second while the log grows and at the end.
//
// Before it signs anything it proves that the log extends the last head of
// the file: of a short log by hashing every event again, of a long one from the
// kept tree, which must be the one that was signed, and every event is hashed
// again while it goes on. A log that was changed is refused, and the first event
// that differs is named where the kept hashes tell it.
package notary

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/eventstore"
)

const (
	// signEvery is the shortest time between two heads.
	signEvery = time.Second
	// lastHead bounds the signing of the last head at the end.
	lastHead = 5 * time.Second
	// batchSize is how many events are hashed at once.
	batchSize = 2048
	// mostPending is how many complete tiles wait for the table while the log
	// is being read from its start: 4 MB of them.
	mostPending = 512
)

// Log is what the notary reads of the event store.
type Log interface {
	Head(ctx context.Context) (uint64, error)
	SubscribeRaw(ctx context.Context, sub eventstore.Subscription, handle func(context.Context, eventstore.RawBatch) error) error
}

// Notary signs for one installation; of its processes one at a time runs it.
type Notary struct {
	pool   *pgxpool.Pool
	source Log
	keys   Keys
	dir    string
	logger *slog.Logger

	mu     sync.Mutex
	status Status
	proven chan struct{} // closed once the first proof is there
}

// New makes a notary that keeps the tree's hashes in the pool's database and
// the heads in a directory.
func New(pool *pgxpool.Pool, source Log, keys Keys, dir string, logger *slog.Logger) *Notary {
	return &Notary{pool: pool, source: source, keys: keys, dir: dir, logger: logger, proven: make(chan struct{})}
}

// Status is how far the notary of this process has come.
type Status struct {
	// Running is false on processes that do not sign, or not any longer.
	Running bool
	// Proven: it has been proven, since the process began, that the log extends
	// the last signed head.
	Proven bool
	// Rechecked: all events that were there have been hashed since the reading began,
	// also where the tree was taken up as it was kept.
	Rechecked bool
	// Hashed is the number of events in the tree, Signed that of the newest head.
	Hashed, Signed int64
}

// Status tells how far it has come.
func (n *Notary) Status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.status
}

// Proven is closed once it is proven that the log extends the last signed head.
func (n *Notary) Proven() <-chan struct{} { return n.proven }

func (n *Notary) proof() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.status.Proven {
		n.status.Proven = true
		close(n.proven)
	}
}

func (n *Notary) note(change func(*Status)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(&n.status)
}

// errAgain: the kept hashes were damaged and are made anew.
var errAgain = errors.New("notary: the kept hashes of the tree were not those of the log; they are made anew")

// Run keeps the tree and signs until ctx ends. A *RefusedError, and
// eventstore.ErrDamaged, say that the log or the heads are not what they were;
// anything else passes, and Run may be called again.
func (n *Notary) Run(ctx context.Context) error {
	n.note(func(s *Status) { s.Running, s.Hashed = true, 0 })
	defer n.note(func(s *Status) { s.Running = false })
	for resuming := true; ; {
		err := n.run(ctx, resuming)
		if errors.Is(err, errNotKept) {
			resuming = false
			continue
		}
		if !errors.Is(err, errAgain) || ctx.Err() != nil {
			return err
		}
		n.logger.Warn("the kept hashes of the audit tree were damaged; they are made again from the log")
		if err := forgetTiles(ctx, n.pool); err != nil {
			return err
		}
	}
}

func (n *Notary) run(ctx context.Context, resuming bool) error {
	if err := prepare(ctx, n.pool); err != nil {
		return err
	}
	key, heads, err := n.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = heads.Close() }()
	r := &reading{Notary: n, key: key, heads: heads, last: heads.Last()}
	if r.known, err = compareRow(ctx, n.pool, key, heads, n.keys.StartedOver()); err != nil {
		return err
	}
	if r.end, err = n.source.Head(ctx); err != nil {
		return err
	}
	n.note(func(s *Status) { s.Signed = r.last.Size })
	if err := r.reach(); err != nil { // the head of the empty log
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sub := eventstore.Subscription{Name: "notary", MaxBatch: batchSize}
	if resuming {
		sub.From = r.resume(ctx)
	}
	signed, rechecked := make(chan error, 1), make(chan error, 1)
	go func() { signed <- r.signNowAndThen(ctx, cancel) }()
	go func() { rechecked <- r.recheck(ctx, cancel) }()
	err = n.source.SubscribeRaw(ctx, sub, r.batch)
	cancel()
	if other := cmp.Or(<-signed, <-rechecked); other != nil {
		return other
	}
	if r.failed() == nil && (err == nil || errors.Is(err, context.Canceled)) {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), lastHead)
		defer stop()
		return errors.Join(err, r.sign(end))
	}
	return err
}
