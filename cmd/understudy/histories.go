package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/adapters/httpapi"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/deliveries"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// histories answers from the log itself. Whose a resource is, the read models
// say.
type histories struct {
	reads

	store *eventstore.Store
}

// streamOf names the stream of a resource that is or was the principal's.
func (h histories) streamOf(ctx context.Context, p httpapi.Principal, id string) (stream string, err error) {
	prefix, _, _ := strings.Cut(id, "_")
	switch owner := ownerOf(p); prefix {
	case domain.PrefixTest:
		_, err = tests.Get(ctx, h.pool, id, owner)
		stream = testrun.Stream(id)
	case domain.PrefixSession:
		_, err = sessions.Get(ctx, h.pool, id, owner)
		stream = session.Stream(id)
	case domain.PrefixWebhook:
		err = webhooks.Known(ctx, h.pool, id, owner)
		stream = webhook.Stream(id)
	case domain.PrefixDelivery:
		_, err = deliveries.Get(ctx, h.pool, id, owner)
		stream = delivery.Stream(id)
	default:
		err = projections.NotFound(id)
	}
	return stream, err
}

// Head is the position of the last event of the log.
func (h histories) Head(ctx context.Context) (uint64, error) { return h.store.Head(ctx) }

// Events reads one page of a stream: no more of it than is asked for, and one
// event to know whether there are more.
func (h histories) Events(ctx context.Context, p httpapi.Principal, id string, q httpapi.HistoryQuery) (httpapi.ListedPage, error) {
	stream, err := h.streamOf(ctx, p, id)
	if err != nil {
		return httpapi.ListedPage{}, err
	}
	from, count := uint64(0), uint64(q.Limit)+1
	if q.From != nil {
		from = *q.From
	}
	if q.Backwards {
		if q.From == nil {
			if from, err = h.store.LastRevision(ctx, stream); err != nil {
				return httpapi.ListedPage{}, err
			}
		}
		// The page ends with from, and is read in the order of the log.
		count = min(count, from+1)
		from -= count - 1
	}
	var events []eventstore.Raw
	err = h.store.ReadStreamRaw(ctx, stream, from, count, func(e eventstore.Raw) error {
		events = append(events, e)
		return nil
	})
	if err != nil {
		return httpapi.ListedPage{}, err
	}
	if q.Backwards {
		slices.Reverse(events)
	}
	page := httpapi.ListedPage{Items: make([]json.RawMessage, 0, q.Limit)}
	for _, e := range events {
		if len(page.Items) == q.Limit {
			page.Next = strconv.FormatUint(e.Revision, 10)
			break
		}
		item, err := recordedEvent(e)
		if err != nil {
			return httpapi.ListedPage{}, err
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// recordedEvent is an event as the API shows it, with what was recorded in it
// byte for byte.
func recordedEvent(e eventstore.Raw) (json.RawMessage, error) {
	head, err := json.Marshal(struct {
		ID          string      `json:"id"`
		Stream      string      `json:"stream"`
		Revision    uint64      `json:"revision"`
		Position    uint64      `json:"position"`
		Time        domain.Time `json:"time"`
		Type        string      `json:"type"`
		ContentType string      `json:"content_type"`
	}{e.ID.String(), e.Stream, e.Revision, e.Position, domain.At(e.Created), e.Type, e.ContentType})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(head[:len(head)-1]) // without its closing brace
	if json.Valid(e.Data) && utf8.Valid(e.Data) {
		out.WriteString(`,"data":`)
		out.Write(e.Data)
	} else {
		out.WriteString(`,"data":null,"data_base64":"` + base64.StdEncoding.EncodeToString(e.Data) + `"`)
	}
	out.WriteString(`,"metadata":`)
	if json.Valid(e.Metadata) && utf8.Valid(e.Metadata) && bytes.HasPrefix(bytes.TrimSpace(e.Metadata), []byte("{")) {
		out.Write(e.Metadata)
	} else {
		out.WriteString("null")
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// AsOf folds the stream of a resource up to a moment, by the fold that the read
// model keeps it with.
func (h histories) AsOf(ctx context.Context, p httpapi.Principal, id string, at httpapi.Moment) (httpapi.Then, error) {
	stream, err := h.streamOf(ctx, p, id)
	if err != nil {
		return httpapi.Then{}, err
	}
	var then httpapi.Then
	switch {
	case strings.HasPrefix(stream, testrun.StreamPrefix):
		var row tests.Row
		if row, then.Revision, err = asOf(ctx, h.store, stream, at, tests.Fold); err == nil {
			then.JSON, err = tests.Stored(row)
		}
	case strings.HasPrefix(stream, session.StreamPrefix):
		var row sessions.Row
		if row, then.Revision, err = asOf(ctx, h.store, stream, at, sessions.Fold); err == nil {
			if then.JSON, then.Trace, err = sessions.Stored(row); err == nil {
				then.Trace, err = traceJSON(id, then.Trace)
			}
		}
	case strings.HasPrefix(stream, delivery.StreamPrefix):
		var row deliveries.Row
		if row, then.Revision, err = asOf(ctx, h.store, stream, at, deliveries.Fold); err == nil {
			then.JSON, err = deliveries.Stored(row)
		}
	default:
		var row webhooks.Row
		row, then.Revision, err = asOf(ctx, h.store, stream, at, webhooks.Fold)
		if err == nil && row.Doc.Status == webhook.StatusDeleted {
			err = domain.Refuse(domain.CodeNotFound, "%s had been deleted by then", id)
		}
		if err == nil {
			then.JSON, err = webhooks.Stored(row)
		}
	}
	return then, err
}

// errLater ends a read at the first event after the moment asked for.
var errLater = errors.New("later than asked for")

// asOf folds a stream up to the first event that is later than a moment. What
// this program does not know changes nothing, as in the read models.
func asOf[R any](ctx context.Context, store *eventstore.Store, stream string, at httpapi.Moment, fold func(R, domain.Recorded) R) (row R, revision uint64, err error) {
	var first *domain.Recorded
	err = store.ReadStream(ctx, stream, 0, func(e domain.Recorded) error {
		if later(e, at) {
			if first == nil {
				return domain.Refuse(domain.CodeNotFound, "there was nothing with this id yet; it was created at %s, position %d",
					e.Time.Format(domain.TimeFormat), e.Position)
			}
			return errLater
		}
		if first == nil {
			first = &e
		}
		if _, unknown := e.Event.(domain.Unknown); !unknown {
			row, revision = fold(row, e), e.Revision
		}
		return nil
	})
	if errors.Is(err, errLater) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("as of then: %w", err)
	}
	return row, revision, err
}

// later reports whether an event was recorded after a moment. Times count in
// the milliseconds in which they are shown.
func later(e domain.Recorded, at httpapi.Moment) bool {
	if at.Time.IsZero() {
		return e.Position > at.Position
	}
	return e.Time.Truncate(time.Millisecond).After(at.Time)
}
