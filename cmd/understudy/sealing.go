package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"understudy/adapters/notary"
	"understudy/adapters/postgres"
	"understudy/eventstore"
)

// proofLimit is how long a start waits for the proof that the log extends its
// last signed head. A longer log is proven in the background, and until then
// the service is unready and signs nothing.
const proofLimit = 30 * time.Second

// proof is the wait for that proof.
type proof struct {
	needed  bool
	sealing *notary.Notary
	over    chan struct{} // closed when nobody waits any more
}

// newProof: where other processes go on recording meanwhile there is nothing
// to wait for, and where none of them is, only the one that signs can prove.
func newProof(cfg config, sealing *notary.Notary) *proof {
	return &proof{needed: !cfg.shared() && cfg.has(roleProjector), sealing: sealing, over: make(chan struct{})}
}

// await waits, and then lets everybody else go on. It is called once.
func (p *proof) await(ctx context.Context, log *slog.Logger) error {
	if p.needed {
		select {
		case <-p.sealing.Proven():
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(proofLimit):
			s := p.sealing.Status()
			log.Warn("the log is still being held against its last signed head", "hashed", s.Hashed, "signed", s.Signed)
		}
	}
	close(p.over)
	return nil
}

// before runs fn once the wait is over.
func (p *proof) before(fn func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-p.over:
			return fn(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// sealingLog runs the notary on one process of the installation. A log or
// heads that are not what they were end the process: only an operator can
// know which of them is right.
func sealingLog(leases *postgres.Leases, owner string, sealing *notary.Notary, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, end := context.WithCancelCause(ctx)
		defer end(nil)
		lead := leading(leases, owner, log, map[string]func(context.Context) error{"lead notary": func(ctx context.Context) error {
			err := sealing.Run(ctx)
			if refusedToSign(err) {
				end(err)
			}
			return err
		}})
		err := lead(ctx)
		if cause := context.Cause(ctx); refusedToSign(cause) {
			return cause
		}
		return err
	}
}

// refusedToSign tells what does not pass by itself.
func refusedToSign(err error) bool {
	var log *notary.RefusedError
	var heads *notary.HeadsError
	return errors.As(err, &log) || errors.As(err, &heads) || errors.Is(err, eventstore.ErrDamaged)
}

// sealingMetrics show how far the tree has come.
func sealingMetrics(sealing *notary.Notary) []prometheus.Collector {
	gauge := func(name, help string, value func(notary.Status) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return float64(value(sealing.Status())) })
	}
	return []prometheus.Collector{
		gauge("understudy_audit_hashed_events", "Events of the log that this process has hashed since it signs.",
			func(s notary.Status) int64 { return s.Hashed }),
		gauge("understudy_audit_signed_events", "Size of the newest head that this process has signed or found.",
			func(s notary.Status) int64 { return s.Signed }),
	}
}
