package runner

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/domain/mind"
)

// checked is a page whose audit is a function.
type checked func() ([]mind.Violation, error)

func (c checked) Audit(context.Context) ([]mind.Violation, error) { return c() }

func TestAPageIsAuditedOnce(t *testing.T) {
	t.Parallel()
	var book auditbook
	var audits atomic.Int32
	page := checked(func() ([]mind.Violation, error) {
		audits.Add(1)
		return []mind.Violation{{Rule: "label", Impact: "critical"}}, nil
	})
	var visitors sync.WaitGroup
	for range 20 {
		visitors.Go(func() {
			if found, err := book.of(t.Context(), "page", page); err != nil || len(found) != 1 {
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
	var book auditbook
	fails := errors.New("the page went away")
	if _, err := book.of(t.Context(), "page", checked(func() ([]mind.Violation, error) { return nil, fails })); !errors.Is(err, fails) {
		t.Errorf("failed with %v", err)
	}
	found, err := book.of(t.Context(), "page", checked(func() ([]mind.Violation, error) { return []mind.Violation{{Rule: "label"}}, nil }))
	if err != nil || len(found) != 1 {
		t.Errorf("found %v, %v", found, err)
	}
	for i := range maxAudits * 2 {
		if _, err := book.of(t.Context(), string(rune(i)), checked(func() ([]mind.Violation, error) { return nil, nil })); err != nil {
			t.Fatal(err)
		}
	}
	if len(book.pages) > maxAudits {
		t.Errorf("%d pages are remembered", len(book.pages))
	}
}
