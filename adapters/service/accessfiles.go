package service

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"understudy/projections"
)

// AccessFile is a file that the access log can be had as.
type AccessFile struct {
	Name, ContentType string
	begin             func(w io.Writer) error
	write             func(w io.Writer, entry projections.Document[AccessEntry]) error
}

// AccessFiles are the files that there are.
var AccessFiles = []AccessFile{
	{"ndjson", "application/x-ndjson", func(io.Writer) error { return nil }, func(w io.Writer, entry projections.Document[AccessEntry]) error {
		_, err := w.Write(append(entry.JSON[:len(entry.JSON):len(entry.JSON)], '\n'))
		return err
	}},
	{"csv", "text/csv", func(w io.Writer) error {
		return row(w, "id", "type", "position", "created_at", "actor", "person", "subject", "address", "reason", "request_id", "details")
	}, func(w io.Writer, entry projections.Document[AccessEntry]) error {
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

// Send answers with all that the query leaves of a log. What fails after the first page
// breaks the answer off, which the client sees as an error.
func (f AccessFile) Send(ctx context.Context, w http.ResponseWriter, log func(context.Context, Principal, Query) (Page[AccessEntry], error), who Principal, q Query) error {
	q.Limit = 100
	for begun := false; ; {
		page, err := log(ctx, who, q)
		if err != nil && begun {
			panic(http.ErrAbortHandler)
		}
		if err != nil {
			return err
		}
		if !begun {
			begun = true
			w.Header().Set("Content-Type", f.ContentType)
			w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=access-log.%s", f.Name))
			if err := f.begin(w); err != nil {
				return err
			}
		}
		for _, entry := range page.Items {
			if err := f.write(w, entry); err != nil {
				return err
			}
		}
		if q.After = page.Next; page.Next == "" {
			return nil
		}
	}
}
