package browser

import (
	"context"
	"fmt"
)

// maxTurns bounds the turns of the wheel that bring an element into view: with
// one window's height each, a page of 40,000 px at the least.
const maxTurns = 60

// wheel is how to turn the wheel, as the observer says.
type wheel struct {
	Gone bool    `json:"gone"`
	Done bool    `json:"done"`
	Turn bool    `json:"turn"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	DX   float64 `json:"dx"`
	DY   float64 `json:"dy"`
}

// scroll brings an element into view, or goes "up" or "down" by the height of
// the box that the element is scrolled in; without one, of the window.
func (s *Session) scroll(ctx context.Context, t *tab, ref, direction string) error {
	way := 1
	if direction == "up" {
		way = -1
	}
	switch {
	case ref == "":
		return s.leaf(ctx, t, way)
	case direction == "":
		return s.seek(ctx, t, ref)
	}
	var w wheel
	if err := s.ask(ctx, t, fmt.Sprintf("leaf(%s, %d)", jsString(ref), way), &w); err != nil {
		return err
	}
	switch {
	case w.Gone:
		return notThere
	case w.Done:
		return s.leaf(ctx, t, way)
	}
	return s.spin(ctx, t, w)
}

// leaf turns the wheel over the middle of the window by its height.
func (s *Session) leaf(ctx context.Context, t *tab, way int) error {
	size := t.page.ViewportSize()
	var nothing struct{}
	if err := s.ask(ctx, t, fmt.Sprintf("turned(%d)", way), &nothing); err != nil {
		return err
	}
	return s.spin(ctx, t, wheel{
		Turn: true, X: float64(size.Width) / 2, Y: float64(size.Height) / 2, DY: float64(way * size.Height),
	})
}

// seek turns the wheel until an element is in view.
func (s *Session) seek(ctx context.Context, t *tab, ref string) error {
	for i := range maxTurns {
		var w wheel
		if err := s.ask(ctx, t, fmt.Sprintf("seek(%s, %t)", jsString(ref), i == 0), &w); err != nil {
			return err
		}
		switch {
		case w.Gone:
			return notThere
		case w.Done:
			return nil
		}
		if err := s.spin(ctx, t, w); err != nil {
			return err
		}
	}
	return nil
}

// spin turns the wheel over a place.
func (s *Session) spin(ctx context.Context, t *tab, w wheel) error {
	if !w.Turn {
		return nil // the box was moved by its bar
	}
	return s.input(ctx, func() error {
		if err := t.page.Mouse().Move(w.X, w.Y); err != nil {
			return err
		}
		return t.page.Mouse().Wheel(w.DX, w.DY)
	})
}
