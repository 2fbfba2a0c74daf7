package notary

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/mod/sumdb/tlog"

	"understudy/domain"
)

// Proofs answers from what the notary has kept, in any process.
type Proofs struct{ Pool *pgxpool.Pool }

// Head is the newest signed head; unavailable until there is one.
func (p Proofs) Head(ctx context.Context) (SignedHead, error) {
	h, ok, err := readRow(ctx, p.Pool)
	if err == nil && !ok {
		err = domain.Refuse(domain.CodeUnavailable, "no head of the log has been signed yet")
	}
	return h, err
}

// Inclusion is the proof that a leaf is the event at a commit position in the
// tree of a size.
type Inclusion struct {
	Index int64
	Root  tlog.Hash
	Proof tlog.RecordProof
}

// Inclusion proves an event; not found when it is not among the first size
// ones. leaf is its hash as it stands in the log now; one that is not in the
// tree is an error.
func (p Proofs) Inclusion(ctx context.Context, position uint64, leaf tlog.Hash, size int64) (in Inclusion, err error) {
	if in.Index, err = indexOf(ctx, p.Pool, position); err != nil {
		return in, behind(err)
	}
	if in.Index < 0 || in.Index >= size {
		return in, domain.Refuse(domain.CodeNotFound, "the event is not under the head of size %d; ask again once a newer one is signed", size)
	}
	tree := readTiles(ctx, p.Pool)
	if in.Root, err = tlog.TreeHash(size, tree); err != nil {
		return in, behind(err)
	}
	if in.Proof, err = tlog.ProveRecord(size, in.Index, tree); err != nil {
		return in, behind(err)
	}
	if err := tlog.CheckRecord(in.Proof, size, in.Root, in.Index, leaf); err != nil {
		return in, fmt.Errorf("the event at position %d is not the one that was hashed: the log or its kept hashes were changed: %w", position, err)
	}
	return in, nil
}

// Consistency proves that the tree of a size begins with that of a smaller or
// equal one, from 1 on.
func (p Proofs) Consistency(ctx context.Context, from, to int64) (proof tlog.TreeProof, older, newer tlog.Hash, err error) {
	tree := readTiles(ctx, p.Pool)
	if older, err = tlog.TreeHash(from, tree); err != nil {
		return nil, older, newer, behind(err)
	}
	if newer, err = tlog.TreeHash(to, tree); err != nil {
		return nil, older, newer, behind(err)
	}
	if proof, err = tlog.ProveTree(to, from, tree); err != nil {
		return nil, older, newer, behind(err)
	}
	return proof, older, newer, tlog.CheckTree(proof, to, newer, from, older)
}

// undefinedTable and invalidSchema are SQLSTATEs.
const (
	undefinedTable = "42P01"
	invalidSchema  = "3F000"
)

// behind is the error of a tree that is being made, if it is that.
func behind(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.Code != undefinedTable && pg.Code != invalidSchema {
		return err
	}
	if pg == nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	return domain.Refuse(domain.CodeUnavailable, "the hashes of the log are being made; try again later")
}
