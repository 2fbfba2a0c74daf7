package httpapi

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// streamGrace is how long after the end of a test its stream token is good.
const streamGrace = 24 * time.Hour

// StreamTest hands a WebSocket over to the stream.
func (a *api) StreamTest(c echo.Context, id TestID, params StreamTestParams) error {
	call, r := callOf(c), c.Request()
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	c.SetRequest(r.WithContext(ctx))
	test, err := a.stateOf(c, id)
	cancel()
	c.SetRequest(r)
	if err != nil {
		return err
	}
	if call.capability && test.CompletedAt != nil && a.Now().After(test.CompletedAt.Add(streamGrace)) {
		return refuse(domain.CodeForbidden, "this token is no longer good, because the test ended more than a day ago; use a key")
	}
	if err := wantsSocket(c); err != nil {
		return err
	}
	after := uint64(params.After) //nolint:gosec // its schema asks for 0 or more
	return a.Stream.ServeStream(c.Response(), r, call.principal.OrganizationID, id, after)
}

// StreamWebhookEvents hands a WebSocket over to the public events.
func (a *api) StreamWebhookEvents(c echo.Context, params StreamWebhookEventsParams) error {
	if err := wantsSocket(c); err != nil {
		return err
	}
	var after *uint64
	if params.After != nil {
		after = new(uint64)
		*after = uint64(*params.After) //nolint:gosec // its schema asks for 0 or more
	}
	p := callOf(c).principal
	return a.Stream.ServeEvents(c.Response(), c.Request(), p.OrganizationID, p.Environment, after)
}

// socketVersion is the WebSocket protocol that is spoken (RFC 6455).
const socketVersion = "13"

// wantsSocket refuses a handshake that the WebSocket library would, which does so
// in plain text.
func wantsSocket(c echo.Context) error {
	h := c.Request().Header
	switch key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(h.Get("Sec-WebSocket-Key"))); {
	case !c.Request().ProtoAtLeast(1, 1), !names(h, "Upgrade", "websocket"), !names(h, "Connection", "Upgrade"), h.Get("Sec-WebSocket-Version") != socketVersion:
		return refuse(codeUpgradeRequired, "connect with a WebSocket client of version %s", socketVersion)
	case len(h.Values("Sec-WebSocket-Key")) != 1, err != nil, len(key) != 16:
		return refuse(codeBadRequest, "Sec-WebSocket-Key must be 16 bytes in base64")
	}
	return nil
}

// names reports whether a header has a word in its list.
func names(h http.Header, header, word string) bool {
	for _, list := range h.Values(header) {
		for one := range strings.SplitSeq(list, ",") {
			if strings.EqualFold(strings.TrimSpace(one), word) {
				return true
			}
		}
	}
	return false
}
