package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"math"
	"strconv"
	"strings"

	scale "golang.org/x/image/draw"
)

// Bounds of what is annotated: larger pictures are refused before they are
// decoded. A full HD viewport at zoom 4 is 33 megapixels.
const (
	maxPictureBytes  = 16 << 20
	maxPicturePixels = 36 << 20
	// annotateAtOnce bounds the memory for decoded pictures, each of up to
	// maxPicturePixels × 4 bytes; a viewport of 1280 × 800 takes 4 MB.
	annotateAtOnce = 2
	// annotatedQuality keeps text readable; screenshots themselves have 70.
	annotatedQuality = 80
)

// mark is a box on a screenshot, as addresses carry it: in CSS px relative to
// the top left of a viewport that is width px wide. near: the picture is cut to
// what is around the box.
type mark struct {
	x, y, w, h, width int
	near              bool
}

// maxCoordinate bounds the numbers of a mark, in CSS px.
const maxCoordinate = 1 << 20

// markOf rounds a box outwards. ok is false for what cannot be shown.
func markOf(x, y, w, h float64, width int) (m mark, ok bool) {
	if width <= 0 || w <= 0 || h <= 0 || math.IsNaN(x+y+w+h) || max(math.Abs(x), math.Abs(y), w, h, float64(width)) > maxCoordinate {
		return mark{}, false
	}
	left, top := math.Floor(x), math.Floor(y)
	return mark{x: int(left), y: int(top), w: int(math.Ceil(x+w) - left), h: int(math.Ceil(y+h) - top), width: width}, true
}

// String is the mark as it stands in an address: "x,y,w,h,width", and ",near".
func (m mark) String() string {
	text := fmt.Sprintf("%d,%d,%d,%d,%d", m.x, m.y, m.w, m.h, m.width)
	if m.near {
		text += nearby
	}
	return text
}

const nearby = ",near"

// parseMark reads what String wrote.
func parseMark(s string) (m mark, ok bool) {
	s, m.near = strings.CutSuffix(s, nearby)
	parts := strings.Split(s, ",")
	if len(parts) != 5 {
		return mark{}, false
	}
	for i, to := range []*int{&m.x, &m.y, &m.w, &m.h, &m.width} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n > maxCoordinate || n < -maxCoordinate {
			return mark{}, false
		}
		*to = n
	}
	return m, m.w > 0 && m.h > 0 && m.width > 0
}

// annotate draws the box on the JPEG. Where the box lies off the picture, an
// arrow at the edge says where. A mark without width draws nothing. What is
// wider than widest, in pixels, is made smaller; 0 keeps the size.
func annotate(ctx context.Context, seats chan struct{}, picture io.ReadSeeker, m mark, widest int) ([]byte, error) {
	select {
	case seats <- struct{}{}:
		defer func() { <-seats }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if _, err := picture.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the screenshot: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(picture, maxPictureBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the screenshot: %w", err)
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read the screenshot: %w", err)
	}
	if len(raw) > maxPictureBytes || size.Width*size.Height > maxPicturePixels {
		return nil, fmt.Errorf("the screenshot is too large to be annotated: %d bytes, %d × %d", len(raw), size.Width, size.Height)
	}
	decoded, err := jpeg.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read the screenshot: %w", err)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, size.Width, size.Height))
	draw.Draw(canvas, canvas.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	if m.width > 0 {
		drawMark(canvas, m)
	}
	shown := image.Image(canvas)
	if m.near {
		shown = canvas.SubImage(m.surroundings(canvas.Rect))
	}
	if part := shown.Bounds(); widest > 0 && part.Dx() > widest {
		smaller := image.NewRGBA(image.Rect(0, 0, widest, max(1, part.Dy()*widest/part.Dx())))
		scale.ApproxBiLinear.Scale(smaller, smaller.Rect, shown, part, scale.Src, nil)
		shown = smaller
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, shown, &jpeg.Options{Quality: annotatedQuality}); err != nil {
		return nil, fmt.Errorf("write the screenshot: %w", err)
	}
	return out.Bytes(), nil
}

// What is around a box: least is how wide in CSS px at least, so that its
// neighbours are seen; 1.6 times as wide as high.
const (
	leastAround = 520
	aroundShape = 1.6
)

// surroundings is the part of a picture around the box, or as near to it as the
// picture goes.
func (m mark) surroundings(picture image.Rectangle) image.Rectangle {
	ratio := float64(picture.Dx()) / float64(m.width)
	wide := min(max(leastAround, 1.4*float64(m.w), 1.2*aroundShape*float64(m.h)), float64(m.width))
	w, h := int(wide*ratio), min(int(wide*ratio/aroundShape), picture.Dy())
	at := func(middle float64, size, end int) int { return min(max(int(middle*ratio)-size/2, 0), end-size) }
	left := at(float64(m.x)+float64(m.w)/2, w, picture.Dx())
	top := at(float64(m.y)+min(float64(m.h), wide/aroundShape)/2, h, picture.Dy())
	return image.Rect(left, top, left+w, top+h)
}

// The colours of a mark: a strong red with a white halo and a dark one around
// it, so that one of them differs from any background.
var (
	ink  = color.RGBA{R: 0xd6, G: 0x1f, B: 0x3a, A: 0xff}
	halo = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	rim  = color.RGBA{R: 0x11, G: 0x11, B: 0x11, A: 0xff}
)

func drawMark(canvas *image.RGBA, m mark) {
	ratio := float64(canvas.Rect.Dx()) / float64(m.width)
	at := func(v int) int { return int(math.Round(float64(v) * ratio)) }
	// A stroke is 3 CSS px, but no more than what stays visible on a picture
	// that is shown at a third of its size.
	stroke := max(2, int(math.Round(3*ratio)))
	box := image.Rect(at(m.x), at(m.y), at(m.x+m.w), at(m.y+m.h)).Inset(-stroke)
	if !box.Overlaps(canvas.Rect) {
		drawArrow(canvas, box, 8*stroke)
		return
	}
	// Kept inside, so that a box as large as the screen has a frame as well.
	if inside := box.Intersect(canvas.Rect.Inset(2 * stroke)); !inside.Empty() {
		box = inside
	}
	thin := max(1, stroke/2)
	frame(canvas, box.Inset(-stroke), thin, rim)
	frame(canvas, box.Inset(-thin), thin, halo)
	frame(canvas, box, stroke, ink)
	frame(canvas, box.Inset(stroke), thin, halo)
}

// frame draws the border of a rectangle inwards.
func frame(canvas *image.RGBA, r image.Rectangle, width int, c color.Color) {
	fill := image.NewUniform(c)
	for _, side := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+width)}, {image.Pt(r.Min.X, r.Max.Y-width), r.Max},
		{r.Min, image.Pt(r.Min.X+width, r.Max.Y)}, {image.Pt(r.Max.X-width, r.Min.Y), r.Max},
	} {
		draw.Draw(canvas, side.Intersect(r), fill, image.Point{}, draw.Src)
	}
}

// drawArrow points from the edge of the picture to what lies beyond it.
func drawArrow(canvas *image.RGBA, to image.Rectangle, size int) {
	b := canvas.Rect
	size = min(size, b.Dx()/2, b.Dy()/2)
	if size < 2 {
		return
	}
	x := min(max((to.Min.X+to.Max.X)/2, b.Min.X+size), b.Max.X-size)
	y := min(max((to.Min.Y+to.Max.Y)/2, b.Min.Y+size), b.Max.Y-size)
	dx, dy := 0, 0
	switch {
	case to.Min.Y >= b.Max.Y:
		y, dy = b.Max.Y-1, 1
	case to.Max.Y <= b.Min.Y:
		y, dy = b.Min.Y, -1
	case to.Min.X >= b.Max.X:
		x, dx = b.Max.X-1, 1
	default:
		x, dx = b.Min.X, -1
	}
	layers := []struct {
		size int
		c    color.RGBA
	}{{size, rim}, {size - max(1, size/12), halo}, {size - max(2, size/5), ink}}
	for _, layer := range layers {
		back := size - layer.size
		for i := range layer.size { // rows from the tip to the base
			for j := -i; j <= i; j++ {
				px, py := x-dx*(i+back)+j*abs(dy), y-dy*(i+back)+j*abs(dx)
				if image.Pt(px, py).In(b) {
					canvas.SetRGBA(px, py, layer.c)
				}
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }
