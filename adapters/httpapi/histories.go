package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/eventstore"
	"understudy/projections"
)

// historyOf is the history of one resource as a list. The key to go on after is
// the revision to begin with.
func (a *api) historyOf(id string, backwards bool) lister[json.RawMessage] {
	return func(ctx context.Context, p service.Principal, q service.Query) (service.Page[json.RawMessage], error) {
		window := service.History{Limit: q.Limit, Backwards: backwards}
		if q.After != "" {
			from, err := strconv.ParseUint(q.After, 10, 64)
			if err != nil {
				return service.Page[json.RawMessage]{}, fmt.Errorf("key of a page of events: %w", err)
			}
			window.From = &from
		}
		recorded, err := a.Histories.Events(ctx, p, id, window)
		if err != nil {
			return service.Page[json.RawMessage]{}, err
		}
		var page service.Page[json.RawMessage]
		if recorded.Next != nil {
			page.Next = strconv.FormatUint(*recorded.Next, 10)
		}
		for _, e := range recorded.Events {
			item, err := recordedEvent(e)
			if err != nil {
				return service.Page[json.RawMessage]{}, err
			}
			page.Items = append(page.Items, projections.Document[json.RawMessage]{JSON: item})
		}
		return page, nil
	}
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

// listEvents answers with a page of the history of a resource.
func (a *api) listEvents(c echo.Context, prefix, id, order string, limit int, cursor string) error {
	if !domain.ValidID(prefix, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return list(a, c, a.historyOf(id, order != string(OrderAsc)), service.Query{}, limit, cursor, nil)
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

// found reads a document as it is, or as of a moment when at is given.
func found[T any](a *api, c echo.Context, now getter[T],
	then func(context.Context, service.Principal, string, service.Moment) (projections.Document[T], error), prefix, id, at string,
) (doc projections.Document[T], err error) {
	if at == "" {
		return find(c, now, prefix, id)
	}
	moment, err := a.momentOf(c.Request().Context(), prefix, id, at)
	if err != nil {
		return doc, err
	}
	return then(c.Request().Context(), callOf(c).principal, id, moment)
}

// momentOf reads the parameter at, for a resource that may be there.
func (a *api) momentOf(ctx context.Context, prefix, id, at string) (service.Moment, error) {
	moment, err := a.momentAt(ctx, at)
	if err == nil && !domain.ValidID(prefix, id) {
		err = refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return moment, err
}

func (a *api) momentAt(ctx context.Context, at string) (service.Moment, error) {
	wrong := func(code, format string, args ...any) (service.Moment, error) {
		return service.Moment{}, invalid([]fieldFault{{Parameter: "at", Code: code, Message: "at " + fmt.Sprintf(format, args...)}})
	}
	if strings.Trim(at, "0123456789") == "" {
		position, err := strconv.ParseUint(at, 10, 63)
		if err != nil {
			return wrong("in_the_future", "is no position that a log can have")
		}
		head, err := a.Histories.Head(ctx)
		if err != nil {
			return service.Moment{}, err
		}
		if position > head {
			return wrong("in_the_future", "lies behind the end of the log, which is position %d", head)
		}
		return service.Moment{Position: position}, nil
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
	return service.Moment{Time: t}, nil
}
