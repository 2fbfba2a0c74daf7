package httpapi

import (
	"net/http"
	"regexp"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
)

// call is what is known of a request while it is served.
type call struct {
	// op is nil where the document has no operation.
	op        *operation
	requestID string
	// traceparent is what the events name that the request leads to: its span, or
	// without tracing that of the client.
	traceparent string
	// route is the address as the document writes it, /v1/tests/{id}, "" where there is none.
	route     string
	principal service.Principal
	// capability is set when the address itself gave access, not a key.
	capability bool
	// query are the parameters of the query that were given, by name.
	query map[string]any
	body  []byte
}

const callKey = "call"

func callOf(c echo.Context) *call {
	k, ok := c.Get(callKey).(*call)
	if !ok {
		return &call{}
	}
	return k
}

// requestIDs are taken over when they are short and harmless in logs.
var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

func newCall(c echo.Context, route string) *call {
	h := c.Request().Header
	k := &call{requestID: h.Get(echo.HeaderXRequestID), route: route}
	if !requestIDs.MatchString(k.requestID) {
		k.requestID = uuid.Must(uuid.NewV7()).String()
	}
	h.Set(echo.HeaderXRequestID, k.requestID) // for who serves the pages
	c.Set(callKey, k)
	c.Response().Header().Set(echo.HeaderXRequestID, k.requestID)
	return k
}

// command is the Call of a command with this id.
func (k *call) command(id uuid.UUID) service.Call {
	return service.Call{
		Principal: k.principal,
		CommandID: id,
		Meta: domain.Meta{
			CorrelationID:  id.String(),
			CausationID:    id.String(),
			Actor:          k.principal.Actor,
			KeyID:          k.principal.KeyID,
			OrganizationID: k.principal.OrganizationID,
			Environment:    k.principal.Environment,
			RequestID:      k.requestID,
			Traceparent:    k.traceparent,
		},
	}
}

// change is the Call of a PATCH, which holds for the revisions that If-Match names.
func (k *call) change(r *http.Request) service.Call {
	changing := k.command(uuid.New())
	changing.Seen = revisionsOf(r.Header.Values("If-Match"))
	return changing
}
