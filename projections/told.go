package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// channel is where projectors tell other processes what they have committed.
const channel = "understudy_read_models"

// told is a commit, as other processes hear of it.
type told struct {
	Name     string   `json:"name"`
	Position int64    `json:"position"`
	Parts    []string `json:"parts,omitempty"`
}

// telling is an update, of three arguments, that tells others $4 where it finds its row:
// with the end of its transaction, so that they can read what they hear of.
func telling(update string) string {
	return `WITH moved AS (` + update + ` RETURNING 1) SELECT pg_notify('` + channel + `', $4) FROM moved`
}

// listenAgain is the pause before listening anew where Postgres was lost.
const listenAgain = time.Second

// Listen wakes those who wait here for what projectors of other processes commit,
// until ctx ends. While Postgres cannot be listened to they ask for themselves.
func (p *Positions) Listen(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	for {
		err := p.listen(ctx, pool)
		p.listens(false)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // whatever the end of ctx made of it
		}
		log.Warn("read models of other processes are asked for, not heard of", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(listenAgain):
		}
	}
}

func (p *Positions) listen(ctx context.Context, pool *pgxpool.Pool) error {
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	conn := pooled.Hijack() // it has a state that the pool's others must not have
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	p.listens(true)
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		var what told
		if err := json.Unmarshal([]byte(n.Payload), &what); err != nil {
			return fmt.Errorf("channel %s: %w", channel, err)
		}
		p.Advance(what.Name, what.Position)
		p.wakeParts(what.Name, what.Parts)
	}
}

// listens notes whether other processes are heard. Whoever waits looks again, for what
// was said in between.
func (p *Positions) listens(heard bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = heard
	for name := range p.changed {
		p.wake(name)
	}
}
