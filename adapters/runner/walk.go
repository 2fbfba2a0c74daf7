package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/mind"
	"understudy/domain/persona"
	"understudy/domain/scoring"
	"understudy/domain/session"
	"understudy/eventstore"
)

// PageFault is a failure that is the page's own: it hung, crashed, or could
// not be shown.
type PageFault struct {
	Code    string
	Message string
}

func (e *PageFault) Error() string { return e.Code + ": " + e.Message }

// walk opens a page and walks it to the end.
func (a *attempt) walk(ctx context.Context) (uint64, error) {
	who, err := a.persona()
	if err != nil {
		return a.fail(ctx, "persona_invalid", "the persona of this session cannot be read", a.spent)
	}
	inputs, err := a.r.Facts.Inputs(ctx, a.test)
	if err != nil {
		return 0, err
	}
	w, err := newWalker(a, who, inputs)
	var fault *ModelFault
	if errors.As(err, &fault) {
		return a.fail(ctx, modelUnavailable, fault.Message, a.spent)
	}
	if err != nil {
		return 0, err
	}
	defer func() { a.spent = w.used() }()
	if a.sandboxed() {
		return w.walkSandbox(ctx)
	}
	page, err := a.r.Browser.Open(ctx, w.device())
	if err != nil {
		return 0, &Interrupted{err}
	}
	defer w.leave(page)
	return w.walkPage(ctx, page, w.limit())
}

// leave closes a page, once or again. One that does not close belongs to a
// browser that is being thrown away.
func (w *walker) leave(page Page) {
	if err := page.Close(); err != nil {
		w.r.Logger.Debug("page did not close", "session", w.session.SessionID, "error", err)
	}
}

// device is what the session's user has.
func (w *walker) device() Device {
	f := w.who.Facets
	return Device{
		Viewport: w.session.Viewport, Locale: w.test.Locale, Seed: w.session.Seed, Zoom: f.Zoom,
		Keyboard: f.KeyboardOnly || f.ScreenReader,
	}
}

func (a *attempt) persona() (persona.Persona, error) {
	p := persona.Persona{ID: a.session.Persona.ID, Name: a.session.Persona.Name, Summary: a.session.Persona.Summary}
	err := json.Unmarshal(a.session.Persona.Facets, &p.Facets)
	p.Facets = p.Facets.WithDefaults()
	return p, err
}

func (a *attempt) sandboxed() bool { return a.session.Environment == domain.Sandbox }

func (a *attempt) fail(ctx context.Context, code, message string, used *session.Usage) (uint64, error) {
	return a.execute(ctx, "fail", session.Fail{Attempt: a.number, Code: code, Message: message, Usage: used, Now: a.r.now()})
}

// walker is one simulated user on one page.
type walker struct {
	*attempt
	who     persona.Persona
	inputs  map[string]string
	brain   Brain
	before  *session.Usage // what earlier attempts have cost
	log     *mind.Walk
	oracle  *mind.Oracle
	success mind.SuccessConditions
	goal    mind.Goal
	frames  []Frame
	clock   time.Duration // of the film
}

func newWalker(a *attempt, who persona.Persona, inputs map[string]string) (*walker, error) {
	names := make([]string, 0, len(a.test.Inputs))
	for name := range a.test.Inputs {
		names = append(names, name)
	}
	goal := mind.ParseTask(a.test.Task, names)
	brain, err := a.newBrain(who, goal)
	if err != nil {
		return nil, err
	}
	w := &walker{
		attempt: a, who: who, inputs: inputs, goal: goal,
		brain: brain, before: a.spent,
		log: mind.NewWalk(goal, who),
	}
	if s := a.test.Success; s != nil {
		w.success = mind.SuccessConditions{
			URLMatches: s.URLMatches, TextVisible: s.TextVisible,
			SelectorVisible: s.SelectorVisible, RequestMade: s.RequestMade,
		}
	}
	return w, nil
}

// walkPage walks a real page for limit at most, recording each step as it is
// made. What is recorded is not bound by the limit.
func (w *walker) walkPage(ctx context.Context, page Page, limit time.Duration) (uint64, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, limit, &PageFault{
		Code: "session_timed_out", Message: fmt.Sprintf("the session took longer than %s", limit),
	})
	defer cancel()
	effect, err := page.Goto(bounded, w.test.URL)
	if err != nil {
		var fault *PageFault
		if errors.As(timely(bounded, err), &fault) {
			return w.fail(ctx, fault.Code, fault.Message, w.used())
		}
		return 0, err
	}
	for i := 0; i < w.test.MaxSteps; i++ {
		step, ended, err := w.step(bounded, page, i, &effect)
		err = timely(bounded, err)
		var fault *PageFault
		if errors.As(err, &fault) {
			if i == 0 {
				return w.fail(ctx, fault.Code, fault.Message, w.used())
			}
			break // what was seen until here is kept; the oracle judges it
		}
		var brainless *ModelFault
		if errors.As(err, &brainless) {
			return w.fail(ctx, modelUnavailable, brainless.Message, w.used())
		}
		if err != nil {
			return 0, err
		}
		_, err = w.execute(ctx, fmt.Sprint("step ", i), step)
		if errors.Is(err, eventstore.ErrTooLarge) {
			return w.fail(ctx, "session_too_large", "a step of this session is too large to be recorded", w.used())
		}
		if err != nil {
			return 0, err
		}
		if ended {
			return w.complete(ctx, page)
		}
	}
	// The last action's page has not been looked at yet.
	if last, err := page.Look(bounded, w.success.SelectorVisible); err == nil {
		w.oracle.Observe(last, effect)
	}
	return w.complete(ctx, page)
}

// timely is err, or why ctx has ended when its deadline was the reason.
func timely(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}

// step looks, decides and acts once. effect is that of the step before and
// becomes that of this one.
func (w *walker) step(ctx context.Context, page Page, index int, effect *mind.Effect) (session.RecordStep, bool, error) {
	at := w.r.now()
	look, err := page.Look(ctx, w.success.SelectorVisible)
	if err != nil {
		return session.RecordStep{}, false, err
	}
	look.URL, look.Title = clip(look.URL), clip(look.Title)
	picture, err := page.Screenshot(ctx)
	if err != nil {
		return session.RecordStep{}, false, err
	}
	shot, err := w.artifact(ctx, fmt.Sprint("screenshot ", index), picture.Data, picture.ContentType)
	if err != nil {
		return session.RecordStep{}, false, err
	}
	decision, err := w.decide(ctx, look, *effect)
	if err != nil {
		return session.RecordStep{}, false, err
	}
	look.Violations = w.audited(ctx, page, &look) // before the page is left
	*effect = mind.Effect{}
	var acted error
	if decision.End == "" {
		*effect, acted = page.Act(ctx, decision.Action, w.typed(decision.Action))
		var fault *PageFault
		if errors.As(acted, &fault) {
			effect.Failed = fault.Message
		} else if acted != nil {
			return session.RecordStep{}, false, acted
		}
	}
	effect.URL = clip(effect.URL)
	record := w.log.Record(look, decision, *effect)
	w.frames = append(w.frames, Frame{JPEG: picture.Data, At: w.clock})
	w.clock += frameTime(decision.SimulatedMS)
	return session.RecordStep{
		Attempt: w.number,
		Screenshot: &session.ScreenshotTaken{
			Attempt: w.number, Step: index, Artifact: shot, Width: picture.Width, Height: picture.Height, At: at,
		},
		Step: describe(record, shot.ID, at),
		Now:  w.r.now(),
	}, decision.End != "", nil
}

// maxText bounds addresses and titles, which pages can make as long as they
// like and every event and issue repeats.
const maxText = 2048

func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "")
}

// decide lets the oracle see what the brain sees, and the brain decide.
func (w *walker) decide(ctx context.Context, look mind.Page, effect mind.Effect) (mind.Decision, error) {
	if w.oracle == nil {
		w.oracle = mind.NewOracle(w.goal, w.success, look)
	}
	w.oracle.Observe(look, effect)
	return w.brain.Step(ctx, look, effect)
}

// typed is what really goes into the page: an input's value where the action
// names one.
func (w *walker) typed(a mind.Action) string {
	if a.Secret != "" {
		return w.inputs[a.Secret]
	}
	return a.Text
}

// frameTime is how long a step is shown in the film: the simulated time, but
// neither too short to see nor so long that nothing seems to happen.
func frameTime(simulatedMS int) time.Duration {
	return min(max(time.Duration(simulatedMS)*time.Millisecond, 700*time.Millisecond), 3*time.Second)
}

// complete closes the walk: the oracle's verdict, scores, findings, the film.
func (w *walker) complete(ctx context.Context, page Page) (uint64, error) {
	w.leave(page) // replays want a place in the browser
	done, err := w.result(func(s findings.Session) []findings.Cause { return w.causes(ctx, s) })
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return 0, err
	}
	if done.Recording, err = w.film(ctx, w.frames, w.clock); err != nil {
		// A session without its film is still a session.
		w.r.Logger.Warn("recording is left out", "session", w.session.SessionID, "error", err)
	}
	done.At = w.r.now()
	return w.execute(ctx, "complete", session.Complete{Result: done})
}

// result is what the walk comes to; causes finds out why a session fell short.
func (w *walker) result(causes func(findings.Session) []findings.Cause) (session.Completed, error) {
	walked := w.log.Result(w.oracle.Verdict())
	found := findings.NewSession(w.session.SessionID, walked)
	found.Causes = causes(found)
	observed, err := json.Marshal(found)
	if err != nil {
		return session.Completed{}, fmt.Errorf("findings: %w", err)
	}
	outcome := walked.Outcome
	if outcome == "" {
		outcome = mind.GaveUp
	}
	return session.Completed{
		Attempt: w.number,
		Outcome: outcome,
		Completion: session.Completion{
			Status: walked.Completion.Status, Confidence: walked.Completion.Confidence, Evidence: walked.Completion.Evidence,
		},
		Scores:       scoring.Score(scoring.Collect(walked)),
		SimulatedMS:  walked.SimulatedMS,
		Steps:        len(walked.Steps),
		PagesVisited: walked.Pages,
		Findings:     observed,
		Usage:        w.used(),
	}, nil
}

func (w *walker) film(ctx context.Context, frames []Frame, total time.Duration) (*session.Recording, error) {
	if w.r.Encoder == nil || len(frames) == 0 {
		return nil, nil
	}
	video, err := w.r.Encoder.Encode(ctx, frames, total)
	if err != nil {
		return nil, err
	}
	artifact, err := w.artifact(ctx, "recording", video, "video/webm")
	if err != nil {
		return nil, err
	}
	return &session.Recording{Artifact: artifact, Format: "webm", DurationSeconds: total.Seconds()}, nil
}

// describe is a step as it is recorded.
func describe(r mind.StepRecord, screenshotID string, at domain.Time) session.Step {
	d := r.Decision
	step := session.Step{
		Index: r.Index, At: at, URL: r.Page.URL, Title: r.Page.Title,
		Observation: d.Observation, Thought: d.Thought,
		Action:      session.Action{Type: string(d.Action.Type), Text: d.Action.Text},
		SimulatedMS: d.SimulatedMS, Scent: d.Scent, Frustration: d.Frustration,
		ScreenshotID: screenshotID, ViewportWidth: r.Page.Viewport.Width, Signals: []session.Signal{},
	}
	if d.Action.Secret != "" {
		step.Action.Text = "{{" + d.Action.Secret + "}}"
	}
	if t := d.Target; t != nil {
		step.Action.Target = &session.Target{
			Role: t.Role, Name: t.Name, Selector: t.Selector,
			Box: session.Box{X: t.Box.X, Y: t.Box.Y, W: t.Box.W, H: t.Box.H},
		}
	}
	for _, s := range r.Signals {
		step.Signals = append(step.Signals, session.Signal{Kind: s.Kind, Detail: s.Detail})
	}
	return step
}
