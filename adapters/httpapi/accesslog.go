package httpapi

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/projections"
)

// logForm is a file that the access log can be had as.
type logForm struct {
	name, contentType string
	begin             func(w io.Writer) error
	write             func(w io.Writer, entry projections.Document[service.AccessEntry]) error
}

var logForms = []logForm{
	{"ndjson", "application/x-ndjson", func(io.Writer) error { return nil }, func(w io.Writer, entry projections.Document[service.AccessEntry]) error {
		_, err := w.Write(append(entry.JSON[:len(entry.JSON):len(entry.JSON)], '\n'))
		return err
	}},
	{"csv", "text/csv", func(w io.Writer) error {
		return row(w, "id", "type", "position", "created_at", "actor", "person", "subject", "address", "reason", "request_id", "details")
	}, func(w io.Writer, entry projections.Document[service.AccessEntry]) error {
		e, err := entry.Decode()
		if err != nil {
			return err
		}
		return row(w, e.ID, e.Type, strconv.FormatUint(e.Position, 10), e.CreatedAt.String(), text(e.Actor), text(e.Person), e.Subject,
			text(e.Address), text(e.Reason), text(e.RequestID), string(e.Details))
	}},
}

// row writes one, in which nothing is a formula of a spreadsheet (OWASP, CSV injection).
func row(w io.Writer, cells ...string) error {
	for i, cell := range cells {
		if strings.IndexAny(cell, "=+-@\t\r") == 0 {
			cells[i] = "'" + cell
		}
	}
	out := csv.NewWriter(w)
	if err := out.Write(cells); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// ListAuditEvents lists who signed in and who changed access.
func (a *api) ListAuditEvents(c echo.Context, params ListAuditEventsParams) error {
	q := service.Query{
		Actor: params.Actor, Type: params.Type, Subject: params.Subject,
		CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore,
	}
	accept := strings.Join(c.Request().Header.Values(echo.HeaderAccept), ",")
	for _, form := range logForms {
		asked := params.Format == "" && accept != "" && weightOf(accept, form.contentType) > weightOf(accept, echo.MIMEApplicationJSON)
		if string(params.Format) == form.name || asked {
			return a.exportLog(c, form, q)
		}
	}
	return list(a, c, a.People.AccessLog, q, params.Limit, params.Cursor, nil)
}

// exportLog sends all that the filters leave. What fails after the first page cuts the
// answer off, which the client sees as an error.
func (a *api) exportLog(c echo.Context, form logForm, q service.Query) error {
	q.Limit = 100
	response := c.Response()
	for {
		page, err := a.People.AccessLog(c.Request().Context(), callOf(c).principal, q)
		if err != nil {
			if response.Committed {
				panic(http.ErrAbortHandler)
			}
			return err
		}
		if !response.Committed {
			h := response.Header()
			h.Set(echo.HeaderContentType, form.contentType)
			h.Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=access-log.%s", form.name))
			response.WriteHeader(http.StatusOK)
			if err := form.begin(response); err != nil {
				return err
			}
		}
		for _, entry := range page.Items {
			if err := form.write(response, entry); err != nil {
				return err
			}
		}
		if q.After = page.Next; page.Next == "" {
			return nil
		}
	}
}
