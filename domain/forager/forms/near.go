package forms

import (
	"math"
	"slices"

	"understudy/domain/walk"
)

// find is the first that something is true of, nil for none.
func find[T any](all []*T, is func(*T) bool) *T {
	if at := slices.IndexFunc(all, is); at >= 0 {
		return all[at]
	}
	return nil
}

// best is the one with the highest score above a least, nil for none; the first of
// equals.
func best[T any](all []*T, least float64, score func(*T) float64) (found *T, most float64) {
	most = least
	for _, x := range all {
		if s := score(x); s > most {
			found, most = x, s
		}
	}
	return found, most
}

// near is a score that is the higher the less a distance is.
func near(far float64) float64 { return 1 / (1 + math.Max(0, far)) }

// apart is how far two boxes are from each other in px.
func apart(a, b walk.Box) float64 {
	dx := math.Max(0, math.Max(a.X-b.X-b.W, b.X-a.X-a.W))
	dy := math.Max(0, math.Max(a.Y-b.Y-b.H, b.Y-a.Y-a.H))
	return math.Hypot(dx, dy)
}

// level: two boxes stand on one line.
func level(a, b walk.Box) bool {
	return math.Abs(a.Y+a.H/2-b.Y-b.H/2) <= math.Max(a.H, b.H)/2+2
}
