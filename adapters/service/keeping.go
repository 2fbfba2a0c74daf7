package service

import (
	"context"
	"fmt"
	"time"

	"understudy/projections/sessions"
)

// Keeping is how long pictures and films of sessions are kept. The events of the
// sessions are not touched: they name each by its hash for good.
type Keeping struct {
	// For is since the end of the session, 0 for ever.
	For time.Duration
	// Bytes are those of an organization's pictures and films together, 0 for any
	// number: of more the oldest sessions' go. What several sessions share counts for
	// each.
	Bytes int64
}

const (
	// sweptAtOnce is how many sessions are taken at a time.
	sweptAtOnce = 500
	// untouched is how long nobody must have put a content that is removed: by then
	// the session that has put it is in the read model.
	untouched = 2 * time.Hour
	// settled is for how long a session must have ended whose contents are removed:
	// they are untouched then, unless another session has them as well.
	settled = 2 * untouched
)

// Sweep removes pictures and films that are not to be kept, and tells of how many
// sessions. A content that another session has as well goes with the last of them.
// When it is cut off, the next one goes on.
func (r Reads) Sweep(ctx context.Context, keep Keeping, now time.Time) (swept int, err error) {
	var endedBefore time.Time
	if keep.For > 0 {
		endedBefore = now.Add(-keep.For)
	}
	for {
		unkept, err := sessions.FindUnkept(ctx, r.Pool, endedBefore, now.Add(-settled), keep.Bytes, sweptAtOnce)
		if err != nil || len(unkept) == 0 {
			return swept, err
		}
		ids := make([]string, len(unkept))
		for i, one := range unkept {
			ids[i] = one.SessionID
			for _, sha := range one.SHA256 {
				if err := r.Blobs.Remove(ctx, sha, untouched); err != nil {
					return swept, err
				}
			}
		}
		if _, err := r.Pool.Exec(ctx, `insert into ops.swept_sessions select unnest($1::text[]) on conflict do nothing`, ids); err != nil {
			return swept, fmt.Errorf("note what is no longer kept: %w", err)
		}
		swept += len(ids)
	}
}
