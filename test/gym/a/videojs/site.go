// Package videojs is a player of films, with captions and chapters.
package videojs

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"understudy/test/gym/ground"
)

const (
	spec = "video.js@8.24.1"
	page = "/examples/elephantsdream/index.html"
)

// Site is the package's own example, with a film that is made here: the real one
// is not in the package.
var Site = ground.Site{
	Name: "videojs", Kind: "player", What: "Video.js 8.24.1, its example (npm)", Licence: "Apache-2.0", Static: true,
	NPM:    []string{spec},
	Debian: []string{"ffmpeg"},
	Open: func(p *ground.Place) error {
		err := p.Prepared("videojs-1", func(p *ground.Place) error {
			_, err := p.Run(nil, "ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=160x90:rate=2", "-f", "lavfi", "-i", "sine=frequency=330:sample_rate=8000",
				"-t", "660", "-c:v", "libvpx", "-b:v", "40k", "-g", "4", "-c:a", "libvorbis", "-b:a", "16k", "film.webm")
			return err
		})
		if err != nil {
			return err
		}
		dist := filepath.Join(ground.Package(spec), "dist")
		text, err := os.ReadFile(filepath.Join(dist, filepath.FromSlash(page)))
		if err != nil {
			return err
		}
		// The example has its player and its film from elsewhere.
		example := strings.NewReplacer(
			"https://vjs.zencdn.net/7.0/video-js.min.css", "/video-js.min.css",
			"https://vjs.zencdn.net/7.0/video.min.js", "/video.min.js",
			`poster="http://d2zihajmogu5jn.cloudfront.net/elephantsdream/poster.png"`, "",
			`<source src="//d2zihajmogu5jn.cloudfront.net/elephantsdream/ed_hd.ogg" type="video/ogg">`, "",
			`//d2zihajmogu5jn.cloudfront.net/elephantsdream/ed_hd.mp4" type="video/mp4"`, `/film.webm" type="video/webm"`,
		).Replace(string(text))
		mux := http.NewServeMux()
		mux.Handle("/", http.FileServer(http.Dir(dist)))
		mux.HandleFunc("/examples/elephantsdream/{$}", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(example)) // to a proxy beside it
		})
		mux.HandleFunc("/film.webm", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, filepath.Join(p.Dir, "film.webm")) })
		p.Handler = mux
		return nil
	},
	Tasks: []ground.Task{
		{
			Name: "play", At: "examples/elephantsdream/",
			Text: "Play the film.",
			Seen: player("!p.paused() && p.currentTime() > 0.3"),
		},
		{
			Name: "captions", At: "examples/elephantsdream/",
			Text: "Switch the captions of the film to Swedish.",
			Seen: player("Array.from(p.textTracks()).some(t => t.kind == 'captions' && t.language == 'sv' && t.mode == 'showing')"),
		},
		{
			Name: "mute", At: "examples/elephantsdream/",
			Text: "Start the film and turn its sound off.",
			Seen: player("!p.paused() && p.currentTime() > 0.3 && (p.muted() || p.volume() == 0)"),
		},
		{
			Name: "chapter", At: "examples/elephantsdream/",
			Text: `Go to the chapter "Typewriter" of the film.`,
			Seen: player("Array.from(p.textTracks()).some(t => t.kind == 'chapters' && Array.from(t.cues || []).some(c => /typewriter/i.test(c.text) && p.currentTime() >= c.startTime - 0.5 && p.currentTime() < c.endTime))"),
		},
	},
}

func player(condition string) *ground.Sight {
	return &ground.Sight{Script: "(p => p && (" + condition + "))(window.videojs && videojs.getPlayer('example_video_1'))"}
}
