package httpapi

import (
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
)

// ListAuditEvents lists who signed in and who changed access.
func (a *api) ListAuditEvents(c echo.Context, params ListAuditEventsParams) error {
	q := service.Query{
		Actor: params.Actor, Type: params.Type, Subject: params.Subject,
		CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore,
	}
	accept := strings.Join(c.Request().Header.Values(echo.HeaderAccept), ",")
	for _, file := range service.AccessFiles {
		asked := params.Format == "" && accept != "" && weightOf(accept, file.ContentType) > weightOf(accept, echo.MIMEApplicationJSON)
		if string(params.Format) == file.Name || asked {
			return file.Send(c.Request().Context(), c.Response(), a.People.AccessLog, callOf(c).principal, q)
		}
	}
	return list(a, c, a.People.AccessLog, q, params.Limit, params.Cursor, nil)
}
