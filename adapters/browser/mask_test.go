package browser_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

// picture is what a screenshot shows.
func picture(t *testing.T, s *browser.Session) ([]byte, *image.YCbCr) {
	t.Helper()
	raw, _, _, err := s.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shown, err := jpeg.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return raw, shown.(*image.YCbCr)
}

// TestASecretIsInNoPicture: pictures of a page that shows what was typed in many ways are
// the same whatever was typed, on each device; the rest of the page stays to be seen.
func TestASecretIsInNoPicture(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]browser.SessionOptions{
		"desktop": {}, "mobile": {Viewport: browser.Mobile}, "zoomed": {Zoom: 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			echo := func(secret string, typed bool) [][]byte {
				s := open(t, o)
				if _, err := s.Goto(t.Context(), site.URL+"/echo.html"); err != nil {
					t.Fatal(err)
				}
				if typed {
					keep(t, s, "Secret", secret)
				} else {
					act(t, s, walk.Type, "Secret", secret)
				}
				_, hidden := picture(t, s)
				act(t, s, walk.Click, "Show", "")
				visible, _ := picture(t, s)
				act(t, s, walk.Click, "Go on", "")
				look(t, s)
				echoed, shown := picture(t, s)
				if typed && (plain(hidden) || plain(shown)) {
					t.Error("nothing of the page is left")
				}
				return [][]byte{visible, echoed}
			}
			one, other := echo("hunter-two", true), echo("m4ster@key", true)
			bare, naked := echo("hunter-two", false), echo("m4ster@key", false)
			for i, what := range []string{"a password that is made visible", "what the page repeats"} {
				if bytes.Equal(bare[i], naked[i]) {
					t.Errorf("%s does not show in a picture that is not covered", what)
				}
				if !bytes.Equal(one[i], other[i]) {
					t.Errorf("%s shows in the picture", what)
				}
			}
		})
	}
}

// plain: a picture has one colour.
func plain(p *image.YCbCr) bool {
	return bytes.Count(p.Y, p.Y[:1]) == len(p.Y)
}
