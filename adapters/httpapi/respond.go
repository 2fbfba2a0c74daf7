package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/projections"

	"github.com/labstack/echo/v4"
	quick "github.com/segmentio/encoding/json"
)

// getter reads a document, lister a page.
type (
	getter[T any] = func(ctx context.Context, p service.Principal, id string) (projections.Document[T], error)
	lister[T any] = func(ctx context.Context, p service.Principal, q service.Query) (service.Page[T], error)
)

// pageOf is a list's answer.
type pageOf struct {
	Data       []json.RawMessage `json:"data"`
	HasMore    bool              `json:"has_more"`
	NextCursor *string           `json:"next_cursor"`
}

// list answers with a page; limit 0 is the document's default.
func list[T any](a *api, c echo.Context, from lister[T], q service.Query, limit int, cursor string, as show[T]) error {
	page, err := pageFrom(a, c, from, q, limit, cursor, as)
	if err != nil {
		return err
	}
	return sendPage(c, page)
}

// pageFrom reads a page, and says in the header where the next one is.
func pageFrom[T any](a *api, c echo.Context, from lister[T], q service.Query, limit int, cursor string, as show[T]) (page pageOf, err error) {
	call := callOf(c)
	scope := scopeOfCursor(call.principal, c.Request().URL.Path, c.QueryParams())
	if q.Limit = limit; limit == 0 {
		q.Limit = a.pageSize
	}
	if cursor != "" {
		key, ok := a.signer.keyOf(cursor, scope)
		if !ok {
			return page, invalid([]fieldFault{{Parameter: "cursor", Code: "invalid_cursor",
				Message: "cursor is not one of this list with these filters; start again without it"}})
		}
		q.After = key
	}
	listed, err := from(c.Request().Context(), call.principal, q)
	if err != nil {
		return page, err
	}
	page = pageOf{Data: make([]json.RawMessage, 0, len(listed.Items)), HasMore: listed.Next != ""}
	for _, doc := range listed.Items {
		item := []byte(doc.JSON)
		if as != nil {
			if item, err = as(doc); err != nil {
				return page, err
			}
		}
		page.Data = append(page.Data, item)
	}
	if page.HasMore {
		next := a.signer.cursorFor(listed.Next, scope)
		page.NextCursor = &next
		query := c.QueryParams()
		query.Set("cursor", next)
		path := strings.TrimPrefix(c.Request().URL.Path, "/v1")
		c.Response().Header().Set("Link", "<"+a.links.APIURL(path)+"?"+query.Encode()+`>; rel="next"`)
	}
	return page, nil
}

// sendPage answers with a page. Its items are copied byte for byte, which an
// encoder would not do.
func sendPage(c echo.Context, page pageOf) error {
	var body bytes.Buffer
	body.WriteString(`{"data":[`)
	for i, item := range page.Data {
		if i > 0 {
			body.WriteByte(',')
		}
		body.Write(item)
	}
	rest, err := encode(struct {
		HasMore    bool    `json:"has_more"`
		NextCursor *string `json:"next_cursor"`
	}{page.HasMore, page.NextCursor})
	if err != nil {
		return err
	}
	body.WriteString("],")
	body.Write(rest[1:]) // without its opening brace
	c.Response().Header().Set("Cache-Control", "private, no-cache")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body.Bytes())
}

// sendJSON answers with something that has no revision.
func sendJSON(c echo.Context, v any) error {
	c.Response().Header().Set("Cache-Control", "private, no-cache")
	body, err := encode(v)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// encode writes JSON as it is, without escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := quick.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// revision is the ETag of a document.
func revision(r uint64) string { return `"` + strconv.FormatUint(r, 10) + `"` }

// dailyRevision is the ETag of a document with signed addresses, which change
// from day to day.
func dailyRevision(r uint64, now time.Time) string { return fmt.Sprintf(`"%d-%d"`, r, dayOf(now)) }

// send answers with a resource, or with 304 when the client has it.
func send(c echo.Context, etag string, body []byte) error {
	h := c.Response().Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "private, no-cache")
	if matches(c.Request().Header.Get("If-None-Match"), etag) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// matches compares weakly, as RFC 9110 asks for If-None-Match.
func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || candidate == etag {
			return true
		}
	}
	return false
}

// revisionsOf are the revisions that an If-Match names, nil where there is none or
// it takes what is there. The day of an ETag is no matter of the resource.
func revisionsOf(headers []string) (seen []uint64) {
	if len(headers) == 0 {
		return nil
	}
	seen = []uint64{}
	for candidate := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" {
			return nil
		}
		tag, quoted := strings.CutPrefix(candidate, `"`)
		number, _, _ := strings.Cut(strings.TrimSuffix(tag, `"`), "-")
		if r, err := strconv.ParseUint(number, 10, 64); quoted && err == nil {
			seen = append(seen, r)
		}
	}
	return seen
}

// sendDocument answers with a document.
func sendDocument[T any](c echo.Context, etag string, doc projections.Document[T], as show[T]) error {
	body := []byte(doc.JSON)
	if as != nil {
		var err error
		if body, err = as(doc); err != nil {
			return err
		}
	}
	return send(c, etag, body)
}
