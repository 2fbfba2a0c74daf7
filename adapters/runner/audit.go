package runner

import (
	"context"
	"sync"

	"understudy/domain/mind"
)

// Auditor is a Page that can be checked against accessibility rules. What
// cannot be checked has nothing to say against it.
type Auditor interface {
	Audit(ctx context.Context) ([]mind.Violation, error)
}

// maxAudits bounds what is remembered, in pages; when it is full it starts
// anew. A page's rules and selectors are a few KB.
const maxAudits = 512

// auditbook remembers what audits found, so that a page is audited once for a
// test and viewport, however many people come by.
type auditbook struct {
	mu    sync.Mutex
	pages map[string]*audit
}

// audit is one that is under way, or what it found once done is closed.
type audit struct {
	done  chan struct{}
	found []mind.Violation
	err   error
}

// of answers with what an audit of a page found, waiting for one that is under
// way. One that failed is tried again by the next who comes by.
func (b *auditbook) of(ctx context.Context, key string, page Auditor) ([]mind.Violation, error) {
	b.mu.Lock()
	a, known := b.pages[key]
	if !known {
		if b.pages == nil || len(b.pages) >= maxAudits {
			b.pages = map[string]*audit{}
		}
		a = &audit{done: make(chan struct{})}
		b.pages[key] = a
	}
	b.mu.Unlock()
	if known {
		select {
		case <-a.done:
			return a.found, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	a.found, a.err = page.Audit(ctx)
	if a.err != nil {
		b.mu.Lock()
		if b.pages[key] == a {
			delete(b.pages, key)
		}
		b.mu.Unlock()
	}
	close(a.done)
	return a.found, a.err
}

// audited is what an audit says of the page that is being looked at. It neither
// changes the walk nor stops it: without an answer there is no evidence.
func (w *walker) audited(ctx context.Context, page Page, look *mind.Page) []mind.Violation {
	auditor, ok := page.(Auditor)
	if !ok {
		return nil
	}
	key := w.test.TestID + " " + w.session.Viewport + " " + mind.StateKey(look)
	found, err := w.r.audits.of(ctx, key, auditor)
	if err != nil {
		w.r.Logger.Debug("page was not audited", "session", w.session.SessionID, "error", err)
	}
	return found
}
