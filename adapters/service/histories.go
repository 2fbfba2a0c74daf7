package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/apikey"
	"understudy/domain/custompersona"
	"understudy/domain/delivery"
	"understudy/domain/oauthclient"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/domain/webhook"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/clients"
	"understudy/projections/deliveries"
	"understudy/projections/keys"
	"understudy/projections/personas"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// History selects a page of what was recorded of a resource.
type History struct {
	// Limit is the most events wanted, 1–100.
	Limit int
	// From is the revision to begin with, nil for the first event, or the last
	// one when going backwards.
	From      *uint64
	Backwards bool
}

// HistoryPage is one page of what was recorded, byte for byte.
type HistoryPage struct {
	Events []eventstore.Raw
	// Next is the revision to go on from, nil on the last page.
	Next *uint64
}

// Moment is a position of the log, or a time when Time is not zero.
type Moment struct {
	Position uint64
	Time     time.Time
}

// streamOf names the stream of a resource that is or was the principal's.
func (s *Service) streamOf(ctx context.Context, p Principal, id string) (stream string, err error) {
	prefix, _, _ := strings.Cut(id, "_")
	switch owner := p.owner(); prefix {
	case domain.PrefixTest:
		_, err = tests.Get(ctx, s.Pool, id, owner)
		stream = testrun.Stream(id)
	case domain.PrefixSession:
		_, err = sessions.Get(ctx, s.Pool, id, owner)
		stream = session.Stream(id)
	case domain.PrefixWebhook:
		err = webhooks.Known(ctx, s.Pool, id, owner)
		stream = webhook.Stream(id)
	case domain.PrefixDelivery:
		_, err = deliveries.Get(ctx, s.Pool, id, owner)
		stream = delivery.Stream(id)
	case domain.PrefixPersona:
		err = personas.Known(ctx, s.Pool, id, owner)
		stream = custompersona.Stream(id)
	case domain.PrefixClient:
		if err = domain.Refuse(domain.CodeNotFound, "there is nothing with this id"); p.Role.May(access.Team) {
			_, err = clients.Get(ctx, s.Pool, id, p.OrganizationID)
		}
		stream = oauthclient.Stream(id)
	case domain.PrefixKey:
		var k keys.Key
		if k, _, err = s.visibleKey(ctx, p, id); err == nil && k.Inherited {
			err = domain.Refuse(domain.CodeNotFound, "nothing was recorded of %s since it was created with the organization", id)
		}
		stream = apikey.Stream(id)
	default:
		err = projections.NotFound(id)
	}
	return stream, err
}

// Head is the position of the last event of the log.
func (s *Service) Head(ctx context.Context) (uint64, error) { return s.Streams.Store.Head(ctx) }

// Events reads one page of what was recorded of a resource: no more of it than
// is asked for, and one event to know whether there are more.
func (s *Service) Events(ctx context.Context, p Principal, id string, q History) (HistoryPage, error) {
	stream, err := s.streamOf(ctx, p, id)
	if err != nil {
		return HistoryPage{}, err
	}
	from, count := uint64(0), uint64(q.Limit)+1
	if q.From != nil {
		from = *q.From
	}
	if q.Backwards {
		if q.From == nil {
			if from, err = s.Streams.Store.LastRevision(ctx, stream); err != nil {
				return HistoryPage{}, err
			}
		}
		// The page ends with from, and is read in the order of the log.
		count = min(count, from+1)
		from -= count - 1
	}
	var page HistoryPage
	err = s.Streams.Store.ReadStreamRaw(ctx, stream, from, count, func(e eventstore.Raw) error {
		page.Events = append(page.Events, e)
		return nil
	})
	if err != nil {
		return HistoryPage{}, err
	}
	if q.Backwards {
		slices.Reverse(page.Events)
	}
	if len(page.Events) > q.Limit {
		page.Next = &page.Events[q.Limit].Revision
		page.Events = page.Events[:q.Limit]
	}
	return page, nil
}

// TestAsOf is a test as of a moment, by the fold that the read model keeps it
// with; so are the others.
func (s *Service) TestAsOf(ctx context.Context, p Principal, id string, at Moment) (projections.Document[tests.Document], error) {
	row, revision, err := asOf(ctx, s, p, id, at, tests.Fold)
	if err != nil {
		return projections.Document[tests.Document]{}, err
	}
	return projections.Made(id, row.Doc, revision)
}

// SessionAsOf is a session and its trace as of a moment.
func (s *Service) SessionAsOf(ctx context.Context, p Principal, id string, at Moment) (doc projections.Document[sessions.Document], trace projections.Document[sessions.Trace], err error) {
	row, revision, err := asOf(ctx, s, p, id, at, sessions.Fold)
	if err != nil {
		return doc, trace, err
	}
	if doc, err = projections.Made(id, row.Doc, revision); err != nil {
		return doc, trace, err
	}
	trace, err = projections.Made(id, sessions.Trace{SessionID: id, Steps: row.Trace}, revision)
	return doc, trace, err
}

// DeliveryAsOf is a delivery as of a moment.
func (s *Service) DeliveryAsOf(ctx context.Context, p Principal, id string, at Moment) (projections.Document[deliveries.Document], error) {
	row, revision, err := asOf(ctx, s, p, id, at, deliveries.Fold)
	if err != nil {
		return projections.Document[deliveries.Document]{}, err
	}
	return projections.Made(id, row.Doc, revision)
}

// WebhookAsOf is an endpoint as of a moment.
func (s *Service) WebhookAsOf(ctx context.Context, p Principal, id string, at Moment) (projections.Document[webhooks.Document], error) {
	row, revision, err := asOf(ctx, s, p, id, at, webhooks.Fold)
	if err == nil && row.Doc.Status == webhook.StatusDeleted {
		err = domain.Refuse(domain.CodeNotFound, "%s had been deleted by then", id)
	}
	if err != nil {
		return projections.Document[webhooks.Document]{}, err
	}
	return projections.Made(id, row.Doc, revision)
}

// PersonaAsOf is a custom persona as of a moment.
func (s *Service) PersonaAsOf(ctx context.Context, p Principal, id string, at Moment) (projections.Document[personas.Document], error) {
	row, revision, err := asOf(ctx, s, p, id, at, personas.Fold)
	if err == nil && row.Status == custompersona.StatusDeleted {
		err = domain.Refuse(domain.CodeNotFound, "%s had been deleted by then", id)
	}
	if err != nil {
		return projections.Document[personas.Document]{}, err
	}
	return projections.Made(id, row.Doc, revision)
}

// PersonaBefore is a custom persona that was deleted, as it was before.
func (s *Service) PersonaBefore(ctx context.Context, p Principal, id string) (personas.Document, error) {
	row, _, err := asOf(ctx, s, p, id, Moment{Position: math.MaxInt64}, personas.Fold)
	if err == nil && row.Status != custompersona.StatusDeleted {
		err = domain.Refuse(domain.CodeWrongState, "%s is not deleted", id)
	}
	return row.Doc, err
}

// KeyAsOf is a key as of a moment; when it was last used is no event.
func (s *Service) KeyAsOf(ctx context.Context, p Principal, id string, at Moment) (projections.Document[KeyDocument], error) {
	k, revision, err := asOf(ctx, s, p, id, at, keys.Fold)
	if err != nil {
		return projections.Document[KeyDocument]{}, err
	}
	return projections.Made(id, KeyDocument{
		CreatedAt: k.CreatedAt, CreatedBy: k.CreatedBy, Environment: k.Environment, ExpiresAt: k.ExpiresAt, ID: k.ID,
		LastFour: k.LastFour, Name: k.Name, Scopes: k.Scopes, Status: k.StatusAt(cmp.Or(at.Time, time.Now())),
	}, revision)
}

// errLater ends a read at the first event after the moment asked for.
var errLater = errors.New("later than asked for")

// asOf folds the stream of a resource up to the first event that is later than a
// moment. What this program does not know changes nothing, as in the read models.
func asOf[R any](ctx context.Context, s *Service, p Principal, id string, at Moment, fold func(R, domain.Recorded) R) (row R, revision uint64, err error) {
	stream, err := s.streamOf(ctx, p, id)
	if err != nil {
		return row, 0, err
	}
	var first *domain.Recorded
	err = s.Streams.Store.ReadStream(ctx, stream, 0, func(e domain.Recorded) error {
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
func later(e domain.Recorded, at Moment) bool {
	if at.Time.IsZero() {
		return e.Position > at.Position
	}
	return e.Time.Truncate(time.Millisecond).After(at.Time)
}
