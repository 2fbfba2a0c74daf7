package client

import (
	"context"
	"iter"
)

// fullPage is the largest page that the service gives.
const fullPage = 100

// Pages walks a list through all its pages. read gives the page at a cursor, the
// first one at nil, with the cursor of the next, "" after the last. It ends with the
// first error.
func Pages[T any](read func(cursor *string) (page []T, next string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var cursor *string
		for {
			page, next, err := read(cursor)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			cursor = &next
		}
	}
}

// Tests walks the tests that the filters of params leave, newest first.
func (c *Client) Tests(ctx context.Context, params ListTestsParams) iter.Seq2[Test, error] {
	return Pages(func(cursor *string) ([]Test, string, error) {
		params.Cursor, params.Limit = cursor, new(fullPage)
		res, err := c.ListTestsWithResponse(ctx, &params)
		if err != nil {
			return nil, "", err
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}

// Sessions walks the sessions of a test in the order of their index.
func (c *Client) Sessions(ctx context.Context, testID string) iter.Seq2[Session, error] {
	return Pages(func(cursor *string) ([]Session, string, error) {
		res, err := c.ListTestSessionsWithResponse(ctx, testID, &ListTestSessionsParams{Cursor: cursor, Limit: new(fullPage)})
		if err != nil {
			return nil, "", err
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	})
}
