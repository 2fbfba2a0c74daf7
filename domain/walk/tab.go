// Package walk is the one loop of a simulated user on a page: look, decide, act.
// Whoever sends somebody (a session of a test, a session of the sandbox, a replay
// that looks for a cause, a benchmark) gives it a page, a brain and a sink for
// what happens, so that all of them walk alike.
package walk

import (
	"context"

	"understudy/domain/persona"
)

// Tab is what is walked on: a browser's tab or a simulated one. Errors are
// *Fault for what is the page's own, *Interrupted for what is not, or why ctx has
// ended.
type Tab interface {
	Goto(ctx context.Context, url string) (Effect, error)
	// Look perceives the page; selector, unless empty, is one whose visibility
	// is wanted too.
	Look(ctx context.Context, selector string) (Page, error)
	// Act carries out an action; text is what is really typed.
	Act(ctx context.Context, a Action, text string) (Effect, error)
	Screenshot(ctx context.Context) (Picture, error)
	// Audit checks the page against accessibility rules. What cannot be checked
	// has nothing to say against it.
	Audit(ctx context.Context) ([]Violation, error)
	// Relieve takes a barrier out of the page (Relief.OnPage).
	Relieve(ctx context.Context, r Relief) error
	// Withhold keeps the page from sending the requests, by method and address, that
	// again reports: they never reach the network, and effects say so. To be asked before
	// the first Goto. again is called by several goroutines.
	Withhold(ctx context.Context, again func(method, url string) bool) error
	Close() error
}

// Picture is a screenshot; its size is in CSS px.
type Picture struct {
	Data          []byte
	ContentType   string
	Width, Height int
}

// Device is what somebody walks with.
type Device struct {
	// Viewport is desktop, tablet or mobile.
	Viewport string
	Locale   string
	Seed     int64
	// Zoom is the persona's, 1 for none; small screens allow less of it.
	Zoom float64
	// Keyboard: there is no pointer, everything is operated with keys.
	Keyboard bool
	// InputsAt is where inputs may be typed: at the site of the first of these addresses,
	// and at the origins that follow it. None: anywhere.
	InputsAt []string
	// Private are the addresses whose hosts and ports may be reached off the public internet.
	Private []string
}

// DeviceOf is what somebody with these facets walks with.
func DeviceOf(f persona.Facets, viewport, locale string, seed int64) Device {
	return Device{Viewport: viewport, Locale: locale, Seed: seed, Zoom: f.Zoom, Keyboard: f.KeyboardOnly || f.ScreenReader}
}

// Brain decides for a simulated user. It is asked once a step, by one caller.
type Brain interface {
	// Step decides on a look; last is the effect of the decision before, zero
	// for the first.
	Step(ctx context.Context, page Page, last Effect) (Decision, error)
}

// Mind is a brain that needs nothing but the look, such as the embedded one.
type Mind func(page Page, last Effect) Decision

// Step decides on a look.
func (m Mind) Step(ctx context.Context, page Page, last Effect) (Decision, error) {
	return m(page, last), ctx.Err()
}

// Fault is a failure that is the page's own: it hung, crashed, or could not be
// shown.
type Fault struct {
	Code    string
	Message string
}

func (e *Fault) Error() string { return e.Code + ": " + e.Message }

// Interrupted is a failure that is not the page's: the browser died. The walk may
// be begun again.
type Interrupted struct{ Cause error }

func (e *Interrupted) Error() string { return "interrupted: " + e.Cause.Error() }

func (e *Interrupted) Unwrap() error { return e.Cause }
