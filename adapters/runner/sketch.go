package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"understudy/domain/mind"
)

// sketchKey names a simulated page's picture. What was typed is not drawn, so
// that everybody's look at a page is the same picture.
func sketchKey(page mind.Page) string {
	page.Elements = slices.Clone(page.Elements)
	for i := range page.Elements {
		page.Elements[i].Value, page.Elements[i].Checked = "", false
	}
	// A page is plain data; were it not, all pages would share one picture.
	seen, _ := json.Marshal(page)
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

// paint sketches a simulated page: boxes where its controls are, and its words.
func paint(page mind.Page) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, page.Viewport.Width, page.Viewport.Height))
	draw.Draw(img, img.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	for _, t := range page.Texts {
		write(img, t.Box, t.Text, ink)
	}
	for _, e := range page.Elements {
		r := rect(e.Box)
		if e.Role != "link" {
			draw.Draw(img, r, image.NewUniform(line), image.Point{}, draw.Src)
			draw.Draw(img, r.Inset(1), image.NewUniform(fill), image.Point{}, draw.Src)
		}
		write(img, e.Box, e.Name, accent)
	}
	return img
}

// sketchOf is the picture of a simulated page as JPEG.
func sketchOf(page mind.Page) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, paint(page), &jpeg.Options{Quality: 70})
	return b.Bytes(), err
}

func rect(b mind.Box) image.Rectangle {
	return image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H))
}

// write puts words into a box, cut at its right edge.
func write(img draw.Image, b mind.Box, words string, c color.Color) {
	face := basicfont.Face7x13
	if fits := int(b.W) / face.Advance; len(words) > fits {
		words = words[:max(fits, 0)]
	}
	d := font.Drawer{
		Dst: img, Src: image.NewUniform(c), Face: face,
		Dot: fixed.P(int(b.X)+4, int(b.Y+b.H/2)+face.Ascent/2),
	}
	d.DrawString(words)
}
