package browser

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"
)

// maxTabs bounds the tabs of a session; a page that opens more has them closed.
const maxTabs = 6

// maxSurplus bounds those that are closed for this, one for each action more: a
// page that gets past the blocker (see quietScript) as often has its session
// ended.
const maxSurplus = 12

// Session is one simulated user's browser: a context with its own cookies, its
// tabs, and the record of what happens in them. Its calls are for one goroutine
// at a time, except Close. A call whose context ends closes the session.
type Session struct {
	browser *Browser
	engine  *engine
	device  SessionOptions
	context playwright.BrowserContext
	log     *record
	token   string // names the events by which listenersScript tells the observer

	use   sync.Mutex // one call at a time
	looks int
	seen  map[string]bool // addresses whose pages were watched, see arrive
	// secrets were typed in place of an input's name, in all their forms; the
	// striker takes them out of everything that is told about the page.
	secrets []string
	striker *strings.Replacer
	// regrouped find them where a page writes them its own way.
	regrouped []*regexp.Regexp
	sealed    bool     // some field took a secret: pictures are covered, see mask
	masked    []string // what the secrets look like, see looks
	aimed     aimed    // of the act under way
	// promptly is the part, up to 1, of what the page took to come to rest that an
	// unhurried machine would have taken, as of its last document; 0 where this one was too late to tell.
	promptly float64

	mu     sync.Mutex
	tabs   []*tab // the last is the current one
	ending error  // why the session is closed, nil while it is open
	once   sync.Once
	freed  sync.Once
	ended  chan struct{}
}

// tab is one page with the observer's own world in it.
type tab struct {
	page    playwright.Page
	cdp     playwright.CDPSession
	frame   string
	world   float64
	held    bool // see hold
	token   string
	crashed chan struct{}
	once    sync.Once
}

func newSession(ctx context.Context, b *Browser, e *engine, o SessionOptions) (*Session, error) {
	s := &Session{browser: b, engine: e, device: o, log: newRecord(), token: rand.Text(), seen: map[string]bool{}, promptly: 1, ended: make(chan struct{})}
	err := s.call(ctx, startLimit, func() error {
		c, err := e.chromium.NewContext(o.contextOptions(e.chromium.Version()))
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.context = c
		ending := s.ending
		s.mu.Unlock()
		if ending != nil { // given up while the context was being made
			return errors.Join(ending, c.Close())
		}
		c.SetDefaultTimeout(float64(times(slowest, b.cfg.HangLimit).Milliseconds())) // call ends it sooner
		if err := c.AddInitScript(playwright.Script{Content: playwright.String(quietScript)}); err != nil {
			return err
		}
		listeners := listenersScript + "(" + jsString(s.token) + ");"
		if err := c.AddInitScript(playwright.Script{Content: playwright.String(listeners)}); err != nil {
			return err
		}
		if o.Seed != 0 {
			if err := c.AddInitScript(playwright.Script{Content: playwright.String(o.seedScript())}); err != nil {
				return err
			}
		}
		s.listen(c)
		if _, err := c.NewPage(); err != nil {
			return err
		}
		t, err := s.current()
		if err != nil {
			return err
		}
		return s.attach(t)
	})
	if err != nil {
		_ = s.end(err) // the caller is told of this very error
		return nil, err
	}
	return s, nil
}

// current returns the tab in front. Where there is none, either the page closed
// it or the end of the browser did.
func (s *Session) current() (*tab, error) {
	s.mu.Lock()
	ending := s.ending
	var front *tab
	if n := len(s.tabs); n > 0 {
		front = s.tabs[n-1]
	}
	s.mu.Unlock()
	if ending == nil && front == nil {
		ending = ErrPageClosed
		if !s.engine.alive(&s.browser.pace) {
			ending = ErrBrowserLost
		}
		ending = s.end(ending)
	}
	return front, ending
}

func (s *Session) front() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tabs)
}

// call runs fn, which may block in the driver, and ends the waiting (and the
// session) when ctx ends, the limit (more where the machine is late) passes, the page crashes or the browser is
// lost. fn must end once the context is closed.
func (s *Session) call(ctx context.Context, limit time.Duration, fn func() error) error {
	if err := ctx.Err(); err != nil {
		_ = s.end(err) // the caller is told of its own context
		return err
	}
	var crash chan struct{}
	var front *tab
	s.mu.Lock()
	if n := len(s.tabs); n > 0 {
		front = s.tabs[n-1]
		crash = front.crashed
	}
	ending := s.ending
	s.mu.Unlock()
	if ending != nil {
		return ending
	}
	done := make(chan error, 1)
	go func() { done <- fn() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	began := time.Now()
	for stopped := false; ; {
		select {
		case err := <-done:
			return s.explain(err)
		case <-ctx.Done():
			return s.end(ctx.Err())
		case <-crash:
			return s.end(ErrPageCrashed)
		case <-s.engine.lost:
			return s.end(ErrBrowserLost)
		case <-s.ended:
			return s.reason()
		case <-timer.C:
			// While a document is on its way, Chromium answers nothing about the
			// old one: that is a slow server, not a page that hangs.
			waited := time.Since(began)
			pace := max(s.browser.pace.over(waited), s.browser.pace.crowd(waited))
			if front != nil && !stopped && waited < times(pace, limit+2*s.browser.cfg.NavigationLimit) {
				if left, coming := s.log.coming(front, times(pace, s.browser.cfg.NavigationLimit)); coming {
					if stopped = left <= 0; stopped {
						s.stopLoading()
						began, left = time.Now(), limit // the old page's own time to answer
					}
					timer.Reset(left)
					continue
				}
			}
			if left := times(pace, limit) - waited; left > 0 {
				timer.Reset(left) // the machine was late
				continue
			}
			if !s.engine.alive(&s.browser.pace) {
				return s.end(ErrBrowserLost)
			}
			return s.end(fmt.Errorf("%w: no answer within %s", ErrPageHung, limit))
		}
	}
}

// stopLoading gives up on a document that does not arrive, as a person would who
// presses the browser's stop button. The old page stays.
func (s *Session) stopLoading() {
	s.mu.Lock()
	var cdp playwright.CDPSession
	if n := len(s.tabs); n > 0 {
		cdp = s.tabs[n-1].cdp
	}
	s.mu.Unlock()
	s.log.note(s.log.abandon)
	if cdp != nil {
		go func() { _, _ = cdp.Send("Page.stopLoading", map[string]any{}) }() // its effect shows, or the caller's limit does
	}
}

// explain turns what the driver says into what happened.
func (s *Session) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case crashed(err):
		return s.end(ErrPageCrashed)
	case !gone(err):
		return err
	}
	if reason := s.reason(); reason != nil {
		return reason
	}
	if !s.engine.alive(&s.browser.pace) {
		return s.end(ErrBrowserLost)
	}
	return err // one tab went; the session may have others
}

func (s *Session) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending
}

// end closes the session for a reason, in the background: the first one stays.
func (s *Session) end(reason error) error {
	s.mu.Lock()
	if s.ending == nil {
		s.ending = reason
	}
	reason = s.ending
	s.mu.Unlock()
	s.once.Do(func() {
		close(s.ended)
		go s.closeContext()
	})
	return reason
}

func (s *Session) closeContext() {
	s.mu.Lock()
	c := s.context
	s.mu.Unlock()
	if c == nil || s.engine.isLost() {
		return
	}
	if err := within(stopLimit, func() error { return c.Close() }); errors.Is(err, context.DeadlineExceeded) {
		s.engine.sick.Store(true)
		s.browser.cfg.Logger.Warn("a browser context did not close; its browser takes no new sessions")
	}
}

// Close ends the session and frees its place. It may be called at any time and
// more than once. It waits for the context to be closed, for at most 4 s (not
// at all where a call has ended the session before), then until nobody is
// starting or stopping the browser; the last session of one that is not to be
// used again stops it, which takes up to 12 s.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.ending == nil {
		s.ending = ErrClosed
	}
	s.mu.Unlock()
	s.once.Do(func() {
		close(s.ended)
		s.closeContext()
	})
	s.freed.Do(func() { s.browser.forget(s) })
	return nil
}
