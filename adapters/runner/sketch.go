package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"understudy/domain/walk"
)

// sketchKey names a simulated page's picture by all that paint draws of it. What was
// typed is not drawn, so that everybody's look at a page is the same picture.
func sketchKey(page *walk.Page) string {
	var seen []byte
	add := func(kind, words string, b walk.Box) {
		for _, n := range [...]float64{b.X, b.Y, b.W, b.H} {
			seen = binary.LittleEndian.AppendUint64(seen, math.Float64bits(n))
		}
		for _, s := range [...]string{kind, words} {
			seen = append(binary.AppendUvarint(seen, uint64(len(s))), s...)
		}
	}
	add("page", "", walk.Box{W: float64(page.Viewport.Width), H: float64(page.Viewport.Height)})
	for i := range page.Texts {
		add(page.Texts[i].Kind, page.Texts[i].Text, page.Texts[i].Box)
	}
	add("elements", "", walk.Box{})
	for i := range page.Elements {
		add(page.Elements[i].Role, page.Elements[i].Name, page.Elements[i].Box)
	}
	sum := sha256.Sum256(seen)
	return string(sum[:])
}

var (
	paper  = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ink    = color.RGBA{0x22, 0x2b, 0x38, 0xff}
	accent = color.RGBA{0x1f, 0x5f, 0xbf, 0xff}
	line   = color.RGBA{0xb8, 0xc2, 0xcf, 0xff}
	fill   = color.RGBA{0xee, 0xf2, 0xf7, 0xff}
)

// faces are the type of one drawing: a face is not safe for concurrent use.
type faces struct{ text, heading font.Face }

// newFaces sets the embedded Go fonts in 15 and 24 px.
func newFaces() (f faces, err error) {
	if f.text, err = face(goregular.TTF, 15); err != nil {
		return f, err
	}
	f.heading, err = face(gomedium.TTF, 24)
	return f, err
}

func face(ttf []byte, px float64) (font.Face, error) {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(parsed, &opentype.FaceOptions{Size: px, DPI: 72, Hinting: font.HintingFull})
}

// paint sketches a simulated page: boxes where its controls are, and its words.
func paint(page walk.Page, f faces) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, page.Viewport.Width, page.Viewport.Height))
	draw.Draw(img, img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	for _, t := range page.Texts {
		if t.Kind == "heading" {
			write(img, t.Box, t.Text, ink, f.heading)
		} else {
			write(img, t.Box, t.Text, ink, f.text)
		}
	}
	for _, e := range page.Elements {
		if e.Role == "link" {
			write(img, e.Box, e.Name, accent, f.text)
			continue
		}
		r := rect(e.Box)
		draw.Draw(img, r, image.NewUniform(line), image.Point{}, draw.Src)
		draw.Draw(img, r.Inset(1), image.NewUniform(fill), image.Point{}, draw.Src)
		e.Box.X, e.Box.W = e.Box.X+8, e.Box.W-16
		write(img, e.Box, e.Name, ink, f.text)
	}
	return img
}

// sketchOf is the picture of a simulated page as JPEG.
func sketchOf(page walk.Page) ([]byte, error) {
	f, err := newFaces()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, paint(page, f), &jpeg.Options{Quality: 70})
	return b.Bytes(), err
}

func rect(b walk.Box) image.Rectangle {
	return image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H))
}

// write puts words into the middle of a box's height, cut at its right edge.
func write(img draw.Image, b walk.Box, words string, c color.Color, f font.Face) {
	text := []rune(words)
	for len(text) > 0 && font.MeasureString(f, string(text)).Ceil() > int(b.W) {
		text = text[:len(text)-1]
	}
	d := font.Drawer{
		Dst: img, Src: image.NewUniform(c), Face: f,
		Dot: fixed.P(int(b.X), int(b.Y+b.H/2)+f.Metrics().CapHeight.Ceil()/2),
	}
	d.DrawString(string(text))
}
