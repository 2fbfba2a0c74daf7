package httpapi

import (
	"mime"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
)

// checkAccept refuses a request that takes none of the forms there are. Where
// the address names the form, that goes first.
func (a *api) checkAccept(c echo.Context, call *call) error {
	headers := c.Request().Header.Values(echo.HeaderAccept)
	accept := strings.Join(headers, ",")
	if strings.TrimSpace(accept) == "" || len(call.op.produces) == 0 || c.QueryParams().Has("format") {
		return nil
	}
	for _, mediaType := range call.op.produces {
		if mediaType == "*/*" || acceptable(accept, mediaType) {
			return nil
		}
	}
	return refuse(codeNotAcceptable, "there is %s here; accept that", strings.Join(call.op.produces, " or "))
}

// acceptable reports whether an Accept header takes a media type.
func acceptable(accept, mediaType string) bool { return weightOf(accept, mediaType) > 0 }

// weightOf is how much an Accept header wants a media type, 0 (not at all) to 1.
// RFC 9110, 12.5.1: the most specific range that fits decides.
func weightOf(accept, mediaType string) float64 {
	kind, _, _ := strings.Cut(mediaType, "/")
	best, weight := 0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		given, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		specificity := map[string]int{"*/*": 1, kind + "/*": 2, mediaType: 3}[given]
		if specificity <= best {
			continue
		}
		best, weight = specificity, 1
		if q := params["q"]; q != "" {
			if weight, err = strconv.ParseFloat(q, 64); err != nil || !(weight >= 0 && weight <= 1) {
				weight = 0
			}
		}
	}
	return weight
}
