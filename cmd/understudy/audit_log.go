package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"understudy/adapters/keyring"
	"understudy/adapters/notary"
	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// errScanned ends a scan.
var errScanned = errors.New("scanned")

// scan passes every event of the log to each, with its number from 0, and
// calls after behind each batch that reaches at least the end of the log as it
// was at the start; the scan goes on until after says so.
func (s *storage) scan(ctx context.Context, show *progress, each func(int64, eventstore.Raw) error, after func() (done bool, err error)) error {
	end, err := s.store.Head(ctx)
	if err != nil {
		return err
	}
	index := int64(0)
	err = s.store.SubscribeRaw(ctx, eventstore.Subscription{Name: "audit", MaxBatch: scanBatch}, func(_ context.Context, b eventstore.RawBatch) error {
		for _, e := range b.Events {
			if err := each(index, e); err != nil {
				return err
			}
			index++
		}
		show.tell(index)
		if b.Checkpoint < end {
			return nil
		}
		done, err := after()
		if err == nil && done {
			err = errScanned
		}
		return err
	})
	if errors.Is(err, errScanned) {
		return nil
	}
	return err
}

// scanBatch is how many events are read at once.
const scanBatch = 2048

// progress tells how far a scan is, now and then when it takes long.
type progress struct {
	out   io.Writer
	began time.Time
	told  time.Time
}

const (
	// progressAfter is how long a scan says nothing.
	progressAfter = 2 * time.Second
	// progressEvery is how often it then does.
	progressEvery = time.Second
)

func newProgress(out io.Writer) *progress { return &progress{out: out, began: time.Now()} }

func (p *progress) tell(events int64) {
	took := time.Since(p.began)
	if took < progressAfter || time.Since(p.told) < progressEvery {
		return
	}
	p.told = time.Now()
	fmt.Fprintf(p.out, "%d events hashed, %.0f/s\n", events, float64(events)/took.Seconds())
}

// auditKey is the key that signs for the installation.
func auditKey(cfg config) (*integrity.Key, error) {
	keys, err := keyring.Open(cfg.keyringPath())
	if err != nil {
		return nil, err
	}
	secret, err := keys.AuditKey()
	if err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, fmt.Errorf("no head of this log has been signed yet: start the service once")
	}
	return integrity.ParseKey(secret)
}

func headsPath(cfg config) string { return filepath.Join(cfg.auditDir, notary.HeadsName) }
