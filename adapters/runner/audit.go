package runner

import (
	"context"
	"sync"

	"understudy/domain/walk"
)

// maxAudits bounds what is remembered, in pages; when it is full it starts
// anew. A page's rules and selectors are a few KB.
const maxAudits = 512

// Audits remembers what audits found, so that a page is audited once for a test
// and viewport, however many people come by. The zero value is ready for use.
type Audits struct {
	mu    sync.Mutex
	pages map[string]*audit
}

// audit is one that is under way, or what it found once done is closed.
type audit struct {
	done  chan struct{}
	found []walk.Violation
	err   error
}

// Of answers with what an audit of a page found, waiting for one that is under
// way. One that failed is tried again by the next who comes by.
func (b *Audits) Of(ctx context.Context, test, viewport string, look *walk.Page, page walk.Tab) ([]walk.Violation, error) {
	key := test + " " + viewport + " " + walk.StateKey(look)
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
