package httpapi

import (
	"errors"
	"net/http"

	"understudy/domain"
)

// errUnseekable: http.ServeContent does not tell its own failures.
var errUnseekable = errors.New("the length of the file could not be found")

// fileAnswer keeps back what http.ServeContent says of a file that it cannot
// serve, so that this is told like every other refusal.
type fileAnswer struct {
	http.ResponseWriter
	refused int // the status kept back, 0 for none
}

// WriteHeader passes on the status of a file.
func (f *fileAnswer) WriteHeader(status int) {
	if status == http.StatusPreconditionFailed || status == http.StatusRequestedRangeNotSatisfiable || status >= http.StatusInternalServerError {
		f.refused = status
		return
	}
	f.ResponseWriter.WriteHeader(status)
}

func (f *fileAnswer) Write(p []byte) (int, error) {
	if f.refused != 0 {
		return len(p), nil
	}
	return f.ResponseWriter.Write(p)
}

// refusal is what was kept back as a problem, nil when the file was served.
func (f *fileAnswer) refusal() error {
	switch f.refused {
	case 0:
		return nil
	case http.StatusPreconditionFailed:
		return refuse(domain.CodeChanged, "If-Match names another file; this one never changes, and its name is in ETag")
	case http.StatusRequestedRangeNotSatisfiable:
		return refuse(codeRange, "Range must name bytes of the file, such as bytes=0-99; Content-Range tells how many there are")
	}
	return errUnseekable
}
