package persona

import "math"

// reflowWidth is the narrowest layout that pages have to fit, in CSS px: WCAG
// 2.2 SC 1.4.10 (1280 px enlarged four times).
const reflowWidth = 320

// ZoomOn is the persona's browser zoom on a window so many CSS px wide: as much
// as is wished for, but not beyond the layout that pages have to fit. On a
// phone that is little; people enlarge by pinching there, which lays out nothing.
func (f Facets) ZoomOn(width int) float64 {
	wish := f.WithDefaults().Zoom
	return math.Min(wish, math.Max(1, float64(width)/reflowWidth))
}
