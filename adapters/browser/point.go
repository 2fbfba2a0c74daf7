package browser

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/playwright-community/playwright-go"
)

// keyless is why somebody without a pointer cannot do something.
const keyless = cannot("cannot be reached with the keyboard")

// dragSteps are the places that a dragged thing passes on its way: enough for
// pages that follow the movement, at a millisecond or two each.
const dragSteps = 12

// touches says that the device has fingers in place of a pointer.
func (s *Session) touches() bool { return devices[s.device.Viewport].touch }

// aimed is what came of pointing at elements during an act.
type aimed struct {
	at     bool
	missed string
	moved  bool
}

// aim brings an element into view and finds a place to point at where it lies on
// top. Keys need none.
func (s *Session) aim(ctx context.Context, t *tab, ref string) (target, error) {
	var at target
	if err := s.ask(ctx, t, "aim("+jsString(ref)+")", &at); err != nil {
		return at, err
	}
	if at.Gone {
		return at, notThere
	}
	s.aimed.moved = s.aimed.moved || at.Moved
	return at, s.meet(at)
}

// meet notes whether what was aimed at is reached.
func (s *Session) meet(at target) error {
	if s.device.KeyboardOnly {
		at.Missed = ""
	}
	s.aimed.at, s.aimed.missed = at.Missed == "", at.Missed
	if at.Missed != "" {
		return cannot("something else is in front of it: " + at.Missed)
	}
	return nil
}

func (s *Session) click(ctx context.Context, t *tab, ref string) error {
	at, err := s.aim(ctx, t, ref)
	if err != nil {
		return err
	}
	// The browser's own widgets open outside the page; what counts is the choice.
	if at.Tag == "select" || at.Type == "file" || at.Type == "color" {
		var state target
		return s.ask(ctx, t, "focus("+jsString(ref)+")", &state)
	}
	return s.operate(ctx, t, ref, at)
}

// mouse clicks on an element in a way that only a mouse can.
func (s *Session) mouse(ctx context.Context, t *tab, ref string, how playwright.MouseClickOptions) error {
	if s.device.KeyboardOnly || s.touches() {
		return cannot("that takes a mouse")
	}
	at, err := s.aim(ctx, t, ref)
	if err != nil {
		return err
	}
	return s.point(ctx, t, ref, at, how)
}

// operate clicks or taps on an element, or presses its key where there is no
// pointer.
func (s *Session) operate(ctx context.Context, t *tab, ref string, at target) error {
	if !s.device.KeyboardOnly {
		return s.point(ctx, t, ref, at)
	}
	if err := s.tabTo(ctx, t, ref); err != nil {
		return err
	}
	return s.input(ctx, func() error { return t.page.Keyboard().Press(at.Key) })
}

// reach puts the cursor into a field.
func (s *Session) reach(ctx context.Context, t *tab, ref string, at target) error {
	if s.device.KeyboardOnly {
		return s.tabTo(ctx, t, ref)
	}
	return s.point(ctx, t, ref, at)
}

func (s *Session) tabTo(ctx context.Context, t *tab, ref string) error {
	var at target
	if err := s.ask(ctx, t, "tab("+jsString(ref)+")", &at); err != nil {
		return err
	}
	switch {
	case at.Gone:
		return notThere
	case at.Disabled:
		return cannot("the element is disabled")
	case at.Keyless:
		return keyless
	}
	s.aimed.at = true
	return nil
}

// point moves the mouse to an element and clicks, or taps it with a finger. What
// shows only when it is pointed at may lie over it then: it is aimed at anew, and
// left alone where nothing of it can be reached any more.
func (s *Session) point(ctx context.Context, t *tab, ref string, at target, how ...playwright.MouseClickOptions) error {
	if s.touches() {
		return s.input(ctx, func() error {
			return t.page.Touchscreen().Tap(int(math.Round(at.X)), int(math.Round(at.Y)))
		})
	}
	for again := false; ; again = true {
		if err := s.input(ctx, func() error { return t.page.Mouse().Move(at.X, at.Y) }); err != nil {
			return err
		}
		var now target
		if err := s.ask(ctx, t, fmt.Sprintf("meets(%s, %g, %g)", jsString(ref), at.X, at.Y), &now); err != nil {
			return err
		}
		switch {
		case now.Gone:
			return notThere
		case now.Missed == "":
			return s.pressAt(ctx, t, at, how...)
		case again:
			return s.meet(now)
		}
		var err error
		if at, err = s.aim(ctx, t, ref); err != nil {
			return err
		}
	}
}

// pressAt clicks where the mouse is. Of several options people choose one more
// with the control key held down.
func (s *Session) pressAt(ctx context.Context, t *tab, at target, how ...playwright.MouseClickOptions) error {
	return s.input(ctx, func() error {
		if !at.Adds || len(how) > 0 {
			return t.page.Mouse().Click(at.X, at.Y, how...)
		}
		if err := t.page.Keyboard().Down("Control"); err != nil {
			return err
		}
		err := t.page.Mouse().Click(at.X, at.Y)
		return errors.Join(err, t.page.Keyboard().Up("Control"))
	})
}

// hover points at an element and stays there. Without a pointer the cursor goes
// there; a finger cannot point, but a tap shows what pointing would, unless it
// follows a link.
func (s *Session) hover(ctx context.Context, t *tab, ref string) error {
	if s.device.KeyboardOnly {
		return s.tabTo(ctx, t, ref)
	}
	at, err := s.aim(ctx, t, ref)
	if err != nil {
		return err
	}
	if s.touches() {
		if at.Link {
			return cannot("a finger cannot point at it without following it")
		}
		return s.point(ctx, t, ref, at)
	}
	return s.input(ctx, func() error { return t.page.Mouse().Move(at.X, at.Y) })
}

// drag moves an element onto another one with the button held down.
func (s *Session) drag(ctx context.Context, t *tab, ref, onto string) error {
	if s.device.KeyboardOnly {
		return cannot("cannot be dragged with the keyboard")
	}
	to, err := s.aim(ctx, t, onto)
	if err != nil {
		return err
	}
	from, err := s.aim(ctx, t, ref)
	if err != nil {
		return err
	}
	// Bringing the first into view may have moved the second.
	if err := s.ask(ctx, t, "where("+jsString(onto)+")", &to); err != nil {
		return err
	}
	size := t.page.ViewportSize()
	if to.X < 0 || to.Y < 0 || to.X >= float64(size.Width) || to.Y >= float64(size.Height) {
		return cannot("the two places are not in view at the same time")
	}
	return s.input(ctx, func() error {
		if s.touches() {
			return t.swipe(from, to)
		}
		mouse := t.page.Mouse()
		if err := mouse.Move(from.X, from.Y); err != nil {
			return err
		}
		if err := mouse.Down(); err != nil {
			return err
		}
		if err := mouse.Move(to.X, to.Y, playwright.MouseMoveOptions{Steps: playwright.Int(dragSteps)}); err != nil {
			return err
		}
		return mouse.Up()
	})
}

// swipe drags with a finger.
func (t *tab) swipe(from, to target) error {
	touch := func(kind string, points ...map[string]any) error {
		if points == nil {
			points = []map[string]any{}
		}
		_, err := t.cdp.Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points})
		return err
	}
	if err := touch("touchStart", map[string]any{"x": from.X, "y": from.Y}); err != nil {
		return err
	}
	for i := 1; i <= dragSteps; i++ {
		k := float64(i) / dragSteps
		at := map[string]any{"x": from.X + (to.X-from.X)*k, "y": from.Y + (to.Y-from.Y)*k}
		if err := touch("touchMove", at); err != nil {
			return err
		}
	}
	return touch("touchEnd")
}
