package browser

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"strings"
	"testing"
	"unicode/utf8"

	"understudy/domain/walk"
)

// FuzzLook reads any text as the answer that a page's observer gives; a secret is in
// nothing that is told of it.
func FuzzLook(f *testing.F) {
	const secret = "hunterpass"
	for _, seed := range []string{
		`{"url":"https://e.x/hunterpass","title":"t","elements":[{"ref":1,"name":"n","value":"hunterpass","options":["a","HUNTERPASS"],"holds":[{"name":"x"}],"pattern":"hunterpass","min":"hunterpass","max":"hunterpass","accept":"hunterpass","autocomplete":"hunterpass"}],"lang":"hunterpass","missing":["hunterpass.e.x"]}`,
		`{"texts":[{"text":"a hunterpass b","head":""}],"regions":[{"heading":"h"}],"limits":[{"name":"l"}]}`, `{"elements":null}`, `{"elements":[null,{}]}`,
		`{"width":1e400}`, `[]`, `{"elements":[{"box":{"x":-1}}]}`, `{"a":`, "{\"title\":\"\xff\"}",
	} {
		f.Add(seed)
	}
	s := &Session{}
	s.keep(secret)
	f.Fuzz(func(t *testing.T, text string) {
		var page walk.Page
		if json.Unmarshal([]byte(text), &page) != nil {
			return
		}
		s.strikePage(&page)
		// These are our own words, whatever a page says, or the test's.
		page.SelectorsVisible, page.Violations = nil, nil
		for i := range page.Elements {
			e := &page.Elements[i]
			e.Ref, e.Role, e.NameSource, e.InputType, e.Expanded, e.Popup, e.Colours = "", "", "", "", "", "", ""
		}
		for i := range page.Texts {
			page.Texts[i].Kind = ""
		}
		for i := range page.Regions {
			page.Regions[i].Kind = ""
		}
		for i := range page.Limits {
			page.Limits[i].Kind = ""
		}
		told, err := json.Marshal(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(told), secret) {
			t.Errorf("%s tells %s", text, told)
		}
	})
}

// FuzzValues reads any request that a page sends.
func FuzzValues(f *testing.F) {
	f.Add("https://e.x/a/b?c=d&e=%zz", "application/json", []byte(`{"a":[1e999,"b",{"c":null}]}`))
	f.Add("::", "multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=a\r\n\r\nv\r\n--x--"))
	f.Add("", "application/x-www-form-urlencoded", []byte("a=b&c=%&&=;"))
	f.Add("/", "text/plain; a=\"", []byte("[[[[\xff"))
	f.Add("/", "multipart/form-data", []byte("--\r\n\r\n"))
	f.Fuzz(func(t *testing.T, address, kind string, body []byte) {
		all := values(address, kind, body)
		if len(all) > maxValues {
			t.Errorf("%d values", len(all))
		}
		for _, v := range all {
			if v == "" || len(v) > len(address)+3*min(len(body), maxBody)+utf8.UTFMax {
				t.Errorf("%d bytes of %d and %d", len(v), len(address), len(body))
			}
		}
	})
}

// FuzzCover: of a box that a page tells of, nothing is seen on its picture, and beside it
// everything.
func FuzzCover(f *testing.F) {
	f.Add(uint8(40), uint8(30), 40.0, 3.5, 4.0, 10.0, 7.0, false)
	f.Add(uint8(255), uint8(17), 20.0, -1e300, 0.0, 1e301, 1.0, false)
	f.Add(uint8(9), uint8(200), 1e300, 1e18, 1e300, 1e308, 1e308, false)
	f.Add(uint8(16), uint8(16), 5e-324, 0.0, 0.0, 0.0, 0.0, true)
	f.Fuzz(func(t *testing.T, columns, rows uint8, width, left, top, wide, high float64, all bool) {
		if _, err := json.Marshal([]float64{width, left, top, wide, high}); err != nil || min(wide, high) < 0 {
			return // no page tells that
		}
		var picture bytes.Buffer
		if err := jpeg.Encode(&picture, image.NewRGBA(image.Rect(0, 0, int(columns)+1, int(rows)+1)), nil); err != nil {
			t.Fatal(err)
		}
		covered, err := cover(picture.Bytes(), width, [][4]float64{{left, top, wide, high}}, all)
		if err != nil {
			if width >= 1 {
				t.Error(err)
			}
			return
		}
		shown, err := jpeg.Decode(bytes.NewReader(covered))
		if err != nil {
			t.Fatal(err)
		}
		scale := (float64(columns) + 1) / width
		right, bottom := (left+wide)*scale, (top+high)*scale
		for y := range int(rows) + 1 {
			for x := range int(columns) + 1 {
				near := func(off float64) bool {
					return float64(x+1) > left*scale-off && float64(x) < right+off && float64(y+1) > top*scale-off && float64(y) < bottom+off
				}
				grey := shown.(*image.YCbCr).YCbCrAt(x, y).Y > 75
				if must, may := all || near(0), all || near(2+grain); must && !grey || grey && !may {
					t.Fatalf("(%d, %d) of %dx%d is covered: %t, with %v by %v at %v, %v, of a page %v wide", x, y, columns, rows, grey, wide, high, left, top, width)
				}
			}
		}
	})
}
