package httpapi

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// historyOf is the history of one resource as a list. The key to go on after is
// the revision to begin with.
type historyOf struct {
	Histories

	id        string
	backwards bool
}

func (h historyOf) List(ctx context.Context, p Principal, q ListQuery) (ListedPage, error) {
	window := HistoryQuery{Limit: q.Limit, Backwards: h.backwards}
	if q.After != "" {
		from, err := strconv.ParseUint(q.After, 10, 64)
		if err != nil {
			return ListedPage{}, fmt.Errorf("key of a page of events: %w", err)
		}
		window.From = &from
	}
	return h.Events(ctx, p, h.id, window)
}

// listEvents answers with a page of the history of a resource.
func (a *api) listEvents(c echo.Context, prefix, id, order string, limit int, cursor string) error {
	if !domain.ValidID(prefix, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return a.list(c, historyOf{a.Histories, id, order == string(OrderDesc)}, ListQuery{}, limit, cursor, nil)
}

// ListTestEvents lists what was recorded of a test.
func (a *api) ListTestEvents(c echo.Context, id TestID, params ListTestEventsParams) error {
	return a.listEvents(c, domain.PrefixTest, id, string(params.Order), params.Limit, params.Cursor)
}

// ListSessionEvents lists what was recorded of a session.
func (a *api) ListSessionEvents(c echo.Context, id SessionID, params ListSessionEventsParams) error {
	return a.listEvents(c, domain.PrefixSession, id, string(params.Order), params.Limit, params.Cursor)
}

// ListWebhookEvents lists what was recorded of an endpoint, deleted ones included.
func (a *api) ListWebhookEvents(c echo.Context, id WebhookID, params ListWebhookEventsParams) error {
	return a.listEvents(c, domain.PrefixWebhook, id, string(params.Order), params.Limit, params.Cursor)
}

// ListDeliveryEvents lists what was recorded of a delivery.
func (a *api) ListDeliveryEvents(c echo.Context, id DeliveryID, params ListDeliveryEventsParams) error {
	return a.listEvents(c, domain.PrefixDelivery, id, string(params.Order), params.Limit, params.Cursor)
}

// found reads a document as it is, or as of a moment when at is given; trace is
// a session's as of then.
func (a *api) found(c echo.Context, now Reader, prefix, id, at string) (doc Document, trace []byte, err error) {
	if at == "" {
		doc, err = find(c, now, prefix, id)
		return doc, nil, err
	}
	moment, err := a.momentOf(c.Request().Context(), at)
	if err != nil {
		return Document{}, nil, err
	}
	if !domain.ValidID(prefix, id) {
		return Document{}, nil, refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	then, err := a.Histories.AsOf(c.Request().Context(), callOf(c).principal, id, moment)
	return then.Document, then.Trace, err
}

// momentOf reads the parameter at.
func (a *api) momentOf(ctx context.Context, at string) (Moment, error) {
	wrong := func(code, format string, args ...any) (Moment, error) {
		return Moment{}, invalid([]fieldFault{{Parameter: "at", Code: code, Message: "at " + fmt.Sprintf(format, args...)}})
	}
	if strings.Trim(at, "0123456789") == "" {
		position, err := strconv.ParseUint(at, 10, 63)
		if err != nil {
			return wrong("in_the_future", "is no position that a log can have")
		}
		head, err := a.Histories.Head(ctx)
		if err != nil {
			return Moment{}, err
		}
		if position > head {
			return wrong("in_the_future", "lies behind the end of the log, which is position %d", head)
		}
		return Moment{Position: position}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return wrong("wrong_format", "must be a position of the log such as 1234, or a time such as 2026-01-31T12:00:00Z (RFC 3339, + written %%2B)")
	}
	if now := a.Now(); t.After(now) {
		return wrong("in_the_future", "lies in the future; it is %s here", domain.At(now))
	}
	if origin := time.Unix(0, 0); t.Before(origin) {
		t = origin // nothing was recorded before, and a zero time says position
	}
	return Moment{Time: t}, nil
}
