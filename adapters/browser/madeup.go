package browser

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"path"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// kinds are the files that can be made up, the most ordinary first. A field
// that takes anything gets the first one.
var kinds = []struct {
	extensions []string
	mime       string
	make       func() ([]byte, error)
}{
	{[]string{".pdf"}, "application/pdf", func() ([]byte, error) { return onePagePDF(), nil }},
	{[]string{".png"}, "image/png", picture(func(w *bytes.Buffer, m image.Image) error { return png.Encode(w, m) })},
	{[]string{".jpg", ".jpeg"}, "image/jpeg", picture(func(w *bytes.Buffer, m image.Image) error { return jpeg.Encode(w, m, nil) })},
	{[]string{".gif"}, "image/gif", picture(func(w *bytes.Buffer, m image.Image) error { return gif.Encode(w, m, nil) })},
	{[]string{".txt", ".text"}, "text/plain", words("A short note that was made for this test.\n")},
	{[]string{".csv"}, "text/csv", words("name,amount\nfirst,1\nsecond,2\n")},
	{[]string{".json"}, "application/json", words("{\"note\": \"made for this test\"}\n")},
	{[]string{".md"}, "text/markdown", words("# Note\n\nMade for this test.\n")},
	{[]string{".html"}, "text/html", words("<!doctype html><title>Note</title><p>Made for this test.</p>\n")},
	{[]string{".svg"}, "image/svg+xml", words("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\"><rect width=\"16\" height=\"16\" fill=\"#3a6\"/></svg>\n")},
}

var errNoSuchFile = errors.New("there is no file of such a type at hand")

// madeUp makes a file of at most a few hundred bytes, of a type that a field
// with this accept attribute takes (HTML: extensions, types and "image/*"). The
// name's extension decides where the field takes several, and is put right
// where it takes another.
func madeUp(name, accept string) (playwright.InputFile, error) {
	base := strings.TrimSuffix(path.Base("/"+name), path.Ext(name))
	wanted := strings.ToLower(path.Ext(name))
	if base == "" || base == "/" {
		base = "document"
	}
	best, extension := -1, ""
	for i, kind := range kinds {
		for _, ext := range kind.extensions {
			if !accepts(accept, ext, kind.mime) {
				continue
			}
			if best < 0 || (ext == wanted && extension != wanted) {
				best, extension = i, ext
			}
		}
	}
	if best < 0 {
		return playwright.InputFile{}, errNoSuchFile
	}
	data, err := kinds[best].make()
	if err != nil {
		return playwright.InputFile{}, fmt.Errorf("make up a file: %w", err)
	}
	return playwright.InputFile{Name: base + extension, MimeType: kinds[best].mime, Buffer: data}, nil
}

// accepts says whether a field with an accept attribute takes a kind of file.
func accepts(accept, extension, mime string) bool {
	if strings.TrimSpace(accept) == "" {
		return true
	}
	family, _, _ := strings.Cut(mime, "/")
	for part := range strings.SplitSeq(strings.ToLower(accept), ",") {
		switch strings.TrimSpace(part) {
		case extension, mime, family + "/*", "*/*", "*":
			return true
		}
	}
	return false
}

func words(text string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(text), nil }
}

// picture draws a green square of 16 by 16 px.
func picture(encode func(*bytes.Buffer, image.Image) error) func() ([]byte, error) {
	return func() ([]byte, error) {
		green := color.RGBA{0x33, 0xaa, 0x66, 0xff}
		m := image.NewPaletted(image.Rect(0, 0, 16, 16), color.Palette{green})
		var out bytes.Buffer
		err := encode(&out, m)
		return out.Bytes(), err
	}
}

// onePagePDF is an A4 page with one line (ISO 32000-1, 7.5), its
// cross-reference table counted as it is written.
func onePagePDF() []byte {
	const line = "BT /F1 18 Tf 72 760 Td (A page that was made for this test) Tj ET"
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(line), line),
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var table strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", out.Len())
		fmt.Fprintf(&out, "%d 0 obj%s endobj\n", i+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, start)
	return out.Bytes()
}
