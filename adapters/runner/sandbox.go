package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"understudy/domain"
	"understudy/domain/sandbox"
	"understudy/domain/session"
	"understudy/domain/walk"
)

// filmFrame is how long each page is shown in a sandbox session's film.
const filmFrame = time.Second

// walkSandbox walks the simulated site. Everything is as with a real page,
// but that the walk takes no time and so is recorded at once.
func (w *walker) walkSandbox(ctx context.Context) (uint64, error) {
	// One site for the whole test, as with a real one.
	site := sandbox.New(w.test.URL, w.test.Task, w.session.Viewport, uint64(w.test.Seed))
	if err := site.Failure(); err != nil {
		return w.fail(ctx, "simulated_failure", err.Error(), w.used())
	}
	kept := &collector{walker: w, delay: time.Duration(site.StepDelayMS()) * time.Millisecond}
	result, err := walk.Run(ctx, simulated{site: site}, w.brain, w.judge(), w.plan, kept)
	if err != nil {
		return w.ended(ctx, err, w.used())
	}
	done := w.result(result.Walked)
	done.Recording, err = w.sketchedFilm(ctx, kept.film)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		w.r.Logger.Warn("recording is left out", "session", w.session.SessionID, "error", err)
	}
	done.At = w.r.now()
	return w.execute(ctx, "walk", session.RecordWalk{Attempt: w.number, Steps: kept.steps, End: session.Complete{Result: done}})
}

// simulated is the sandbox's site as a page. What only a browser can do is asked
// of none.
type simulated struct {
	walk.Tab

	site *sandbox.Site
}

// Goto is there already.
func (simulated) Goto(context.Context, string) (walk.Effect, error) { return walk.Effect{}, nil }

// Look is the page in front.
func (s simulated) Look(context.Context, string) (walk.Page, error) { return s.site.Page(), nil }

// Act acts on the page in front.
func (s simulated) Act(_ context.Context, a walk.Action, _ string) (walk.Effect, error) {
	return s.site.Act(a), nil
}

// collector collects the steps of a walk on the simulated site.
type collector struct {
	walker *walker
	delay  time.Duration // between steps, in real time
	steps  []session.RecordStep
	film   sandboxFilm

	at     domain.Time // of the look
	sketch sketch
}

// Looked draws the page.
func (c *collector) Looked(ctx context.Context, _ walk.Tab, _ int, look *walk.Page) (err error) {
	c.at = c.walker.r.now()
	c.sketch, err = c.walker.r.sketches.of(ctx, c.walker.r.Blobs, look)
	return err
}

// Decided adds nothing: there are no audits here.
func (*collector) Decided(context.Context, walk.Tab, *walk.Page) {}

// Stepped keeps a step.
func (c *collector) Stepped(ctx context.Context, step walk.StepRecord) error {
	shot := c.walker.named(fmt.Sprint("screenshot ", step.Index), c.sketch)
	size := step.Page.Viewport
	c.steps = append(c.steps, c.walker.stepped(step, shot, size.Width, size.Height, c.at, c.at))
	c.film.show(step.Page, c.sketch.jpeg)
	return pause(ctx, c.delay)
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

func (f *sandboxFilm) show(page walk.Page, jpeg []byte) {
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

func (b *sketchbook) of(ctx context.Context, blobs Blobs, page *walk.Page) (sketch, error) {
	key := sketchKey(page)
	b.mu.Lock()
	defer b.mu.Unlock()
	if s, ok := b.sketches[key]; ok {
		return s, nil
	}
	jpeg, err := sketchOf(*page)
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
