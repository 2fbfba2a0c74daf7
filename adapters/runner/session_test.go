package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/task"
	"understudy/domain/testrun"
	"understudy/domain/walk"
	"understudy/eventstore"
	"understudy/projections/worklist"
)

// stage is a runner on one session, with everything around it in memory: the
// page and the brain do as they are told, the session's decider decides.
type stage struct {
	Runner

	test  testrun.Created
	state session.State
	// did are the events by type, without their version.
	did    []string
	ends   []session.Event
	starts []time.Time
	steps  []session.Step
	// refuse, unless nil, is asked before a command is decided.
	refuse func(session.Command) error

	open   func(attempt int) error         // nil: it opens
	look   func(n int) error               // of the n-th look, from 0
	decide func(n int) (string, error)     // how the n-th step ends the walk, "" for a click
	acted  func(ctx context.Context) error // what acting comes to
	looks  int
	opened int
	closed int
}

func newStage(env domain.Environment) *stage {
	s := &stage{
		test: testrun.Created{
			TestID: "test_1", Environment: env, URL: "http://127.0.0.1:1/", Task: "Sign up for the newsletter",
			Sessions: 1, MaxSteps: 4, Viewports: []string{"desktop"}, Seed: 7,
		},
	}
	s.Runner = Runner{
		Name: "worker", Commands: s, Facts: s, Blobs: s, Browser: s, Brains: s, NoReplays: true,
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	s.apply(session.Queued{
		SessionID: "ses_1", TestID: "test_1", Environment: env, Viewport: "desktop", Seed: 7, Model: "openai/told",
		Persona: persona.Persona{ID: "per_1", Name: "Somebody", Facets: persona.AutoDiverse(1, 1)[0].Facets},
	})
	return s
}

func (s *stage) apply(e session.Event) {
	s.state = session.Decider.Evolve(s.state, e)
	kind, _, _ := strings.Cut(strings.TrimPrefix(e.EventType(), "session."), ".")
	s.did = append(s.did, kind)
	switch e := e.(type) {
	case session.Completed, session.Failed:
		s.ends = append(s.ends, e)
	case session.Stepped:
		s.steps = append(s.steps, e.Step)
	case session.Started:
		s.starts = append(s.starts, time.Now())
	default:
	}
}

func (s *stage) Execute(_ context.Context, e domain.Envelope) (uint64, error) {
	if s.refuse != nil {
		if err := s.refuse(e.Command.(session.Command)); err != nil {
			return 0, err
		}
	}
	events, err := session.Decider.Decide(s.state, e.Command.(session.Command))
	for _, event := range events {
		s.apply(event)
	}
	return uint64(len(s.did)), err
}

func (s *stage) Session(context.Context, string) (session.State, error) { return s.state, nil }

func (s *stage) Created(context.Context, string) (domain.Recorded, error) {
	return domain.Recorded{ID: uuid.Max, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Event: s.test}, nil
}

func (s *stage) Over(context.Context, string) (uint64, bool, error) { return 0, false, nil }

func (s *stage) Inputs(context.Context, testrun.Created) (map[string]string, error) { return nil, nil }

func (s *stage) Put(_ context.Context, data []byte, _ string) (string, error) {
	return fmt.Sprint(len(data)), nil
}

func (s *stage) Brain(string, persona.Persona, task.Goal, uint64) (Brain, error) { return told{s}, nil }

func (s *stage) Open(context.Context, walk.Device) (walk.Tab, error) {
	s.opened++
	if s.open != nil {
		if err := s.open(s.opened); err != nil {
			return nil, err
		}
	}
	return toldPage{s}, nil
}

func (s *stage) run(ctx context.Context) (uint64, error) { return s.runAt(ctx, 0) }

// runAt is run where the worklist knows of attempts.
func (s *stage) runAt(ctx context.Context, attempts int) (uint64, error) {
	return s.Runner.Session(ctx, worklist.Item{Stream: "session-ses_1", TestID: "test_1", Attempt: attempts})
}

// outcome is how the session ended.
func (s *stage) outcome() string {
	if len(s.ends) != 1 {
		return fmt.Sprint(len(s.ends), " ends")
	}
	switch end := s.ends[0].(type) {
	case session.Completed:
		return end.Outcome
	case session.Failed:
		return end.Code
	default:
		return ""
	}
}

// told is a brain that clicks until it is told to end.
type told struct{ s *stage }

func (b told) Step(ctx context.Context, page walk.Page, _ walk.Effect) (walk.Decision, error) {
	end, err := "", error(nil)
	if b.s.decide != nil {
		end, err = b.s.decide(b.s.looks - 1)
	}
	if err != nil {
		return walk.Decision{}, err
	}
	return walk.Decision{End: end, Action: walk.Action{Type: walk.Click, Ref: "e1"}, SimulatedMS: 1000}, ctx.Err()
}

func (told) Usage() *session.Usage { return &session.Usage{Model: "told", Requests: 1} }

type toldPage struct{ s *stage }

func (p toldPage) Goto(context.Context, string) (walk.Effect, error) { return walk.Effect{}, nil }

func (p toldPage) Look(context.Context, string) (walk.Page, error) {
	p.s.looks++
	page := walk.Page{URL: fmt.Sprintf("http://127.0.0.1:1/%d", p.s.looks), Title: "A page", Viewport: walk.Size{Width: 1280, Height: 800}}
	if p.s.look != nil {
		return page, p.s.look(p.s.looks - 1)
	}
	return page, nil
}

func (p toldPage) Act(ctx context.Context, _ walk.Action, _ string) (walk.Effect, error) {
	if p.s.acted != nil {
		return walk.Effect{}, p.s.acted(ctx)
	}
	return walk.Effect{Navigated: true}, nil
}

func (toldPage) Screenshot(context.Context) (walk.Picture, error) {
	return walk.Picture{Data: []byte("jpeg"), ContentType: "image/jpeg", Width: 1280, Height: 800}, nil
}

func (toldPage) Audit(context.Context) ([]walk.Violation, error) { return nil, nil }

func (toldPage) Relieve(context.Context, walk.Relief) error { return nil }

func (toldPage) Withhold(context.Context, func(method, url string) bool) error { return nil }

func (p toldPage) Close() error { p.s.closed++; return nil }

func atStep(n int, result error) func(int) error {
	return func(at int) error {
		if at >= n {
			return result
		}
		return nil
	}
}

func TestHowSessionsEnd(t *testing.T) {
	t.Parallel()
	hung := &walk.Fault{Code: "page_hung", Message: "the page stopped answering"}
	step := []string{"screenshot_taken", "stepped"}
	for name, c := range map[string]struct {
		set   func(*stage)
		steps int
		end   string // the event
		how   string
	}{
		"the brain gives up": {
			set: func(s *stage) {
				s.decide = func(n int) (string, error) { return []string{"", "", walk.EndGaveUp}[n], nil }
			},
			steps: 3, end: "completed", how: walk.GaveUp,
		},
		"the steps are used up":            {set: func(*stage) {}, steps: 4, end: "completed", how: walk.OutOfSteps},
		"the page hangs before it is seen": {set: func(s *stage) { s.look = atStep(0, hung) }, end: "failed", how: "page_hung"},
		"the page hangs later": {
			set: func(s *stage) { s.look = atStep(2, hung) }, steps: 2, end: "completed", how: walk.OutOfSteps,
		},
		"acting fails the page": {
			set: func(s *stage) {
				s.acted = func(context.Context) error { return hung }
				s.look = atStep(1, hung)
			}, steps: 1, end: "completed", how: walk.OutOfSteps,
		},
		"the model does not answer": {
			set:   func(s *stage) { s.decide = func(n int) (string, error) { return "", model(n > 0) } },
			steps: 1, end: "failed", how: "model_unavailable",
		},
		"a step is too large": {
			set: func(s *stage) {
				s.refuse = func(c session.Command) error {
					if r, ok := c.(session.RecordStep); ok && r.Step.Index == 1 {
						return fmt.Errorf("append: %w", eventstore.ErrTooLarge)
					}
					return nil
				}
			}, steps: 1, end: "failed", how: "session_too_large",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(domain.Live)
			c.set(s)
			if _, err := s.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := slices.Concat([]string{"queued", "started"}, slices.Repeat(step, c.steps), []string{c.end})
			if !slices.Equal(s.did, want) || s.outcome() != c.how {
				t.Errorf("recorded %v, %s; want %v, %s", s.did, s.outcome(), want, c.how)
			}
			if s.closed == 0 {
				t.Error("the page is still open")
			}
		})
	}
}

func model(fails bool) error {
	if fails {
		return &ModelFault{"no answer"}
	}
	return nil
}

// A step has the time at which its look began, and perceiving takes time.
func TestAStepIsAsOldAsItsLook(t *testing.T) {
	t.Parallel()
	s := newStage(domain.Live)
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.Now = func() time.Time { return began.Add(time.Duration(s.looks) * time.Second) }
	if _, err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, step := range s.steps {
		if want := domain.At(began.Add(time.Duration(i) * time.Second)); step.At != want {
			t.Errorf("step %d is of %v, want %v", i, step.At, want)
		}
	}
	if len(s.steps) != s.test.MaxSteps {
		t.Errorf("%d steps", len(s.steps))
	}
}

// A page may take as long as it likes; the session does not, and what was seen
// until then is judged.
func TestASessionIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(domain.Live)
		s.acted = func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		began := time.Now()
		if _, err := s.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != maxModelSession {
			t.Errorf("it took %v", took)
		}
		if want := []string{"queued", "started", "failed"}; !slices.Equal(s.did, want) || s.outcome() != "session_timed_out" {
			t.Errorf("recorded %v, %s", s.did, s.outcome())
		}
	})
}

// A browser that dies costs an attempt, and the next one waits longer.
func TestALostBrowserIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(domain.Live)
		s.open = func(int) error { return errors.New("no browser") }
		if _, err := s.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.outcome() != session.AttemptsExhausted || len(s.starts) != session.MaxAttempts {
			t.Fatalf("recorded %v, %s", s.did, s.outcome())
		}
		waits := []time.Duration{s.starts[1].Sub(s.starts[0]), s.starts[2].Sub(s.starts[1])}
		if want := pauses[:2]; !slices.Equal(waits, want) {
			t.Errorf("waited %v, want %v", waits, want)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(domain.Live)
		s.open = func(attempt int) error { return map[bool]error{true: errors.New("no browser")}[attempt == 1] }
		if _, err := s.run(t.Context()); err != nil || s.outcome() != walk.OutOfSteps || s.state.Attempt != 2 {
			t.Errorf("recorded %v, %s, %v", s.did, s.outcome(), err)
		}
	})
}

// An event store that is away for a while costs no attempt; one that stays away ends it.
func TestAStoreThatIsAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, env := range []domain.Environment{domain.Live, domain.Sandbox} {
		for _, away := range []time.Duration{outlasted / 2, 2 * outlasted} {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(env)
				var since time.Time
				s.refuse = func(c session.Command) error {
					if _, start := c.(session.Start); since.IsZero() && !start {
						since = time.Now()
					}
					if !since.IsZero() && time.Since(since) < away {
						return fmt.Errorf("%w: nobody answers", eventstore.ErrUnavailable)
					}
					return nil
				}
				_, err := s.run(t.Context())
				if away < outlasted && (err != nil || len(s.ends) != 1 || s.state.Attempt != 1) {
					t.Errorf("%s: recorded %v in %d attempts, %v", env, s.did, s.state.Attempt, err)
				}
				if away > outlasted && (!errors.Is(err, eventstore.ErrUnavailable) || len(s.ends) != 0 || time.Since(since) > outlasted+time.Second) {
					t.Errorf("%s: recorded %v, %v after %s", env, s.did, err, time.Since(since))
				}
			})
		}
	}
}

// Cancelling ends a walk where it is; nothing more is recorded of it.
func TestACancelledWalkStops(t *testing.T) {
	t.Parallel()
	s := newStage(domain.Live)
	ctx, cancel := context.WithCancel(t.Context())
	s.decide = func(n int) (string, error) {
		if n == 1 {
			cancel()
		}
		return "", nil
	}
	if _, err := s.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if want := []string{"queued", "started", "screenshot_taken", "stepped"}; !slices.Equal(s.did, want) || s.closed == 0 {
		t.Errorf("recorded %v, closed %d times", s.did, s.closed)
	}
}

// Of two workers with one session the slower one stops without a word.
func TestASessionTakenOverIsLeft(t *testing.T) {
	t.Parallel()
	s := newStage(domain.Live)
	s.decide = func(n int) (string, error) {
		if n == 1 {
			s.apply(session.Started{TestID: "test_1", Attempt: 2, Worker: "another"})
		}
		return "", nil
	}
	if _, err := s.run(t.Context()); err != nil {
		t.Error(err)
	}
	if len(s.ends) != 0 || s.looks != 2 || s.closed == 0 {
		t.Errorf("recorded %v after %d looks", s.did, s.looks)
	}
}

// A walk on the simulated site is recorded in one piece.
func TestASandboxWalkIsOneAppend(t *testing.T) {
	t.Parallel()
	s := newStage(domain.Sandbox)
	s.test.MaxSteps = 25
	var commands []string
	s.refuse = func(c session.Command) error {
		commands = append(commands, reflect.TypeOf(c).Name())
		return nil
	}
	if _, err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"Start", "RecordWalk"}; !slices.Equal(commands, want) || s.did[len(s.did)-1] != "completed" || s.opened > 0 {
		t.Errorf("%v: recorded %v", commands, s.did)
	}
}
