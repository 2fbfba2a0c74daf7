package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/oracle"
	"understudy/domain/persona"
	"understudy/domain/process"
	"understudy/domain/scoring"
	"understudy/domain/session"
	"understudy/domain/walk"
	"understudy/eventstore"
)

// walk opens a page and walks it to the end.
func (a *attempt) walk(ctx context.Context) (uint64, error) {
	inputs, err := a.r.Facts.Inputs(ctx, a.test)
	if err != nil {
		return 0, err
	}
	w, err := newWalker(a, process.Persona(a.session), inputs)
	if err == nil {
		defer func() { a.spent = w.used() }()
		if a.sandboxed() {
			return w.walkSandbox(ctx)
		}
		return w.walkPage(ctx)
	}
	return a.ended(ctx, err, a.spent)
}

// ended records what a walk failed for, if that is to be recorded.
func (a *attempt) ended(ctx context.Context, err error, used *session.Usage) (uint64, error) {
	var fault *walk.Fault
	var brainless *ModelFault
	switch {
	case errors.As(err, &fault):
		return a.fail(ctx, fault.Code, fault.Message, used)
	case errors.As(err, &brainless):
		return a.fail(ctx, modelUnavailable, brainless.Message, used)
	case errors.Is(err, eventstore.ErrTooLarge):
		return a.fail(ctx, "session_too_large", "a step of this session is too large to be recorded", used)
	}
	return 0, err
}

func (a *attempt) sandboxed() bool { return a.session.Environment == domain.Sandbox }

func (a *attempt) fail(ctx context.Context, code, message string, used *session.Usage) (uint64, error) {
	return a.execute(ctx, "fail", session.Fail{Attempt: a.number, Code: code, Message: message, Usage: used, Now: a.r.now()})
}

// walker is one simulated user on one page.
type walker struct {
	*attempt
	brain  Brain
	before *session.Usage // what earlier attempts have cost
	device walk.Device
	plan   walk.Plan
}

func newWalker(a *attempt, who persona.Persona, inputs map[string]string) (*walker, error) {
	w := &walker{attempt: a, before: a.spent}
	w.device, w.plan = a.errand(who, inputs)
	var err error
	w.brain, err = a.newBrain(who, w.plan)
	return w, err
}

// errand is with what somebody is sent, and on what.
func (a *attempt) errand(who persona.Persona, inputs map[string]string) (walk.Device, walk.Plan) {
	plan := walk.NewPlan(a.test.URL, a.test.Task, who, inputs, a.test.MaxSteps)
	if s := a.test.Success; s != nil {
		plan.Success = walk.Conditions(*s)
	}
	device := walk.DeviceOf(who.Facets, a.session.Viewport, a.test.Locale, a.session.Seed)
	device.InputsAt = append([]string{a.test.URL}, a.test.InputsOrigins...)
	device.Private = append([]string{a.test.URL}, a.test.PrivateOrigins...)
	return device, plan
}

// judge decides whether the goal is reached.
func (w *walker) judge() walk.Judge { return oracle.New(w.plan.Goal, w.plan.Success) }

// walkPage walks a real page, recording each step as it is made.
func (w *walker) walkPage(ctx context.Context) (uint64, error) {
	page, err := w.r.Browser.Open(ctx, w.device)
	if err != nil {
		return 0, &walk.Interrupted{Cause: err}
	}
	defer w.leave(page)
	w.plan.Limit = w.limit()
	kept := &recorder{walker: w, Tab: page}
	result, err := walk.Run(ctx, kept, w.brain, w.judge(), w.plan, kept)
	if err != nil {
		return w.ended(ctx, err, w.used())
	}
	if w.mend(&result.Walked) {
		return 0, &walk.Interrupted{Cause: errLate}
	}
	w.leave(page) // a film takes time, and others want its place in the browser
	done := w.result(result.Walked)
	if done.Recording, err = w.film(ctx, kept.frames, kept.clock); err != nil {
		// A session without its film is still a session.
		w.r.Logger.Warn("recording is left out", "session", w.session.SessionID, "error", err)
	}
	done.At = w.r.now()
	return w.execute(ctx, "complete", session.Complete{Result: done})
}

// mend: a late machine has hurt the walk, which is walked again, once. What it had
// servers change is not done again for that: the walk stands, with its limit. Nor is a
// language model paid twice.
func (w *walker) mend(walked *walk.Walked) bool {
	return walked.Hurt() && !walked.Sent() && !w.again && w.number < session.MaxAttempts && builtIn(w.session.Model)
}

// leave closes a page, once or again. One that does not close belongs to a
// browser that is being thrown away.
func (w *walker) leave(page walk.Tab) {
	if err := page.Close(); err != nil {
		w.r.Logger.Debug("page did not close", "session", w.session.SessionID, "error", err)
	}
}

// recorder records the steps of a walk on a real page as they are made, and
// keeps the pictures for the film.
type recorder struct {
	*walker
	walk.Tab

	at      domain.Time // at which the look began
	picture walk.Picture
	shot    session.Artifact
	frames  []Frame
	clock   time.Duration // of the film
}

// Look remembers when it began: a step has the time at which its user turned to
// the page, however long the page takes to be perceived.
func (r *recorder) Look(ctx context.Context, selector string) (walk.Page, error) {
	r.at = r.r.now()
	return r.Tab.Look(ctx, selector)
}

// Looked takes the picture of a look.
func (r *recorder) Looked(ctx context.Context, page walk.Tab, index int, _ *walk.Page) (err error) {
	if r.picture, err = page.Screenshot(ctx); err == nil {
		r.shot, err = r.artifact(ctx, fmt.Sprint("screenshot ", index), r.picture.Data, r.picture.ContentType)
	}
	return err
}

// Decided adds what an audit says of the page. It neither changes the walk nor
// stops it: without an answer there is no evidence.
func (r *recorder) Decided(ctx context.Context, page walk.Tab, look *walk.Page) {
	found, err := r.r.audits.Of(ctx, r.test.TestID, r.session.Viewport, look, page)
	if err != nil {
		r.r.Logger.Debug("page was not audited", "session", r.session.SessionID, "error", err)
	}
	look.Violations = found
}

// Stepped records a step.
func (r *recorder) Stepped(ctx context.Context, step walk.StepRecord) error {
	r.frames = append(r.frames, Frame{JPEG: r.picture.Data, At: r.clock})
	r.clock += frameTime(step.Decision.SimulatedMS)
	_, err := r.execute(ctx, fmt.Sprint("step ", step.Index), r.stepped(step, r.shot, r.picture.Width, r.picture.Height, r.at, r.r.now()))
	return err
}

// frameTime is how long a step is shown in the film: the simulated time, but
// neither too short to see nor so long that nothing seems to happen.
func frameTime(simulatedMS int) time.Duration {
	return min(max(time.Duration(simulatedMS)*time.Millisecond, 700*time.Millisecond), 3*time.Second)
}

// result is what the walk comes to.
func (w *walker) result(walked walk.Walked) session.Completed {
	scores, missing := scoring.Score(scoring.Collect(walked))
	outcome := walked.Outcome
	if outcome == "" {
		outcome = walk.GaveUp
	}
	return session.Completed{
		Attempt: w.number,
		Outcome: outcome,
		Completion: session.Completion{
			Status: walked.Completion.Status, Confidence: walked.Completion.Confidence, Evidence: walked.Completion.Evidence,
		},
		Scores:       scores,
		Reasons:      missing,
		SimulatedMS:  walked.SimulatedMS,
		Steps:        len(walked.Steps),
		PagesVisited: walked.Pages,
		Findings:     session.TakeFindings(findings.NewSession(w.session.SessionID, walked)),
		Usage:        w.used(),
	}
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

// stepped is the command that records a step with its picture, of a look at at.
func (w *walker) stepped(r walk.StepRecord, shot session.Artifact, width, height int, at, now domain.Time) session.RecordStep {
	step := Describe(r)
	step.At, step.ScreenshotID = at, shot.ID
	return session.RecordStep{
		Attempt: w.number,
		Screenshot: &session.ScreenshotTaken{
			Attempt: w.number, Step: r.Index, Artifact: shot, Width: width, Height: height, At: at,
		},
		Step: step, Now: now,
	}
}

// Describe is a step as it is recorded, but for its time and its picture.
func Describe(r walk.StepRecord) session.Step {
	d := r.Decision
	step := session.Step{
		Index: r.Index, URL: r.Page.URL, Title: r.Page.Title,
		Observation: d.Observation, Thought: d.Thought,
		Action:      session.Action{Type: string(d.Action.Type), Text: d.Action.Text},
		SimulatedMS: d.SimulatedMS, Scent: d.Scent, Frustration: d.Frustration,
		ViewportWidth: r.Page.Viewport.Width, ScrollY: int(math.Round(r.Page.ScrollY)), Signals: []session.Signal{},
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
