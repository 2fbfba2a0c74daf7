package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
)

const (
	headerIdempotencyKey = "Idempotency-Key"
	headerReplayed       = "Idempotent-Replayed"
	// storeTimeout bounds storing an answer after its client has gone.
	storeTimeout = 5 * time.Second
)

// answer is what a POST is answered with, and again on every repetition.
type answer struct {
	status  int
	headers map[string]string
	body    []byte
}

// running holds the requests with an Idempotency-Key that this process is
// serving. Another node does not see them: there, a repetition runs the same
// command under the same ids, which makes nothing twice.
type running struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (r *running) claim(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys[key] {
		return false
	}
	if r.keys == nil {
		r.keys = map[string]bool{}
	}
	r.keys[key] = true
	return true
}

func (r *running) release(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.keys, key)
}

// once runs a POST, once per Idempotency-Key. run gets the id of the resource
// to make and the command's Call; both are the same when an earlier try was
// cut off, by a crash or by a dependency that was down.
func (a *api) once(c echo.Context, run func(ctx context.Context, resourceID string, command service.Call) (answer, error)) error {
	call := callOf(c)
	ctx := c.Request().Context()
	resourceID := domain.FormatID(call.op.creates, uuid.Must(uuid.NewV7()))
	key := c.Request().Header.Get(headerIdempotencyKey)
	if key == "" {
		made, err := run(ctx, resourceID, call.commandFor(resourceID))
		if err != nil {
			return err
		}
		return write(c, made)
	}
	keyID := call.principal.KeyID
	operation := http.MethodPost + " " + c.Request().URL.Path
	hash := sha256.Sum256(call.body)
	sealed, err := a.Sealer.Seal(hash[:], sealedFor("idempotency body", keyID, key))
	if err != nil {
		return err
	}
	begin := func() (row StoredRequest, fresh bool, err error) {
		row, fresh, err = a.Requests.Begin(ctx, keyID, key, operation, sealed, resourceID, a.Now())
		if err != nil {
			return row, false, a.unavailable(err)
		}
		if fresh {
			return row, true, nil
		}
		// A hash that nobody can open was not made of this body.
		if first, err := a.Sealer.Open(row.BodyHash, sealedFor("idempotency body", keyID, key)); err != nil || row.Operation != operation || !bytes.Equal(first, hash[:]) {
			return row, false, refuse(codeKeyReused, "this Idempotency-Key was used for another request in the last 24 hours; use a new one")
		}
		return row, fresh, nil
	}
	row, fresh, err := begin()
	if err != nil {
		return err
	}
	if !row.Finished {
		claim := keyID + "\x00" + key
		if !a.running.claim(claim) {
			p := refuse(codeKeyInUse, "the first request with this Idempotency-Key is still running; try again in a moment")
			p.retryAfter = 1
			return p
		}
		defer a.running.release(claim)
		if !fresh { // it may have ended between the two
			if row, _, err = begin(); err != nil {
				return err
			}
		}
	}
	if row.Finished {
		return a.replay(c, keyID, key, row)
	}
	made, err := run(ctx, row.ResourceID, call.commandFor(row.ResourceID))
	if err != nil {
		if fresh { // else an earlier try may have made it
			a.forgetRefused(ctx, keyID, key, err)
		}
		return err
	}
	if err := a.store(ctx, keyID, key, made); err != nil {
		return a.unavailable(err)
	}
	return write(c, made)
}

// commandFor derives the command's id from the resource's.
func (k *call) commandFor(resourceID string) service.Call {
	return k.command(domain.DeriveUUID("request", resourceID))
}

// forgetRefused frees the key of a request that was refused: nothing was made,
// and the client may try again, with another body too. After any other error
// the row stays, because the command may have taken effect.
func (a *api) forgetRefused(ctx context.Context, keyID, key string, err error) {
	p := a.problemOf(err)
	if meanings[p.code].status >= http.StatusInternalServerError {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := a.Requests.Release(ctx, keyID, key); err != nil {
		// The refusal stands; the key is only bound to this body for longer.
		a.Logger.WarnContext(ctx, "idempotency key not released", "key_id", keyID, "error", err)
	}
}

// store keeps the answer before it is sent, encrypted: it may hold a secret.
func (a *api) store(ctx context.Context, keyID, key string, made answer) error {
	sealed, err := a.Sealer.Seal(made.body, sealedFor("idempotency", keyID, key))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return a.Requests.Finish(ctx, keyID, key, made.status, made.headers, sealed)
}

func (a *api) replay(c echo.Context, keyID, key string, row StoredRequest) error {
	body, err := a.Sealer.Open(row.Response, sealedFor("idempotency", keyID, key))
	if err != nil {
		return err
	}
	headers := maps.Clone(row.Headers)
	if headers == nil {
		headers = map[string]string{}
	}
	headers[headerReplayed] = "true"
	return write(c, answer{status: row.Status, headers: headers, body: body})
}

// sealedFor is what a part of a row is sealed for.
func sealedFor(part, keyID, key string) []byte {
	return []byte(part + "\x00" + keyID + "\x00" + key)
}

func write(c echo.Context, made answer) error {
	h := c.Response().Header()
	for name, value := range made.headers {
		h.Set(name, value)
	}
	h.Set("Cache-Control", "no-store")
	return c.Blob(made.status, echo.MIMEApplicationJSON, made.body)
}
