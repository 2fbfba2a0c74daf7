package httpapi_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"understudy/domain"
)

// aPicture is a JPEG of one colour, width × height pixels.
func aPicture(t testing.TB, width, height int, c color.Color) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// evidenceAddress is the screenshot's address of a report's only evidence, whose
// box and viewport are given as JSON members.
func (s *served) evidenceAddress(t *testing.T, artifact, members string) string {
	t.Helper()
	id := newID("rep")
	doc := strings.Replace(reportJSON(id, newID("test")), `"quote":"Hm.","screenshot_id":"art_01kaj8h2v4e6tvn2f3m9q0w7xz"`,
		`"quote":"Hm.",`+members+`"screenshot_id":"`+artifact+`"`, 1)
	s.reports.put(s.keys["all"], id, 3, doc)
	body := s.send("GET", "/reports/"+id, "all", "").wants(t, 200, "").body
	found := regexp.MustCompile(`"` + artifact + `","screenshot_url":"([^"]+)"`).FindSubmatch(body)
	if found == nil {
		t.Fatalf("no address in %s", body)
	}
	return strings.TrimPrefix(string(found[1]), base)
}

func redAt(t *testing.T, body []byte, x, y int) bool {
	t.Helper()
	m, err := jpeg.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, _ := m.At(x, y).RGBA()
	return r>>8 > 170 && g>>8 < 110 && b>>8 < 130
}

func TestEvidenceShowsWhatIsMeant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]color.Color{"white": color.White, "black": color.Black, "red": color.RGBA{0xd6, 0x1f, 0x3a, 0xff}} {
		s := newService(t)
		// A phone's picture: 390 CSS px on 780 pixels.
		id, _ := s.anArtifact(aPicture(t, 780, 1600, c))
		address := s.evidenceAddress(t, id, `"box":{"x":100,"y":200.4,"w":80,"h":40},"viewport_width":390,`)
		g := s.send("GET", address, "", "").wants(t, 200, "")
		if g.Header.Get("Content-Type") != "image/jpeg" || !strings.Contains(g.Header.Get("Cache-Control"), "max-age=86400") {
			t.Errorf("%v", g.Header)
		}
		m, err := jpeg.Decode(bytes.NewReader(g.body))
		if err != nil {
			t.Fatal(err)
		}
		if m.Bounds().Dx() != 780 || m.Bounds().Dy() != 1600 {
			t.Errorf("the picture is now %v", m.Bounds())
		}
		// The frame lies just around 200,400 to 360,482; a line across it sees
		// both strong red and something that differs from it.
		red, light := 0, 0
		for x := 180; x < 200; x++ {
			r, gr, b, _ := m.At(x, 440).RGBA()
			if r>>8 > 170 && gr>>8 < 110 && b>>8 < 130 {
				red++
			}
			if r>>8 > 200 && gr>>8 > 180 && b>>8 > 180 {
				light++
			}
		}
		if red < 3 || light < 1 {
			t.Errorf("on %s: %d red and %d light pixels at the left side", name, red, light)
		}
		if name != "red" && redAt(t, g.body, 280, 440) {
			t.Errorf("on %s: the frame covers what it frames", name)
		}
	}
}

func TestABoxOffTheScreenIsPointedAt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _ := s.anArtifact(aPicture(t, 1280, 800, color.White))
	g := s.send("GET", s.evidenceAddress(t, id, `"box":{"x":600,"y":2400,"w":80,"h":40},"viewport_width":1280,`), "", "").wants(t, 200, "")
	if !redAt(t, g.body, 640, 790) || redAt(t, g.body, 640, 20) {
		t.Error("nothing points down to what lies below the fold")
	}
}

func TestOnlyOfferedBoxesAreDrawn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _ := s.anArtifact(aPicture(t, 1280, 800, color.White))
	address := s.evidenceAddress(t, id, `"box":{"x":1,"y":2,"w":30,"h":4},"viewport_width":1280,`)
	if !strings.Contains(address, "?box=1%2C2%2C30%2C4%2C1280&") {
		t.Fatal(address)
	}
	tag := s.send("GET", address, "", "").wants(t, 200, "").Header.Get("ETag")
	if tag == `"abc123"` {
		t.Error("the annotated picture has the plain one's ETag")
	}
	if g := s.send("GET", address, "", "", "If-None-Match", tag); g.StatusCode != 304 || len(g.body) != 0 {
		t.Errorf("%d", g.StatusCode)
	}
	s.send("GET", strings.Replace(address, "2C30", "2C31", 1), "", "").wants(t, 403, "forbidden")
	s.send("GET", strings.Replace(address, "box=1%2C2%2C30%2C4%2C1280&", "", 1), "", "").wants(t, 403, "forbidden")
	plain := strings.TrimPrefix(s.links.ArtifactURL(id, noon), base)
	s.send("GET", plain+"&box=1,2,30,4,1280", "", "").wants(t, 403, "forbidden")
	s.send("GET", "/artifacts/"+id+"?box=1,2,30,4", "all", "").wants(t, 422, "validation_failed")
	if g := s.send("GET", "/artifacts/"+id+"?box=1,2,30,4,1280", "all", ""); g.StatusCode != 200 || g.Header.Get("ETag") != tag {
		t.Errorf("with a key: %d %s", g.StatusCode, g.body)
	}
	// A page-level issue has the plain picture.
	if address := s.evidenceAddress(t, id, ""); strings.Contains(address, "box=") {
		t.Error(address)
	}
}

func TestWhatIsNoScreenshotIsServedAsItIs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _ := s.anArtifact("GIF89a")
	a := s.artifacts[id]
	a.ContentType = "image/gif"
	s.artifacts[id] = a
	g := s.send("GET", "/artifacts/"+id+"?box=1,2,30,4,1280", "all", "").wants(t, 200, "")
	if string(g.body) != "GIF89a" || g.Header.Get("ETag") != `"abc123"` {
		t.Errorf("%q %v", g.body, g.Header)
	}
}

// TestPicturesOfReportsShowWhatIsNear: a page shows the part around the box, as
// wide as 520 CSS px at least, kept inside the picture.
func TestPicturesOfReportsShowWhatIsNear(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _ := s.aFullReport(t)
	found := regexp.MustCompile(`<img src="([^"]*near[^"]*)"`).FindSubmatch(s.look(s.links.ReportURL("org_a", domain.Live, id, noon)).body)
	if found == nil {
		t.Fatal("no picture of what is near a box")
	}
	address := strings.TrimPrefix(html.UnescapeString(string(found[1])), base)
	g := s.send("GET", address, "", "").wants(t, 200, "")
	shown, err := jpeg.Decode(bytes.NewReader(g.body))
	if err != nil {
		t.Fatal(err)
	}
	if size := shown.Bounds().Size(); size != image.Pt(520, 325) {
		t.Errorf("the picture is %v", size)
	}
	// The box of 120 × 40 px is in the middle.
	if !redAt(t, g.body, 260-60-2, 162) || redAt(t, g.body, 20, 20) {
		t.Error("the frame is not around the box")
	}
	s.send("GET", strings.Replace(address, "%2Cnear", "", 1), "", "").wants(t, 403, "forbidden")
}
