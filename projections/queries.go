package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	quick "github.com/segmentio/encoding/json"

	"understudy/domain"
)

// Querier is a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Owner is who may see a resource: an organization in one environment.
type Owner struct {
	OrganizationID string
	Environment    domain.Environment
}

// Document is a stored answer, with the revision of its stream: JSON ready to
// send, of a T.
type Document[T any] struct {
	ID string
	// JSON is read as bytes: pgx would parse a json.RawMessage once more, and
	// Postgres has.
	JSON     json.RawMessage
	Revision uint64
}

// Made is the document of a value that is not stored as one.
func Made[T any](id string, value T, revision uint64) (Document[T], error) {
	doc, err := json.Marshal(value)
	return Document[T]{ID: id, JSON: doc, Revision: revision}, err
}

// Decode is what the document says. Its texts are parts of JSON, which nobody
// changes. encoding/json would take three times as long.
func (d Document[T]) Decode() (value T, err error) {
	if _, err = quick.Parse(d.JSON, &value, quick.ZeroCopy|quick.DontMatchCaseInsensitiveStructFields); err != nil {
		err = fmt.Errorf("stored document %s: %w", d.ID, err)
	}
	return value, err
}

// Get reads one document of an owner from a qualified table. What belongs to
// somebody else is not found.
func Get[T any](ctx context.Context, q Querier, table, column, id string, owner Owner) (Document[T], error) {
	d := Document[T]{ID: id}
	var revision int64
	err := q.QueryRow(ctx, `SELECT `+column+`, revision FROM `+table+`
		WHERE id = $1 AND organization_id = $2 AND environment = $3`,
		id, owner.OrganizationID, string(owner.Environment)).Scan((*[]byte)(&d.JSON), &revision)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, NotFound(id)
	}
	d.Revision = uint64(revision)
	return d, err
}

// NotFound is the refusal of an id that is not there or somebody else's.
func NotFound(id string) error {
	return domain.Refuse(domain.CodeNotFound, "there is no %s here", id)
}

// Filter is one condition of a list: a fragment of SQL with one "?".
type Filter struct {
	Condition string
	Value     any
}

// IfGiven is a condition that an empty text, or a zero time, does not narrow the
// list by.
func IfGiven[T comparable](condition string, value T) Filter {
	var none T
	if value == none {
		return Filter{}
	}
	return Filter{condition, value}
}

// Created narrows a list by when things were created; zero times do not.
type Created struct{ After, Before time.Time }

// In are the conditions on a column, or expression, that tells when that was.
func (c Created) In(column string) []Filter {
	return []Filter{IfGiven(column+" > ?", c.After), IfGiven(column+" < ?", c.Before)}
}

// Order is how a list is sorted: by a column that is unique among what the
// filters leave, newest first unless Ascending.
type Order struct {
	Column    string
	Ascending bool
}

// List reads a page of documents after the one whose order column is after
// (nil for the first page). It reads one more than limit to know of a next.
func List[T any](ctx context.Context, q Querier, table, column string, filters []Filter, order Order, after any, limit int) (docs []Document[T], last any, more bool, err error) {
	compare, direction := "<", "DESC"
	if order.Ascending {
		compare, direction = ">", "ASC"
	}
	if after != nil {
		filters = append(filters[:len(filters):len(filters)], Filter{order.Column + " " + compare + " ?", after})
	}
	where, args := conditions(filters)
	args = append(args, limit+1)
	sql := `SELECT id, ` + column + `, revision, ` + order.Column + ` FROM ` + table + where +
		fmt.Sprintf(` ORDER BY %s %s LIMIT $%d`, order.Column, direction, len(args))
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, nil, false, err
	}
	defer rows.Close()
	for rows.Next() {
		if len(docs) == limit {
			more = true
			break
		}
		var d Document[T]
		var revision int64
		var key any
		if err := rows.Scan(&d.ID, (*[]byte)(&d.JSON), &revision, &key); err != nil {
			return nil, nil, false, err
		}
		d.Revision = uint64(revision)
		docs, last = append(docs, d), key
	}
	return docs, last, more, rows.Err()
}

// conditions is the WHERE clause of filters, with its arguments.
func conditions(filters []Filter) (clause string, args []any) {
	var where []string
	for _, f := range filters {
		if f.Condition == "" {
			continue
		}
		args = append(args, f.Value)
		where = append(where, strings.Replace(f.Condition, "?", fmt.Sprintf("$%d", len(args)), 1))
	}
	return ` WHERE ` + strings.Join(where, " AND "), args
}

// CountOwned counts an owner's rows.
func CountOwned(ctx context.Context, q Querier, table string, owner Owner, filters ...Filter) (n int, err error) {
	where, args := conditions(append(filters,
		Filter{"organization_id = ?", owner.OrganizationID}, Filter{"environment = ?", string(owner.Environment)}))
	err = q.QueryRow(ctx, `SELECT count(*) FROM `+table+where, args...).Scan(&n)
	return n, err
}

// ListOwned reads a page of an owner's documents, newest first, after the one
// with the id after, "" for the first page.
func ListOwned[T any](ctx context.Context, q Querier, table string, owner Owner, after string, limit int, filters ...Filter) (docs []Document[T], more bool, err error) {
	filters = append(filters,
		Filter{"organization_id = ?", owner.OrganizationID}, Filter{"environment = ?", string(owner.Environment)}, IfGiven("id < ?", after))
	docs, _, more, err = List[T](ctx, q, table, "doc", filters, Order{Column: "id"}, nil, limit)
	return docs, more, err
}
