package httpapi

import (
	"mime"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// checkAccept refuses a request that takes none of the forms there are.
func (a *api) checkAccept(c echo.Context, call *call) error {
	headers := c.Request().Header.Values(echo.HeaderAccept)
	accept := strings.Join(headers, ",")
	if strings.TrimSpace(accept) == "" || len(call.op.produces) == 0 {
		return nil
	}
	for _, mediaType := range call.op.produces {
		if mediaType == "*/*" || acceptable(accept, mediaType) {
			return nil
		}
	}
	return refuse(codeNotAcceptable, "there is %s here; accept that", strings.Join(call.op.produces, " or "))
}

// acceptable applies RFC 9110, 12.5.1: the most specific range that fits
// decides, and weight 0 means no.
func acceptable(accept, mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	best, ok := 0, false
	for part := range strings.SplitSeq(accept, ",") {
		given, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		specificity := map[string]int{"*/*": 1, kind + "/*": 2, mediaType: 3}[given]
		if specificity <= best {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		best, ok = specificity, params["q"] == "" || (err == nil && weight > 0)
	}
	return ok
}
