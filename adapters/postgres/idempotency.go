package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// IdempotencyRetention is how long an answer is kept for its key.
const IdempotencyRetention = 24 * time.Hour

// RequestState says how far a request with an Idempotency-Key has come.
type RequestState string

// A request is started when its row is committed, finished when its answer is.
// One that stays started was cut off: whether its command took effect is
// answered by the stream of its ResourceID.
const (
	RequestStarted  RequestState = "started"
	RequestFinished RequestState = "finished"
)

// IdempotencyRow is what is remembered of a request with an Idempotency-Key.
type IdempotencyRow struct {
	// KeyID is the API key's id, IdemKey the client's header value: together
	// they name the row.
	KeyID, IdemKey string
	// MethodPath is like "POST /v1/tests".
	MethodPath string
	// BodyHash tells the same request from another under the same key.
	BodyHash []byte
	// ResourceID is the id that the command creates; a retry uses it again.
	ResourceID string
	State      RequestState
	// Status, Headers and Response are the answer of a finished request.
	// Response is as the caller gave it: encrypted.
	Status    int
	Headers   map[string]string
	Response  []byte
	CreatedAt time.Time
}

// ErrNoRequest is returned by Finish for a request that was not begun.
var ErrNoRequest = errors.New("no such request was begun")

// beginAttempts bounds how often Begin looks again when a row appears and
// disappears between two of its looks.
const beginAttempts = 3

// Idempotency remembers requests by API key and Idempotency-Key for 24 hours.
type Idempotency struct{ pool *pgxpool.Pool }

// NewIdempotency keeps requests in schema ops of the pool's database.
func NewIdempotency(pool *pgxpool.Pool) *Idempotency { return &Idempotency{pool: pool} }

const idempotencyColumns = `key_id, idem_key, method_path, body_hash, resource_id, state, status, headers, response, created_at`

// Begin records a request before its command runs; the row is committed when
// it returns. When fresh is true the caller goes on with the command; when it
// is false the row is an earlier request's, and the caller compares MethodPath
// and BodyHash and looks at State. A row older than the retention counts as
// none.
func (i *Idempotency) Begin(ctx context.Context, keyID, idemKey, methodPath string, bodyHash []byte, resourceID string, now time.Time) (row IdempotencyRow, fresh bool, err error) {
	const insert = `
		insert into ops.idempotency as i (key_id, idem_key, method_path, body_hash, resource_id, created_at)
		values ($1, $2, $3, $4, $5, $6)
		on conflict (key_id, idem_key) do update set
			method_path = excluded.method_path, body_hash = excluded.body_hash,
			resource_id = excluded.resource_id, created_at = excluded.created_at,
			state = 'started', status = 0, headers = '{}', response = null
		where i.created_at <= $7
		returning ` + idempotencyColumns
	const find = `select ` + idempotencyColumns + ` from ops.idempotency where key_id = $1 and idem_key = $2`
	if bodyHash == nil {
		bodyHash = []byte{} // a request without a body is hashed to nothing, not to NULL
	}
	for range beginAttempts {
		row, err = i.one(ctx, insert, keyID, idemKey, methodPath, bodyHash, resourceID, now, now.Add(-IdempotencyRetention))
		if err == nil {
			return row, true, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return IdempotencyRow{}, false, fmt.Errorf("begin request: %w", err)
		}
		row, err = i.one(ctx, find, keyID, idemKey)
		if err == nil {
			return row, false, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return IdempotencyRow{}, false, fmt.Errorf("find request: %w", err)
		}
	}
	return IdempotencyRow{}, false, fmt.Errorf("begin request: the row kept changing: %w", err)
}

// Finish records the answer. The first answer stays: finishing again changes
// nothing.
func (i *Idempotency) Finish(ctx context.Context, keyID, idemKey string, status int, headers map[string]string, response []byte) error {
	const q = `
		update ops.idempotency set
			status   = case state when 'started' then $3 else status end,
			headers  = case state when 'started' then $4 else headers end,
			response = case state when 'started' then $5 else response end,
			state    = 'finished'
		where key_id = $1 and idem_key = $2`
	if headers == nil {
		headers = map[string]string{}
	}
	tag, err := i.pool.Exec(ctx, q, keyID, idemKey, status, headers, response)
	if err != nil {
		return fmt.Errorf("finish request: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("finish request: %w", ErrNoRequest)
	}
	return nil
}

// Release forgets a request whose command was refused before anything was
// appended, so that a retry may try again. A finished one stays.
func (i *Idempotency) Release(ctx context.Context, keyID, idemKey string) error {
	const q = `delete from ops.idempotency where key_id = $1 and idem_key = $2 and state = 'started'`
	if _, err := i.pool.Exec(ctx, q, keyID, idemKey); err != nil {
		return fmt.Errorf("release request: %w", err)
	}
	return nil
}

// Sweep deletes the requests begun before the given time and returns how many
// there were.
func (i *Idempotency) Sweep(ctx context.Context, olderThan time.Time) (int64, error) {
	tag, err := i.pool.Exec(ctx, `delete from ops.idempotency where created_at < $1`, olderThan)
	if err != nil {
		return 0, fmt.Errorf("sweep requests: %w", err)
	}
	return tag.RowsAffected(), nil
}

func (i *Idempotency) one(ctx context.Context, q string, args ...any) (IdempotencyRow, error) {
	rows, err := i.pool.Query(ctx, q, args...)
	if err != nil {
		return IdempotencyRow{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[IdempotencyRow])
}
