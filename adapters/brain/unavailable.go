package brain

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// maxWait is the longest wait before a retry. A server that asks for a longer one
// is given up: a session is not parked for an hour.
const maxWait = time.Minute

// unavailable says in the words of a session's failure why a question got no
// answer. What a server or a library says is not passed on: it may repeat
// parts of the key or of the request.
func unavailable(ctx context.Context, status int, err error) error {
	var timeout net.Error
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errPatience):
		return context.Cause(ctx) // the session's end is no fault of the model
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &Unavailable{status, fmt.Sprintf("its server answers %d: the operator's key is not accepted", status)}
	case status == http.StatusNotFound:
		return &Unavailable{status, "its server answers 404: it does not know the model, or the address is wrong"}
	case status != 0:
		return &Unavailable{status, fmt.Sprintf("its server answers %d", status)}
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return &Unavailable{0, "its server does not answer in time"}
	case errors.Is(err, errRedirect):
		return &Unavailable{0, errRedirect.Error()}
	}
	return &Unavailable{0, "its server cannot be reached, or its answer cannot be read"}
}

// errPatience is the cause of the deadline of one question with all its
// retries.
var errPatience = errors.New("the model takes too long")
