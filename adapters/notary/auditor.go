package notary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"understudy/eventstore"
	"understudy/eventstore/integrity"
)

// Auditor reads a whole log for people who want to know whether it is as it was
// signed, beside a running service or where none runs.
type Auditor struct {
	Log Log
	Key *integrity.Key
	// Dir is where the file of signed heads is.
	Dir string
	// Alone: nobody else signs heads of this log meanwhile.
	Alone bool
	// Progress is told now and then how far a long reading is.
	Progress io.Writer
}

// AuditKey reads the key that signs for an installation; one that has signed
// nothing yet has none.
func AuditKey(keys interface {
	AuditKey() (secret, rotations string, err error)
}) (*integrity.Key, error) {
	secret, rotations, err := keys.AuditKey()
	if err != nil {
		return nil, err
	}
	if secret == "" {
		return nil, errors.New("no head of this log has been signed yet: start the service once")
	}
	return integrity.ParseKey(secret, rotations)
}

// errChanged begins the verdict on a log that was changed.
var errChanged = errors.New("the event log was changed")

// errScanned ends a scan.
var errScanned = errors.New("scanned")

// scan passes every event of the log to each, with its number from 0, and
// calls after behind each batch that reaches at least the end of the log as it
// was at the start; the scan goes on until after says so.
func (a Auditor) scan(ctx context.Context, each func(int64, eventstore.Raw) error, after func() (done bool, err error)) error {
	end, err := a.Log.Head(ctx)
	if err != nil {
		return err
	}
	show := &progress{out: a.Progress, began: time.Now()}
	index := int64(0)
	err = a.Log.SubscribeRaw(ctx, eventstore.Subscription{Name: "audit", MaxBatch: batchSize}, func(_ context.Context, b eventstore.RawBatch) error {
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

func (a Auditor) headsPath() string { return filepath.Join(a.Dir, HeadsName) }

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

func (p *progress) tell(events int64) {
	took := time.Since(p.began)
	if took < progressAfter || time.Since(p.told) < progressEvery {
		return
	}
	p.told = time.Now()
	fmt.Fprintf(p.out, "%d events hashed, %.0f/s\n", events, float64(events)/took.Seconds())
}

// Count writes a number with what it counts: "1 event", "2 events".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// nameOf names an event for people.
func nameOf(index int64, e eventstore.Raw) integrity.EventName {
	return integrity.EventName{Index: index, Stream: e.Stream, Revision: e.Revision, Type: e.Type, Position: e.Position}
}
