package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// pictureQuality is that of a screenshot.
const pictureQuality = 70

// maskTries is how often a picture is taken of a page that moves what has to be covered.
const maskTries = 3

// mask is what a picture may not show, in CSS px of a visual viewport of this width.
type mask struct {
	Width float64      `json:"width"`
	Boxes [][4]float64 `json:"boxes"`
	All   bool         `json:"all"`
}

// discreet takes a picture in which everything is covered that shows a typed secret, or
// may: the places are asked for before and after, and have to be the same.
func (s *Session) discreet(t *tab) ([]byte, error) {
	question := "mask(" + jsStrings(s.masked) + ")"
	var picture []byte
	var before, after mask
	for try := 0; ; try++ {
		if err := t.ask(question, &before); err != nil {
			return nil, err
		}
		var err error
		if picture, err = s.capture(t); err != nil {
			return nil, err
		}
		if err := t.ask(question, &after); err != nil {
			return nil, err
		}
		if slices.Equal(before.Boxes, after.Boxes) && before.Width == after.Width {
			break
		}
		if try == maskTries-1 {
			after.All = true
			break
		}
	}
	if !after.All && !before.All && len(after.Boxes) == 0 {
		return picture, nil
	}
	return cover(picture, after.Width, after.Boxes, after.All || before.All)
}

// grain is the side of the squares in which a JPEG keeps its colours: what is covered
// leaves no trace in what is not.
const grain = 16

// cover paints boxes of a page of some width in CSS px, or all of it, over its picture.
func cover(picture []byte, width float64, boxes [][4]float64, all bool) ([]byte, error) {
	decoded, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("read the picture: %w", err)
	}
	shown, ok := decoded.(*image.YCbCr)
	if !ok || width < 1 {
		return nil, fmt.Errorf("cover a picture of %T, %g px of a page", decoded, width)
	}
	bounds := shown.Bounds()
	scale := float64(bounds.Dx()) / width
	if all {
		blot(shown, bounds)
	}
	// snap moves a place to the side of a grain, one far off the picture to just behind its edge.
	snap := func(place float64, length int, round func(float64) float64) int {
		return int(max(0, min(round(place/grain), float64(length/grain+1)))) * grain
	}
	for _, b := range boxes {
		blot(shown, image.Rect(
			snap(b[0]*scale-2, bounds.Dx(), math.Floor), snap(b[1]*scale-2, bounds.Dy(), math.Floor),
			snap((b[0]+b[2])*scale+2, bounds.Dx(), math.Ceil), snap((b[1]+b[3])*scale+2, bounds.Dy(), math.Ceil),
		).Intersect(bounds))
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: pictureQuality}); err != nil {
		return nil, fmt.Errorf("write the picture: %w", err)
	}
	return out.Bytes(), nil
}

// blot paints a part of a picture grey.
func blot(p *image.YCbCr, r image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p.Y[p.YOffset(x, y)] = 150
			c := p.COffset(x, y)
			p.Cb[c], p.Cr[c] = 128, 128
		}
	}
}

// looks are what a secret looks like where a page shows it, as regular expressions of
// scripts: split among elements, and a long one with blanks in it.
func looks(secret string) []string {
	between := ""
	if utf8.RuneCountInString(secret) >= leastRegrouped {
		between = `\s*`
	}
	var words []string
	for _, word := range strings.Fields(secret) {
		var signs []string
		for _, r := range word {
			signs = append(signs, regexp.QuoteMeta(string(r)))
		}
		words = append(words, strings.Join(signs, between))
	}
	return []string{strings.Join(words, `\s*`)}
}
