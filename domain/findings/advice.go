package findings

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"understudy/domain/walk"
)

// advice is what to do about an issue: the change itself where it can be worked out from
// what was measured, else what its kind always needs.
func advice(o *Observation) string {
	usual := wordsOf(o).suggestion
	switch {
	case o.Kind == LowContrast && strings.HasSuffix(o.Detail, textSize):
		return "It is " + strings.TrimSuffix(o.Detail, textSize) + ". Set what people are to read in 16 px, and nothing they need in less than 12."
	case o.Kind == LowContrast:
		if s := repaint(o.Detail); s != "" {
			return s
		}
	case o.Kind == DeadClick && o.Element != nil && o.Element.Role == "button":
		return "Make it do what it says, and show at once that it does."
	case o.Kind == SmallTarget && strings.HasSuffix(o.Detail, textSize):
		_, words, _ := strings.Cut(o.Detail, withText)
		return "Its words are set in " + strings.TrimSuffix(words, textSize) + ", which is hard to read too. Set them in 16 px, and the target grows with them: at least 24 by 24 CSS px, better 44."
	case o.Kind == SmallTarget && o.Element != nil && o.Element.Box.W > 0:
		size := fmt.Sprintf("It is %.0f × %.0f px", o.Element.Box.W, o.Element.Box.H)
		if min(o.Element.Box.W, o.Element.Box.H) >= leastTarget {
			return size + ", which is enough for steady hands only. Make it at least 44 by 44 CSS px, or leave space around it."
		}
		return size + ". " + usual
	case o.Kind == UnlabelledField && o.Detail == onlyPlaceholder && o.Element != nil && o.Element.Name != "":
		return fmt.Sprintf("Put %s above the field as a label that stays; keep the placeholder for an example, or leave it out.", walk.Quote(clip(o.Element.Name, 60)))
	case o.Kind == MouseOnly && o.Element != nil && o.Element.Name != "":
		return fmt.Sprintf("Make %s a <button>, or a link with an address, so that Tab reaches it and Enter works it.", walk.Quote(clip(o.Element.Name, 60)))
	}
	return usual
}

var painted = regexp.MustCompile(`^(?:([0-9.]+):1, )?#([0-9a-f]{6}) on #([0-9a-f]{6})`)

// aTouch is the part of the way to black or white up to which what is behind a text is
// repainted where the text would have to change more: its brightness may be wanted (an
// assumption).
const aTouch = 0.1

var black, white = [3]float64{}, [3]float64{255, 255, 255}

// repaint is the nearest colour of the same hue with which a text passes WCAG 2.2 1.4.3:
// the text's own, or that of what is behind it. "" where colours are not known.
func repaint(detail string) string {
	m := painted.FindStringSubmatch(detail)
	if m == nil {
		return ""
	}
	ink, paper := colour(m[2]), colour(m[3])
	need, what := leastContrast, "text"
	if isLarge(detail) {
		need, what = leastLarge, "large text"
	}
	text, far := nearest(ink, farther(paper), paper, need)
	ground, near := nearest(paper, farther(ink), ink, need)
	passes := text + " passes"
	if near < min(far, aTouch) {
		passes = "on " + ground + " it passes"
	}
	return fmt.Sprintf("#%s on #%s is %s:1; %s (%g:1 for %s).",
		m[2], m[3], cmp.Or(m[1], fmt.Sprintf("%.1f", contrast(ink, paper))), passes, need, what)
}

// farther is black or white, whichever contrasts more with a colour.
func farther(c [3]float64) [3]float64 {
	if contrast(white, c) > contrast(black, c) {
		return white
	}
	return black
}

// nearest is the first colour on the way from one to black or white that contrasts enough
// with a third, in words, and how much of the way it is; the end of it where none does.
func nearest(from, to, with [3]float64, need float64) (words string, way float64) {
	for way = 0; ; way += 1.0 / 255 {
		var c [3]float64
		for i := range c {
			c[i] = math.Round(from[i] + min(way, 1)*(to[i]-from[i]))
		}
		if way >= 1 || contrast(c, with) >= need {
			words = fmt.Sprintf("#%02x%02x%02x or ", int(c[0]), int(c[1]), int(c[2]))
			if to == white {
				return words + "lighter", way
			}
			return words + "darker", way
		}
	}
}

// colour reads six hexadecimal digits.
func colour(digits string) (c [3]float64) {
	for i := range c {
		v, _ := strconv.ParseUint(digits[2*i:2*i+2], 16, 8) // the pattern has them
		c[i] = float64(v)
	}
	return c
}

// contrast is the ratio of two colours, 1 to 21 (WCAG 2.2, relative luminance).
func contrast(a, b [3]float64) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func luminance(c [3]float64) float64 {
	linear := func(v float64) float64 {
		if v /= 255; v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}
