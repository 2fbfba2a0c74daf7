package notary

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/eventstore/integrity"
)

// SignedHead is the newest head as every process of an installation sees it.
type SignedHead struct {
	integrity.Head
	// Key is the public key in text form, Note the head as it was signed.
	Key  string
	Note string
	At   time.Time
}

// readRow reads the row of the newest head; false when there never was one.
func readRow(ctx context.Context, pool *pgxpool.Pool) (h SignedHead, ok bool, err error) {
	err = pool.QueryRow(ctx, `SELECT key, note, signed_at FROM ops.audit_head`).Scan(&h.Key, &h.Note, &h.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, false, nil
	}
	if err != nil {
		return h, false, err
	}
	key, err := integrity.ParsePublicKey(h.Key)
	if err == nil {
		h.Head, err = integrity.OpenHead([]byte(h.Note), key)
	}
	if err != nil {
		return h, false, fmt.Errorf("ops.audit_head is damaged: %w", err)
	}
	return h, true, nil
}

// saveRow tells the other processes of a head. An older one than is told
// already changes nothing.
func saveRow(ctx context.Context, pool *pgxpool.Pool, key *integrity.Key, head integrity.Head, signed []byte) error {
	_, err := pool.Exec(ctx, `INSERT INTO ops.audit_head AS h (key, size, note, signed_at) VALUES ($1, $2, $3, now())
		ON CONFLICT (only_one) DO UPDATE SET key = excluded.key, size = excluded.size, note = excluded.note, signed_at = excluded.signed_at
		WHERE h.size < excluded.size OR (h.key <> excluded.key AND h.size = excluded.size)`, key.Public().String(), head.Size, string(signed))
	if err != nil {
		return fmt.Errorf("tell of a signed head: %w", err)
	}
	return nil
}

// compareRow makes sure that the file has every head that the database knows
// of, and returns the newest of those: the zero Head when there is none.
// After a lost key, which is known by a file that begins anew, it is the last
// one that the lost key signed.
func compareRow(ctx context.Context, pool *pgxpool.Pool, key *integrity.Key, heads *HeadsFile, startedOver bool) (integrity.Head, error) {
	row, ok, err := readRow(ctx, pool)
	if err != nil {
		return integrity.Head{}, err
	}
	if !ok {
		return integrity.Head{}, nil
	}
	last := heads.Last()
	switch {
	case row.Key != key.Public().String() && startedOver && last.Size <= row.Size:
	case row.Key != key.Public().String():
		return row.Head, &HeadsError{fmt.Errorf("the heads of this log are signed by %s, and this keyring has the key %s: "+
			"put the keyring there that the log was begun with", row.Key, key.Public())}
	case row.Size > last.Size || (row.Size == last.Size && row.Root != last.Root):
		return row.Head, &HeadsError{fmt.Errorf("%s ends with the head of size %d, but the database knows of one of size %d "+
			"(select note from ops.audit_head): heads were taken out of the file. Put it back from a backup, or add that head to it, with an empty line behind. "+
			"Only where the log itself was put back from an older backup, and events are lost for good, delete that row: whoever has kept a later head will notice",
			heads.path, last.Size, row.Size)}
	}
	return row.Head, nil
}

// HeadsError says that the file of heads, the keyring and the database are not
// of one log. Nothing may be signed until they are.
type HeadsError struct{ Err error }

func (e *HeadsError) Error() string { return "audit: " + e.Err.Error() }

func (e *HeadsError) Unwrap() error { return e.Err }
