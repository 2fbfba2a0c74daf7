package browser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

func TestRecording(t *testing.T) {
	t.Parallel()
	s := visit(t, "/facts.html")
	var frames []browser.Frame
	for _, at := range []time.Duration{0, 1500 * time.Millisecond, 9 * time.Second, 9010 * time.Millisecond} {
		picture, _, _, err := s.Screenshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, browser.Frame{JPEG: picture, At: at})
		act(t, s, walk.Scroll, "", "down")
	}
	video, err := browser.EncodeRecording(t.Context(), programs.FFmpegPath, t.TempDir(), frames, 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.webm")
	if err := os.WriteFile(path, video, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(programs.FFmpegPath), "ffprobe"), "-v", "error",
		"-show_format", "-show_streams", "-show_packets", "-of", "json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var probe struct {
		Format  struct{ Duration string }
		Streams []struct {
			Codec         string `json:"codec_name"`
			Width, Height int
		}
		Packets []struct {
			Time string `json:"pts_time"`
		}
	}
	if err := json.Unmarshal(out, &probe); err != nil {
		t.Fatal(err)
	}
	duration, err := strconv.ParseFloat(probe.Format.Duration, 64)
	if err != nil || math.Abs(duration-20) > 0.2 {
		t.Errorf("it lasts %q s (%v), want 20", probe.Format.Duration, err)
	}
	if v := probe.Streams[0]; v.Codec != "vp8" || v.Width != 800 || v.Height != 500 {
		t.Errorf("video: %+v", v)
	}
	if n := len(probe.Packets); n < 4 {
		t.Errorf("%d pictures of 4 are in it: %s", n, out)
	} else if second, err := strconv.ParseFloat(probe.Packets[1].Time, 64); err != nil || math.Abs(second-1.5) > 0.1 {
		t.Errorf("the second picture is at %s, want 1.5", probe.Packets[1].Time)
	}
	if len(video) > 400_000 {
		t.Errorf("%d bytes for four pictures", len(video))
	}
	t.Logf("%d bytes", len(video))
	if _, err := browser.EncodeRecording(t.Context(), programs.FFmpegPath, t.TempDir(), nil, time.Second); err == nil {
		t.Error("a recording of nothing")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := browser.EncodeRecording(ctx, programs.FFmpegPath, t.TempDir(), frames, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A zoomed page shows less, but its picture is as large as any other's, and the page does not
// notice that it is taken.
func TestScreenshotsOfZoomedPages(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><meta name=viewport content="width=device-width"><title>Zoomed</title><h1>Zoomed</h1><button>Measure</button><script>
			let resized=0;onresize=()=>resized++;
			document.querySelector('button').onclick=e=>document.title=[innerWidth,innerHeight,outerWidth,screen.width,screen.orientation.type,devicePixelRatio,e.clientX,e.clientY,resized]
		</script>`)
	}))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		viewport      string
		width, height int
	}{{browser.Desktop, 1280, 800}, {browser.Mobile, 390, 844}} {
		measured := func(pictures int) string {
			s := open(t, browser.SessionOptions{Viewport: c.viewport, Zoom: 2})
			if _, err := s.Goto(t.Context(), server.URL); err != nil {
				t.Fatal(err)
			}
			for range pictures {
				_, width, height, err := s.Screenshot(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if width != c.width || height != c.height {
					t.Errorf("%s at zoom 2: %d×%d, want %d×%d", c.viewport, width, height, c.width, c.height)
				}
			}
			act(t, s, walk.Click, "Measure", "")
			return look(t, s).Title
		}
		if without, with := measured(0), measured(2); with != without {
			t.Errorf("%s at zoom 2: the page measures %s, and %s where no picture is taken", c.viewport, with, without)
		}
	}
}
