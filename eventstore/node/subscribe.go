package node

import (
	"errors"
	"math"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"understudy/eventstore/node/engine"
)

func (r *reader) confirm() error {
	return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_Confirmation{
		Confirmation: &streams.ReadResp_SubscriptionConfirmation{SubscriptionId: uuid.NewString()},
	}})
}

func (r *reader) caughtUp() error {
	return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_CaughtUp_{CaughtUp: &streams.ReadResp_CaughtUp{}}})
}

func (r *reader) checkpoint(position uint64) error {
	return r.call.Send(&streams.ReadResp{Content: &streams.ReadResp_Checkpoint_{
		Checkpoint: &streams.ReadResp_Checkpoint{CommitPosition: position, PreparePosition: position},
	}})
}

// wait returns nil when there may be something new to read.
func (r *reader) wait(w *engine.Watch) error {
	select {
	case <-w.C:
		return nil
	case <-r.closing:
		return errClosing
	case <-r.context().Done():
		return r.context().Err()
	}
}

// subscribeStream sends a stream's events behind a revision, then those to
// come. A stream that does not exist yet is waited for; a tombstone ends the
// subscription.
func (r *reader) subscribeStream(o *streams.ReadReq_Options_StreamOptions) error {
	name := string(o.GetStreamIdentifier().GetStreamName())
	watch := r.engine.NewWatch(name)
	defer watch.Close()
	next, err := r.streamBehind(o, name)
	if err != nil {
		return err
	}
	if err := r.confirm(); err != nil {
		return err
	}
	for live := false; ; {
		if err := r.interrupted(); err != nil {
			return err
		}
		page, err := r.engine.ReadStream(name, next, engine.Forwards, pageEvents)
		if err != nil && !errors.Is(err, engine.ErrNotFound) {
			return err
		}
		if err := r.send(page.Events); err != nil {
			return err
		}
		next = max(next, page.Next)
		if !page.End {
			continue
		}
		if !live {
			live = true
			if err := r.caughtUp(); err != nil {
				return err
			}
		}
		if err := r.wait(watch); err != nil {
			return err
		}
	}
}

// streamBehind is the first revision a subscription sends: the one behind the
// revision the client names as seen.
func (r *reader) streamBehind(o *streams.ReadReq_Options_StreamOptions, name string) (int64, error) {
	// Asking for the end also refuses a tombstoned stream before the
	// confirmation.
	end, err := r.engine.ReadStream(name, math.MaxInt64-1, engine.Forwards, 1)
	if err != nil && !errors.Is(err, engine.ErrNotFound) {
		return 0, err
	}
	switch v := o.GetRevisionOption().(type) {
	case *streams.ReadReq_Options_StreamOptions_Revision:
		return int64(min(v.Revision, math.MaxInt64-2)) + 1, nil
	case *streams.ReadReq_Options_StreamOptions_Start:
		return 0, nil
	case *streams.ReadReq_Options_StreamOptions_End:
		return end.Last + 1, nil
	default:
		return 0, status.Error(codes.InvalidArgument, "a subscription says where it begins")
	}
}

// subscribeAll sends the events behind a position, then those to come. With a
// filter it also sends checkpoints: how far it has looked without a match.
func (r *reader) subscribeAll(o *streams.ReadReq_Options_AllOptions) error {
	watch := r.engine.NewWatch("")
	defer watch.Close()
	q := engine.AllQuery{Direction: engine.Forwards, Count: pageEvents, Window: pageWindow}
	switch v := o.GetAllOption().(type) {
	case *streams.ReadReq_Options_AllOptions_Position:
		q.From = min(v.Position.GetCommitPosition(), math.MaxUint64-1) + 1
	case *streams.ReadReq_Options_AllOptions_Start:
	case *streams.ReadReq_Options_AllOptions_End:
		q.From = r.engine.Last() + 1
	default:
		return status.Error(codes.InvalidArgument, "a subscription says where it begins")
	}
	due := math.MaxInt
	if r.filter != nil {
		q.Match = r.filter.match
		due = r.filter.interval
	}
	if err := r.confirm(); err != nil {
		return err
	}
	told := q.From // the first position the client does not know to be done with
	for live := false; ; {
		if err := r.interrupted(); err != nil {
			return err
		}
		q.Window = min(pageWindow, due)
		page, err := r.engine.ReadAll(q)
		if err != nil {
			return err
		}
		if err := r.send(page.Events); err != nil {
			return err
		}
		if n := len(page.Events); n > 0 {
			told = page.Events[n-1].Position + 1
		}
		q.From = page.Next
		becomesLive := page.End && !live
		if r.filter != nil {
			due -= page.Seen
			if due <= 0 || (becomesLive && q.From > told) {
				due = r.filter.interval
				if err := r.checkpoint(q.From - 1); err != nil {
					return err
				}
				told = q.From
			}
		}
		if becomesLive {
			live = true
			if err := r.caughtUp(); err != nil {
				return err
			}
		}
		if page.End {
			if err := r.wait(watch); err != nil {
				return err
			}
		}
	}
}
