package sites

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// colour is an opaque sRGB colour, each channel from 0 to 255.
type colour [3]float64

var white = colour{255, 255, 255}

func parseColour(s string) (colour, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return colour{}, fmt.Errorf("%q is not a colour of the form #rrggbb", s)
	}
	return colour{float64(n >> 16), float64(n >> 8 & 255), float64(n & 255)}, nil
}

// String is the colour as CSS writes it, channels rounded.
func (c colour) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// luminance is the relative luminance of WCAG 2.2, from 0 to 1.
// https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
func (c colour) luminance() float64 {
	var linear [3]float64
	for i, v := range c {
		if v /= 255; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}

// contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
// https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
func contrast(a, b colour) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func mix(a, b colour, share float64) (out colour) {
	for i := range out {
		out[i] = a[i] + (b[i]-a[i])*share
	}
	return out
}

// inkOn is a text colour that has the wanted contrast ratio with a background:
// the background itself, moved towards black or, on dark ones, towards white.
// Where neither reaches the ratio it is the one of the two that comes nearer.
func inkOn(background colour, ratio float64) colour {
	end := colour{}
	if contrast(background, white) > contrast(background, end) {
		end = white
	}
	low, high := 0.0, 1.0
	for range 40 { // each halves the interval: far below one step of a channel
		mid := (low + high) / 2
		if contrast(mix(background, end, mid), background) < ratio {
			low = mid
		} else {
			high = mid
		}
	}
	return mix(background, end, high)
}
