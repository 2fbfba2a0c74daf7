package fuzzapi

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// problemType is the media type of refusals (RFC 9457).
const problemType = "application/problem+json"

// faults are what is wrong with the answer to a request.
func (d *document) faults(sent *request, res *http.Response, raw []byte) (faults []string) {
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	status := strconv.Itoa(res.StatusCode)
	said := sent.op.answers[status]
	switch {
	case res.StatusCode == http.StatusServiceUnavailable && said != nil:
		// Declared, with its headers; the run counts how often.
	case res.StatusCode >= http.StatusInternalServerError:
		wrong("it failed")
	case said == nil:
		if said = sent.op.answers["default"]; said == nil || res.StatusCode < http.StatusBadRequest {
			wrong("the document does not list this status")
			return faults
		}
	}
	if said == nil {
		return faults
	}
	if sent.forbidden != "" && res.StatusCode < http.StatusBadRequest {
		wrong("accepted, and the document does not allow it: %s", sent.forbidden)
	}
	for _, h := range said.headers {
		if fault := h.fault(res.Header.Values(h.name)); fault != "" {
			wrong("header %s: %s", h.name, fault)
		}
	}
	if sent.method == http.MethodHead || len(said.content) == 0 {
		if len(raw) > 0 {
			wrong("a body where there must be none")
		}
		return faults
	}
	mediaType, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	schema, listed := said.content[mediaType]
	if err != nil || !listed {
		if _, any := said.content["*/*"]; !any {
			wrong("the document does not list the type %q", res.Header.Get("Content-Type"))
			return faults
		}
	}
	if schema == nil {
		return faults
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		wrong("not JSON: %v", err)
		return faults
	}
	if err := schema.Validate(value); err != nil {
		wrong("%s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if mediaType == problemType {
		if told := fmt.Sprint(value.(object)["status"]); told != status {
			wrong("the problem says status %s", told)
		}
	}
	return faults
}

func (h header) fault(values []string) string {
	if len(values) == 0 {
		if h.required {
			return "missing"
		}
		return ""
	}
	if len(values) > 1 {
		return "more than once"
	}
	value := any(values[0])
	if text(h.schema["type"]) == "integer" {
		n, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			return "no whole number: " + values[0]
		}
		value = float64(n)
	}
	if err := h.checked.Validate(value); err != nil {
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
	return ""
}
