package worklist

import (
	"context"
	"time"

	"understudy/domain"
	"understudy/projections"
)

// List is the worklist narrowed to one kind of work in one environment, as a
// worker sees it.
type List struct {
	DB          projections.Querier
	Positions   *projections.Positions
	Kind        Kind
	Environment domain.Environment
}

// Due reads up to limit items that are due and that nobody holds a lease on.
func (l List) Due(ctx context.Context, limit int) ([]Item, error) {
	return Due(ctx, l.DB, l.Kind, l.Environment, limit)
}

// NextDue is when the next item will be due, zero for none.
func (l List) NextDue(ctx context.Context) (time.Time, error) {
	return NextDue(ctx, l.DB, l.Kind, l.Environment)
}

// Gone reads which of these streams are off the list.
func (l List) Gone(ctx context.Context, streams []string) ([]string, error) {
	return Gone(ctx, l.DB, l.Kind, streams)
}

// Changed is closed when work of the kind is next added.
func (l List) Changed() <-chan struct{} { return Changed(l.Positions, l.Kind) }

// Changed is closed when work of a kind is next added, where this process keeps
// the worklist.
func Changed(p *projections.Positions, kind Kind) <-chan struct{} {
	return p.ChangedPart(Projection.Name, string(kind))
}

// WaitFor returns when the worklist shows position.
func (l List) WaitFor(ctx context.Context, position uint64) error {
	return l.Positions.Wait(ctx, Projection.Name, position)
}
