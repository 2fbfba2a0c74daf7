package mind

import "math"

// Operators of the keystroke-level model in ms. K comes from the persona.
const (
	opPoint  = 1100 // P, when no geometry is known (Card, Moran and Newell 1983)
	opHome   = 400  // H, hand between keyboard and mouse (same)
	opMental = 1350 // M (same; CogTool 1.2 uses 1.2 s)
	opPress  = 100  // B, press or release of a button (same)
	// opAssess is the visual assessment of one label (CogTool-Explorer: 0.275 s).
	opAssess = 275
	// hickMS is b of the Hick–Hyman law in ms per bit [secondary source].
	hickMS = 150
	// fittsMS and tapMS are CogTool's coefficients of Welford's form of
	// Fitts' law for a mouse and for a tap, in ms per bit.
	fittsMS, tapMS, fittsLeast = 100, 75, 100
	// tabMS is one press of Tab and hearing or seeing where the focus went:
	// K plus an assessment.
	tabMS = 475
	// speechWPM is a screen reader's usual rate for people who know it [textbook].
	speechWPM = 300
)

// pointMS is the time to bring the pointer or the finger onto a box from the
// place of the last action. An unsteady hand makes the target effectively
// smaller by twice its endpoint error.
func (t *traits) pointMS(from point, b Box, touch bool) float64 {
	w := math.Max(4, math.Min(b.W, b.H)-2*(t.sigma-2))
	d := math.Hypot(b.X+b.W/2-from.x, b.Y+b.H/2-from.y)
	coefficient := float64(fittsMS)
	if touch {
		coefficient = tapMS
	}
	return math.Max(fittsLeast, coefficient*math.Log2(d/w+0.5)) * t.slow
}

type point struct{ x, y float64 }

func centre(b Box) point { return point{b.X + b.W/2, b.Y + b.H/2} }

// readMS is the time to read so many words.
func (t *traits) readMS(n int) float64 {
	wpm := t.wpm
	if t.reader {
		wpm = math.Max(wpm, speechWPM)
	}
	return float64(n) * 60000 / wpm
}

// typeMS is the time to move to the keyboard and type a text.
func (t *traits) typeMS(chars int) float64 {
	return opHome*t.slow + float64(chars)*t.keyMS
}

// choiceMS is the time to decide among n known options.
func (t *traits) choiceMS(n int) float64 {
	return hickMS * math.Log2(float64(n)+1) * t.slow
}
