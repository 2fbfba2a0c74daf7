package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"understudy/domain/findings"
	"understudy/domain/mind"
	"understudy/domain/mind/sandbox"
	"understudy/domain/session"
)

// filmFrame is how long each page is shown in a sandbox session's film.
const filmFrame = time.Second

// walkSandbox walks the simulated site. Everything is as with a real page,
// but that the walk takes no time and so is recorded at once.
func (w *walker) walkSandbox(ctx context.Context) (uint64, error) {
	// One site for the whole test, as with a real one.
	site := sandbox.New(w.test.URL, w.test.Task, w.session.Viewport, uint64(w.test.Seed))
	var film sandboxFilm
	if err := site.Failure(); err != nil {
		return w.fail(ctx, "simulated_failure", err.Error(), w.used())
	}
	var effect mind.Effect
	var steps []session.RecordStep
	for i := 0; i < w.test.MaxSteps; i++ {
		look, at := site.Page(), w.r.now()
		sketch, err := w.r.sketches.of(ctx, w.r.Blobs, look)
		if err != nil {
			return 0, err
		}
		decision, err := w.decide(ctx, look, effect)
		if err != nil {
			return 0, err
		}
		effect = mind.Effect{}
		if decision.End == "" {
			effect = site.Act(decision.Action)
		}
		record := w.log.Record(look, decision, effect)
		shot := w.named(fmt.Sprint("screenshot ", i), sketch)
		steps = append(steps, session.RecordStep{
			Attempt: w.number,
			Screenshot: &session.ScreenshotTaken{
				Attempt: w.number, Step: i, Artifact: shot, Width: look.Viewport.Width, Height: look.Viewport.Height, At: at,
			},
			Step: describe(record, shot.ID, at),
			Now:  at,
		})
		film.show(look, sketch.jpeg)
		if err := pause(ctx, time.Duration(site.StepDelayMS())*time.Millisecond); err != nil {
			return 0, err
		}
		if decision.End != "" {
			break
		}
	}
	w.oracle.Observe(site.Page(), effect)
	done, err := w.result(func(findings.Session) []findings.Cause { return nil })
	if err != nil {
		return 0, err
	}
	done.Recording, err = w.sketchedFilm(ctx, film)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		w.r.Logger.Warn("recording is left out", "session", w.session.SessionID, "error", err)
	}
	done.At = w.r.now()
	return w.execute(ctx, "walk", session.RecordWalk{Attempt: w.number, Steps: steps, End: session.Complete{Result: done}})
}

// sandboxFilm shows each page of a walk once for a second, in the order of the
// first visits. Most sandbox walks visit the same pages, so that few different
// films have to be made.
type sandboxFilm struct {
	key    string
	frames []Frame
}

// maxFilm is how many pages a film shows at most.
const maxFilm = 8

func (f *sandboxFilm) show(page mind.Page, jpeg []byte) {
	name := page.URL + " "
	if len(f.frames) == maxFilm || strings.Contains(f.key, name) {
		return
	}
	f.key += name
	f.frames = append(f.frames, Frame{JPEG: jpeg, At: f.length()})
}

func (f *sandboxFilm) length() time.Duration { return time.Duration(len(f.frames)) * filmFrame }

func (w *walker) named(what string, s sketch) session.Artifact {
	return session.Artifact{
		ID: artifactID(w.attempt, what), SHA256: s.sha256, Bytes: int64(len(s.jpeg)), ContentType: "image/jpeg",
	}
}

func (w *walker) sketchedFilm(ctx context.Context, f sandboxFilm) (*session.Recording, error) {
	if w.r.Encoder == nil || len(f.frames) == 0 {
		return nil, nil
	}
	kept, err := w.r.sketches.film(w.session.Viewport+" "+f.key, func() (film, error) {
		video, err := w.r.Encoder.Encode(ctx, f.frames, f.length())
		if err != nil {
			return film{}, err
		}
		sha, err := w.r.Blobs.Put(ctx, video, "video/webm")
		return film{sha256: sha, bytes: int64(len(video))}, err
	})
	if err != nil {
		return nil, err
	}
	return &session.Recording{
		Artifact: session.Artifact{
			ID: artifactID(w.attempt, "recording"), SHA256: kept.sha256, Bytes: kept.bytes, ContentType: "video/webm",
		},
		Format: "webm", DurationSeconds: f.length().Seconds(),
	}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sketchbook keeps the pictures and films of simulated pages, of which there
// are few.
type sketchbook struct {
	mu       sync.Mutex
	sketches map[string]sketch

	filming sync.Mutex // one film is made at a time
	films   map[string]film
}

type sketch struct {
	jpeg   []byte
	sha256 string
}

type film struct {
	sha256 string
	bytes  int64
}

// maxKept bounds both maps; when one is full it starts anew.
const maxKept = 512

func (b *sketchbook) of(ctx context.Context, blobs Blobs, page mind.Page) (sketch, error) {
	key := sketchKey(page)
	b.mu.Lock()
	defer b.mu.Unlock()
	if s, ok := b.sketches[key]; ok {
		return s, nil
	}
	jpeg, err := sketchOf(page)
	if err != nil {
		return sketch{}, fmt.Errorf("draw a simulated page: %w", err)
	}
	sha, err := blobs.Put(ctx, jpeg, "image/jpeg")
	if err != nil {
		return sketch{}, err
	}
	if b.sketches == nil || len(b.sketches) >= maxKept {
		b.sketches = map[string]sketch{}
	}
	s := sketch{jpeg: jpeg, sha256: sha}
	b.sketches[key] = s
	return s, nil
}

func (b *sketchbook) film(key string, make func() (film, error)) (film, error) {
	b.filming.Lock()
	defer b.filming.Unlock()
	if f, ok := b.films[key]; ok {
		return f, nil
	}
	f, err := make()
	if err != nil {
		return f, err
	}
	if b.films == nil || len(b.films) >= maxKept {
		b.films = map[string]film{}
	}
	b.films[key] = f
	return f, nil
}
