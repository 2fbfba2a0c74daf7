package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxBody is the largest request body, in bytes.
	maxBody = 1 << 20
	// bodyTimeout is how long a client may take to send its body.
	bodyTimeout = 30 * time.Second
)

// checkParameters refuses query parameters that the operation does not have,
// so that typing errors show, and values that its schemas do not allow.
func (a *api) checkParameters(c echo.Context, call *call) error {
	query := c.QueryParams()
	call.query = map[string]any{}
	var faults []fieldFault
	var known []string
	for _, p := range call.op.params {
		var values []string
		if p.in == "query" {
			known = append(known, p.name)
			values = query[p.name]
		} else {
			values = c.Request().Header.Values(p.name)
		}
		switch len(values) {
		case 0:
			if p.required {
				faults = append(faults, fieldFault{Parameter: p.name, Code: "required", Message: p.name + " is required"})
			}
		case 1:
			value, wrong := a.document.parameterValue(p, values[0])
			if faults = append(faults, wrong...); p.in == "query" {
				call.query[p.name] = value
			}
		default:
			faults = append(faults, fieldFault{Parameter: p.name, Code: "duplicate", Message: p.name + " may be given only once"})
		}
	}
	slices.Sort(known)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(faults) == maxFaults {
			break
		}
		if !slices.Contains(known, name) {
			faults = append(faults, fieldFault{Parameter: clip(name), Code: "unknown_field",
				Message: clip(name) + " is not a parameter here" + alternatives("; the parameters are ", known)})
		}
	}
	return invalid(faults)
}

// keptText reports whether Postgres can hold a text, and so look for it.
func keptText(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// parameterValue is what a text stands for, checked against the parameter's
// schema.
func (d *document) parameterValue(p parameter, text string) (value any, faults []fieldFault) {
	if !keptText(text) {
		return nil, []fieldFault{{Parameter: p.name, Code: "wrong_format", Message: p.name + " must be UTF-8 without the character U+0000"}}
	}
	value, checked := any(text), any(text)
	if p.kind == "integer" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, []fieldFault{{Parameter: p.name, Code: "wrong_type", Message: p.name + " must be a whole number"}}
		}
		value, checked = n, float64(n)
	}
	var wrong *jsonschema.ValidationError
	if err := p.schema.Validate(checked); !errors.As(err, &wrong) {
		return value, nil
	}
	faults = d.faults(wrong, p.name)
	for i := range faults {
		faults[i].Pointer, faults[i].Parameter = "", p.name
	}
	return nil, faults
}

// readBody reads, checks and completes the body: afterwards call.body is a
// JSON object with the defaults filled in, its keys in order.
func (a *api) readBody(c echo.Context, call *call) error {
	rule := call.op.body
	if rule == nil {
		return a.noBody(c, call)
	}
	raw, err := readAll(c)
	if err != nil {
		return err
	}
	var value any
	if len(raw) > 0 || rule.required {
		if err := checkContentType(c.Request(), rule, len(raw)); err != nil {
			return err
		}
		if value, err = parseJSON(raw); err != nil {
			return err
		}
		if faults := a.document.bodyFaults(rule, value); len(faults) > 0 {
			return invalid(faults)
		}
	}
	call.body, err = json.Marshal(rule.completed(value))
	return err
}

// completed is a body that was checked, with the defaults of what it leaves out.
func (rule *bodyRule) completed(value any) map[string]any {
	object, _ := value.(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	for name, value := range rule.defaults {
		if _, given := object[name]; !given {
			object[name] = value
		}
	}
	return object
}

// noBody refuses the body of a POST that takes none: whoever sends one expects
// something of it. Space is none, and what call.body, by which repetitions are
// known, has then.
func (a *api) noBody(c echo.Context, call *call) error {
	if c.Request().Method != http.MethodPost {
		return nil
	}
	raw, err := readAll(c)
	if err != nil {
		return err
	}
	if call.body = bytes.TrimSpace(raw); len(call.body) > 0 {
		return invalid([]fieldFault{{Code: "not_allowed", Message: "the body must be empty: this operation takes none"}})
	}
	return nil
}

func readAll(c echo.Context) ([]byte, error) {
	r := c.Request()
	// A connection without deadlines (a recorder in a test) has no slow client.
	deadlines := http.NewResponseController(c.Response())
	if err := deadlines.SetReadDeadline(time.Now().Add(bodyTimeout)); err == nil {
		defer func() { _ = deadlines.SetReadDeadline(time.Time{}) }()
	}
	raw, err := io.ReadAll(http.MaxBytesReader(c.Response(), r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, refuse(codeBodyTooLarge, "the body is larger than 1 MiB; send less")
	case err != nil:
		return nil, refuse(codeMalformed, "the body ended before it was complete; send it again")
	}
	return raw, nil
}

// checkContentType accepts the operation's media types, and an absent header for
// an empty body, whose fault is told better as such.
func checkContentType(r *http.Request, rule *bodyRule, size int) error {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse(codeUnsupportedMedia, "a compressed body is not read; send it without Content-Encoding")
	}
	header := r.Header.Get(echo.HeaderContentType)
	if header == "" && size == 0 {
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(header)
	if err != nil || !slices.Contains(rule.mediaTypes, mediaType) {
		return refuse(codeUnsupportedMedia, "the body must be JSON; send it with Content-Type: application/json")
	}
	return nil
}
