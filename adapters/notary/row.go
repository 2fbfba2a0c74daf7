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
	// Key is the public key in text form, Note the head as it was signed, Keys
	// are all that have signed for the log.
	Key  string
	Note string
	Keys *integrity.Chain
	At   time.Time
}

// readRow reads the row of the newest head; false when there never was one.
func readRow(ctx context.Context, pool *pgxpool.Pool) (h SignedHead, ok bool, err error) {
	var rotations string
	err = pool.QueryRow(ctx, `SELECT key, rotations, note, signed_at FROM ops.audit_head`).Scan(&h.Key, &rotations, &h.Note, &h.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, false, nil
	}
	if err != nil {
		return h, false, err
	}
	key, err := integrity.ParsePublicKey(h.Key)
	if err == nil {
		h.Keys, err = integrity.ParseChain(key, rotations)
	}
	if err == nil {
		h.Head, _, err = h.Keys.OpenHead([]byte(h.Note))
	}
	if err != nil {
		return h, false, fmt.Errorf("ops.audit_head is damaged: %w", err)
	}
	return h, true, nil
}

// saveRow tells the other processes of a head. An older one than is told
// already changes nothing.
func saveRow(ctx context.Context, pool *pgxpool.Pool, key *integrity.Key, head integrity.Head, signed []byte) error {
	_, err := pool.Exec(ctx, `INSERT INTO ops.audit_head AS h (key, rotations, size, note, signed_at) VALUES ($1, $2, $3, $4, now())
		ON CONFLICT (only_one) DO UPDATE SET key = excluded.key, rotations = excluded.rotations, size = excluded.size, note = excluded.note, signed_at = excluded.signed_at
		WHERE h.size < excluded.size OR (h.key <> excluded.key AND h.size = excluded.size)`,
		key.Public().String(), key.Chain().Rotations(), head.Size, string(signed))
	if err != nil {
		return fmt.Errorf("tell of a signed head: %w", err)
	}
	return nil
}

// compareRow makes sure that the file has every head that the database knows
// of, and returns the newest of those: the zero value when there is none.
// After a lost key, which is known by a file that begins anew, it is the last
// one that the lost key signed.
func compareRow(ctx context.Context, pool *pgxpool.Pool, key *integrity.Key, heads *HeadsFile, startedOver bool) (SignedHead, error) {
	row, ok, err := readRow(ctx, pool)
	if err != nil || !ok {
		return SignedHead{}, err
	}
	last := heads.Last()
	switch {
	case !key.Chain().Has(row.Key) && startedOver && last.Size <= row.Size:
	case !key.Chain().Has(row.Key):
		return row, &HeadsError{fmt.Errorf("the heads of this log are signed by %s, and this keyring has the key %s: "+
			"put the keyring there that the log was begun with, or its newest backup", row.Key, key.Public())}
	case row.Size > last.Size || (row.Size == last.Size && row.Root != last.Root):
		return row, &HeadsError{fmt.Errorf("%s ends with the head of size %d, but the database knows of one of size %d "+
			"(select note from ops.audit_head): heads were taken out of the file. Put it back from a backup, or add that head to it, with an empty line behind. "+
			"Only where the log itself was put back from an older backup, and events are lost for good, delete that row: whoever has kept a later head will notice",
			heads.path, last.Size, row.Size)}
	}
	return row, nil
}

// HeadsError says that the file of heads, the keyring and the database are not
// of one log. Nothing may be signed until they are.
type HeadsError struct{ Err error }

func (e *HeadsError) Error() string { return "audit: " + e.Err.Error() }

func (e *HeadsError) Unwrap() error { return e.Err }
