package httpapi

import (
	"context"
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

func wantsSocket(c echo.Context) error {
	if strings.EqualFold(c.Request().Header.Get(echo.HeaderUpgrade), "websocket") {
		return nil
	}
	return refuse(codeUpgradeRequired, "connect with a WebSocket client")
}
