package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"understudy/domain/mind"
)

// maxTabs bounds the tabs of a session; a page that opens more has them closed.
const maxTabs = 6

// Session is one simulated user's browser: a context with its own cookies, its
// tabs, and the record of what happens in them. Its calls are for one goroutine
// at a time, except Close. A call whose context ends closes the session.
type Session struct {
	browser *Browser
	engine  *engine
	device  SessionOptions
	context playwright.BrowserContext
	log     *record

	use   sync.Mutex // one call at a time
	looks int
	seen  map[string]bool // addresses whose pages were watched, see arrive
	// secrets were typed in place of an input's name, in all their forms; the
	// striker takes them out of everything that is told about the page.
	secrets []string
	striker *strings.Replacer

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
	crashed chan struct{}
	once    sync.Once
}

func newSession(ctx context.Context, b *Browser, e *engine, o SessionOptions) (*Session, error) {
	s := &Session{browser: b, engine: e, device: o, log: newRecord(), seen: map[string]bool{}, ended: make(chan struct{})}
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
		c.SetDefaultTimeout(float64(b.cfg.HangLimit.Milliseconds()))
		if err := c.AddInitScript(playwright.Script{Content: playwright.String(quietScript)}); err != nil {
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

// current returns the tab in front.
func (s *Session) current() (*tab, error) {
	s.mu.Lock()
	ending := s.ending
	var front *tab
	if n := len(s.tabs); n > 0 {
		front = s.tabs[n-1]
	}
	s.mu.Unlock()
	if ending == nil && front == nil {
		ending = s.end(ErrPageClosed)
	}
	return front, ending
}

func (s *Session) front() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tabs)
}

// call runs fn, which may block in the driver, and ends the waiting (and the
// session) when ctx ends, the limit passes, the page crashes or the browser is
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
	last := time.Now().Add(limit + 2*s.browser.cfg.NavigationLimit)
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
			if front != nil && !stopped && time.Now().Before(last) {
				if left, coming := s.log.coming(front, s.browser.cfg.NavigationLimit); coming {
					if stopped = left <= 0; stopped {
						s.stopLoading()
						left = pingLimit
					}
					timer.Reset(left)
					continue
				}
			}
			if !s.engine.alive() {
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
	if !s.engine.alive() {
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

// struck stands where a secret was.
const struck = "•••"

// keep remembers a typed secret in the forms in which pages and addresses show
// it, lines and runs of blanks drawn together among them. What has less than
// three bytes is a part of too many words.
func (s *Session) keep(secret string) {
	for _, shown := range []string{secret, strings.Join(strings.Fields(secret), " ")} {
		if len(shown) < 3 {
			continue
		}
		for _, form := range []string{shown, url.QueryEscape(shown), url.PathEscape(shown), formEscape(shown), html.EscapeString(shown)} {
			s.secrets = append(s.secrets, form, lowerEscapes(form))
		}
	}
	slices.SortFunc(s.secrets, func(a, b string) int { // one may hold another
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	s.secrets = slices.Compact(s.secrets)
	var pairs []string
	for _, form := range s.secrets {
		pairs = append(pairs, form, struck)
	}
	s.striker = strings.NewReplacer(pairs...)
}

// strike removes typed secrets from a text.
func (s *Session) strike(text string) string {
	if s.striker == nil {
		return text
	}
	return s.striker.Replace(text)
}

// formEscape is how browsers write a field of a GET form: like QueryEscape, but
// that * stays and ~ does not (WHATWG URL, application/x-www-form-urlencoded).
func formEscape(s string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}

var escapes = regexp.MustCompile(`%[0-9A-F]{2}`)

// lowerEscapes writes the hex digits of percent escapes in lower case.
func lowerEscapes(s string) string { return escapes.ReplaceAllStringFunc(s, strings.ToLower) }

func (s *Session) strikePage(p *mind.Page) {
	if s.striker == nil {
		return
	}
	out := func(said ...*string) {
		for _, text := range said {
			*text = s.strike(*text)
		}
	}
	out(&p.URL, &p.Title)
	for i := range p.Elements {
		e := &p.Elements[i]
		out(&e.Value, &e.Name, &e.Selector, &e.Href, &e.Error, &e.Help, &e.Placeholder, &e.CoveredBy, &e.Group)
		for j := range e.Options {
			out(&e.Options[j])
		}
		for j := range e.Holds {
			out(&e.Holds[j].Name, &e.Holds[j].Selector, &e.Holds[j].Href)
		}
	}
	for i := range p.Texts {
		out(&p.Texts[i].Text)
	}
	for i := range p.Regions {
		out(&p.Regions[i].Heading)
	}
}
