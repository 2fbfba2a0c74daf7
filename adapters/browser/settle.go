package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"understudy/domain/walk"
)

const (
	// quiet is how long nothing may change before a page counts as at rest.
	quiet = 150 * time.Millisecond
	// calm is how long that is after an action to which a page answers at once or
	// not at all, when it has changed nothing but its own field: three frames.
	calm = 50 * time.Millisecond
	// settleLimit bounds the wait for a page that never rests.
	settleLimit = 3 * time.Second
	// starting is how long what can be scrolled may take to begin to move.
	starting = 600 * time.Millisecond
	// dwell is how long a page that is seen for the first time is watched after it
	// has loaded. People read for some seconds before they act, in simulated time;
	// what a page does meanwhile (late banners, content that jumps) would never be
	// met if the walk went on at once. Layout shifts within the first second after
	// loading are the common ones (an assumption).
	dwell = time.Second
	// dwellLimit bounds the watching, loading and coming to rest again included.
	dwellLimit = 1500 * time.Millisecond
	// maxVisits bounds the documents that may follow each other after one action:
	// as many as the redirects of one request that Chromium follows
	// (net::URLRequest::kMaxRedirects, 20).
	maxVisits = 20
)

// restState is what the observer says about the changes since begin.
type restState struct {
	Changed  bool   `json:"changed"`
	Scrolled bool   `json:"scrolled"`
	Ready    string `json:"ready"`
}

// begin starts a new effect in the page and in the record.
func (s *Session) begin(ctx context.Context, t *tab) error {
	s.log.begin()
	if err := s.free(ctx, t); err != nil {
		return err
	}
	var nothing struct{}
	pace := max(s.browser.Pace(), s.browser.pace.crowd(recent)) // to move is work
	return s.askSteady(ctx, t, fmt.Sprintf("begin(%d)", times(pace, starting).Milliseconds()), &nothing)
}

// steadyTries is how often a question is put to a page that moves on by itself.
const steadyTries = 4

// askSteady asks a tab, and again at its next rest if it moved on meanwhile.
func (s *Session) askSteady(ctx context.Context, t *tab, question string, answer any) error {
	for tries := 1; ; tries++ {
		err := s.ask(ctx, t, question, answer)
		if err == nil || !moved(err) || tries == steadyTries {
			return err
		}
		if _, err := s.settle(ctx, quiet, false); err != nil {
			return err
		}
	}
}

// settle waits until the page in front is at rest: its document has arrived, no
// request of its scripts is under way and nothing has changed for a while:
// untouched, or quiet once something has. A page that does not come to rest is
// left after settleLimit, a document that does not arrive after
// Config.NavigationLimit; all times are longer while the machine is late (pace).
func (s *Session) settle(ctx context.Context, untouched time.Duration, load bool) (restState, error) {
	start := time.Now()
	scaled := func(wait time.Duration) time.Duration { return times(s.browser.pace.since(start), wait) }
	limit := func() time.Duration { return scaled(s.browser.cfg.NavigationLimit) }
	lasts := func() bool { return time.Since(start) < limit()+scaled(settleLimit) }
	var rest restState
	told := false // the browser has told all that it had to when the page was at rest
	for lasts() { // some pages reload for ever
		for lasts() { // nothing can be asked while a document is on its way
			t, err := s.current()
			if err != nil {
				return rest, err
			}
			if err := s.hold(ctx, t); err != nil {
				return rest, err
			}
			left, coming := s.log.coming(t, limit())
			if !coming {
				break
			}
			if left <= 0 {
				s.stopLoading()
				break
			}
			if err := s.waitForNews(ctx, min(left, recent)); err != nil { // then less may be left
				return rest, err
			}
		}
		t, err := s.current()
		if err != nil {
			return rest, err
		}
		bound, quiet := scaled(settleLimit), scaled(quiet)
		left := max(bound-time.Since(start), quiet)
		var now restState
		err = s.ask(ctx, t, fmt.Sprintf("settle(%d, %d, %d, %t)", quiet.Milliseconds(), scaled(untouched).Milliseconds(), left.Milliseconds(), load), &now)
		switch {
		case err == nil:
			rest.Changed = rest.Changed || now.Changed
			rest.Scrolled = rest.Scrolled || now.Scrolled
		case s.reason() != nil:
			return rest, err
		case !gone(err) && !moved(err):
			return rest, err
		}
		over := time.Since(start) >= bound
		if front, err := s.current(); err != nil || front != t {
			if err != nil || over {
				return rest, err
			}
			continue // a tab came or went: look at the one in front now
		}
		if _, coming := s.log.coming(t, limit()); coming || err != nil && moved(err) {
			continue // to the next document
		}
		fetches := s.log.pending()
		if !over && fetches == 0 && err == nil && !rest.Changed && !told {
			told = true
			if err := s.hear(ctx, t); s.lost(err) {
				return rest, err
			}
			if _, coming := s.log.coming(t, limit()); coming || s.log.pending() > 0 {
				continue
			}
		}
		if over || (fetches == 0 && err == nil) {
			return rest, nil
		}
		wait := bound - time.Since(start)
		if fetches == 0 {
			wait = min(wait, quiet) // the tab is going; its end is still to be told
		}
		if err := s.waitForNews(ctx, wait); err != nil {
			return rest, err
		}
	}
	return rest, nil
}

// hear asks the browser something small, and so has heard all that it did before.
// A page answers for itself: on a busy machine it can say that nothing has changed
// since a click while the browser has yet to begin the navigation that the click
// asked for, and the click would pass for one that does nothing.
func (s *Session) hear(ctx context.Context, t *tab) error {
	return s.input(ctx, func() error {
		_, err := t.cdp.Send("Page.getNavigationHistory", map[string]any{})
		return err
	})
}

// arrive waits for the page in front to rest, and where it is seen for the first
// time watches it for a while (dwell). It tells how long the page took to rest.
func (s *Session) arrive(ctx context.Context, untouched time.Duration, load bool, start begun) (restState, waited, error) {
	rest, err := s.settle(ctx, untouched, load)
	s.log.rested()
	took := s.engine.since(start)
	if err != nil {
		return rest, took, err
	}
	t, err := s.current()
	if err != nil {
		return rest, took, err
	}
	address := bare(s.address(t))
	if s.seen[address] || !strings.HasPrefix(address, "http") {
		return rest, took, nil
	}
	s.seen[address] = true
	var now restState
	pace := s.browser.Pace()
	err = s.ask(ctx, t, fmt.Sprintf("linger(%d, %d, %d)", times(pace, dwell).Milliseconds(), times(pace, quiet).Milliseconds(), times(pace, dwellLimit).Milliseconds()), &now)
	if err != nil && (s.reason() != nil || !gone(err) && !moved(err)) {
		return rest, took, err
	}
	if err != nil || s.log.underWay() { // it has moved on by itself
		now, err = s.settle(ctx, quiet, load)
		took = s.engine.since(start)
	}
	rest.Changed = rest.Changed || now.Changed
	rest.Scrolled = rest.Scrolled || now.Scrolled
	return rest, took, err
}

// circling says that the documents of a tab send each other on without end.
func (r *record) circling(t *tab) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.held && len(r.visits) > 0 && r.visits[t.page.MainFrame()] > maxVisits
}

// hold keeps a tab that goes in circles on the document that it shows, as a
// browser does that has had enough of a redirect loop: where the page wants to
// go next is refused, until the next action.
func (s *Session) hold(ctx context.Context, t *tab) error {
	if !s.log.circling(t) {
		return nil
	}
	err := s.input(ctx, func() error {
		return t.page.Route("**/*", func(r playwright.Route) {
			go func() { // an answer that fails means that the page has gone
				if s.mainDocument(r.Request()) {
					_ = r.Abort("aborted") // any other reason puts an error page in its place
				} else {
					_ = r.Fallback() // to what Withhold says
				}
			}()
		})
	})
	if s.lost(err) {
		return err
	}
	t.held = true
	s.log.note(func() {
		s.log.held = true
		if d := s.log.shown[t.page.MainFrame()]; d != nil {
			d.netError = "ERR_TOO_MANY_REDIRECTS"
		}
		clear(s.log.documents)
	})
	return nil
}

// free lets a tab that is held move on.
func (s *Session) free(ctx context.Context, t *tab) error {
	if !t.held {
		return nil
	}
	t.held = false
	return s.input(ctx, func() error { return t.page.UnrouteAll() })
}

// waitForNews waits until the record changes, or for a while at most.
func (s *Session) waitForNews(ctx context.Context, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-s.log.changed:
		return nil
	case <-timer.C:
		return nil
	case <-s.engine.lost:
		return s.end(ErrBrowserLost)
	case <-s.ended:
		return s.reason()
	case <-ctx.Done():
		return s.end(ctx.Err())
	}
}

// effect sums up what happened since begin, with the answer to a tab's request
// for a document; of how long the page took to rest, what the machine was late is left
// out.
func (s *Session) effect(rest restState, wait waited, before string, asked *tab) walk.Effect {
	pace := s.browser.pace.over(wait.took)
	e := walk.Effect{
		Mutated:  rest.Changed,
		Scrolled: rest.Scrolled,
		Late:     wait.late(pace),
	}
	if t, err := s.current(); err == nil {
		e.URL = s.address(t)
	}
	d := s.log.documentIn(asked)
	r := s.log
	r.mu.Lock()
	defer r.mu.Unlock()
	wait.served = r.answeredIn()
	e.SettleMS = int(wait.unhurried(pace, s.browser.pace.share(wait.took)).Milliseconds())
	e.Mutated = e.Mutated || r.reframed
	e.Navigated = (r.navigated || before != "" && e.URL != before) && (d.asked || !toNowhere(before, e.URL))
	e.NewTab, e.Download, e.Withheld = r.newTab, r.download, r.withheld
	if e.Navigated && d.asked {
		e.Status = d.status
		s.promptly = float64(e.SettleMS) / float64(max(1, e.SettleMS, int(wait.took.Milliseconds())))
	}
	e.NetError = d.netError
	if name, refused := egressNames[d.egress]; refused {
		e.NetError, e.Status = name, 0 // the answer was our proxy's, not the site's
	}
	if e.NetError != "" {
		e.Navigated = true // away from the page, to where there is none
	}
	e.Requests = append([]walk.Request(nil), r.requests...)
	for i := range e.Requests {
		e.Requests[i].URL = s.strike(e.Requests[i].URL)
	}
	for _, text := range r.errors {
		e.Errors = append(e.Errors, s.strike(text))
	}
	for _, text := range r.console {
		e.Console = append(e.Console, s.strike(text))
	}
	for _, text := range r.dialogs {
		e.Dialogs = append(e.Dialogs, s.strike(text))
	}
	e.URL = s.strike(e.URL)
	return e
}

// toNowhere: the addresses differ at most in a fragment that names no part of
// the page ("#", "#!"), as links without a destination have it. Such a page is
// where it was.
func toNowhere(before, after string) bool {
	from, part, _ := strings.Cut(before, "#")
	to, other, _ := strings.Cut(after, "#")
	return before+after != from+to && from == to && strings.Trim(part+other, "!") == ""
}

// address is where a tab is, as its page is told it: without a user name and password; for a
// page that could not be loaded, where it wanted to go rather than Chromium's own error page.
func (s *Session) address(t *tab) string {
	address := t.page.URL()
	if strings.HasPrefix(address, "chrome-error:") {
		address = s.log.documentIn(t).address
	}
	return unnamed(address)
}

// lost reports whether an error ended the session, as opposed to one action.
func (s *Session) lost(err error) bool {
	return err != nil && (s.reason() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}
