package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"understudy/domain/mind"
	"understudy/domain/mind/sandbox"
	"understudy/domain/session"
)

// filmFrame is how long each page is shown in a sandbox session's film.
const filmFrame = time.Second

// walkSandbox walks the simulated site. Everything is as with a real page,
// but that the walk takes no time and so is recorded at once.
func (w *walker) walkSandbox(ctx context.Context) (uint64, error) {
	site := sandbox.New(w.test.URL, w.test.Task, w.session.Viewport, uint64(w.session.Seed))
	if err := site.Failure(); err != nil {
		return w.fail(ctx, "simulated_failure", err.Error())
	}
	var effect mind.Effect
	var steps []session.RecordStep
	for i := 0; i < w.test.MaxSteps; i++ {
		look, at := site.Page(), w.r.now()
		sketch, err := w.r.sketches.of(ctx, w.r.Blobs, look)
		if err != nil {
			return 0, err
		}
		decision := w.decide(look, effect)
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
		w.show(sketch.jpeg)
		if err := pause(ctx, time.Duration(site.StepDelayMS())*time.Millisecond); err != nil {
			return 0, err
		}
		if decision.End != "" {
			break
		}
	}
	w.oracle.Observe(site.Page(), effect)
	done, err := w.result()
	if err != nil {
		return 0, err
	}
	if done.Recording, err = w.sketchedFilm(ctx); err != nil {
		w.r.Logger.Warn("recording is left out", "session", w.session.SessionID, "error", err)
	}
	done.At = w.r.now()
	return w.execute(ctx, "walk", session.RecordWalk{Attempt: w.number, Steps: steps, End: session.Complete{Result: done}})
}

// show adds a picture to the film unless it is already the last one.
func (w *walker) show(jpeg []byte) {
	if n := len(w.frames); n > 0 && &w.frames[n-1].JPEG[0] == &jpeg[0] {
		return
	}
	w.frames = append(w.frames, Frame{JPEG: jpeg, At: w.clock})
	w.clock += filmFrame
}

func (w *walker) named(what string, s sketch) session.Artifact {
	return session.Artifact{
		ID: artifactID(w.attempt, what), SHA256: s.sha256, Bytes: int64(len(s.jpeg)), ContentType: "image/jpeg",
	}
}

// sketchedFilm is the film of the pages visited. Many sandbox sessions visit
// the same ones, so that few films have to be made.
func (w *walker) sketchedFilm(ctx context.Context) (*session.Recording, error) {
	if w.r.Encoder == nil || len(w.frames) == 0 {
		return nil, nil
	}
	film, err := w.r.sketches.film(w.frames, func() (film, error) {
		video, err := w.r.Encoder.Encode(ctx, w.frames, w.clock)
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
			ID: artifactID(w.attempt, "recording"), SHA256: film.sha256, Bytes: film.bytes, ContentType: "video/webm",
		},
		Format: "webm", DurationSeconds: w.clock.Seconds(),
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
	films    map[string]film
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

func (b *sketchbook) film(frames []Frame, make func() (film, error)) (film, error) {
	key := ""
	for _, f := range frames {
		key += fmt.Sprintf("%p ", &f.JPEG[0]) // pictures are shared and kept
	}
	b.mu.Lock()
	defer b.mu.Unlock()
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
