package runner

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/domain/walk"
)

// checked is a page whose audit is a function.
type checked struct {
	walk.Tab

	audit func() ([]walk.Violation, error)
}

func (c checked) Audit(context.Context) ([]walk.Violation, error) { return c.audit() }

// at is a look at an address.
func at(url string) *walk.Page { return &walk.Page{URL: url} }

func TestAPageIsAuditedOnce(t *testing.T) {
	t.Parallel()
	var book Audits
	var audits atomic.Int32
	page := checked{audit: func() ([]walk.Violation, error) {
		audits.Add(1)
		return []walk.Violation{{Rule: "label", Impact: "critical"}}, nil
	}}
	var visitors sync.WaitGroup
	for range 20 {
		visitors.Go(func() {
			if found, err := book.Of(t.Context(), "test", "desktop", at("/"), page); err != nil || len(found) != 1 {
				t.Errorf("found %v, %v", found, err)
			}
		})
	}
	visitors.Wait()
	if n := audits.Load(); n != 1 {
		t.Errorf("audited %d times", n)
	}
}

func TestAFailedAuditIsTriedAgain(t *testing.T) {
	t.Parallel()
	var book Audits
	fails := errors.New("the page went away")
	if _, err := book.Of(t.Context(), "test", "desktop", at("/"), checked{audit: func() ([]walk.Violation, error) { return nil, fails }}); !errors.Is(err, fails) {
		t.Errorf("failed with %v", err)
	}
	found, err := book.Of(t.Context(), "test", "desktop", at("/"), checked{audit: func() ([]walk.Violation, error) { return []walk.Violation{{Rule: "label"}}, nil }})
	if err != nil || len(found) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
	for i := range maxAudits * 2 {
		if _, err := book.Of(t.Context(), "test", "desktop", at("/"+strconv.Itoa(i)), checked{audit: func() ([]walk.Violation, error) { return nil, nil }}); err != nil {
			t.Fatal(err)
		}
	}
	if len(book.pages) > maxAudits {
		t.Errorf("%d pages are remembered", len(book.pages))
	}
}
