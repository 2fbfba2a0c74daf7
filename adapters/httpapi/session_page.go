package httpapi

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain"
	"understudy/domain/scoring"
	"understudy/domain/session"
	"understudy/projections/sessions"
	"understudy/projections/tests"
)

var sessionTemplate = pageTemplate("session.html")

// stepAnchor is where a step stands on its session's page, which counts from 1.
func stepAnchor(index int) string { return "#step-" + strconv.Itoa(index+1) }

// sessionView is a session as its page shows it.
type sessionView struct {
	Frame   surround
	Session sessions.Document
	// Number of the simulated user in its test, from 1.
	Number    int
	Test      tests.Document
	ReportURL string
	Traits    []trait
	// Outcome in words, and the tag's class that goes with it.
	Outcome, Tone string
	// HasTime, because a session that has not ended has none.
	HasTime         bool
	Simulated, Real string
	Scores          []scoreRow
	Film            *filmView
	Steps           []stepView
	// Timeline is nil without steps.
	Timeline *course
	// Troubled are the numbers of the steps with trouble.
	Troubled []int
}

// Going: the session has yet to end.
func (v sessionView) Going() bool {
	return v.Session.Status == session.StatusQueued || v.Session.Status == session.StatusRunning
}

type filmView struct {
	URL, Type, Poster, Length string
	seconds                   float64
	// Width and Height are those of the pictures it is made of, 0 where they are not known.
	Width, Height int
	Upright       bool
}

// stepView is a step as the page tells it.
type stepView struct {
	session.Step
	// Number counts from 1.
	Number int
	Clock  string
	// FilmAt is when the film comes to it, in seconds.
	FilmAt float64
	// SamePage: the step before was on this page as well.
	SamePage  bool
	Actions   []phrase
	HasTarget bool
	Signs     []signView
	Trouble   bool
	Shot      *shotView
}

// FrustrationWidth is the frustration in percent, for the bar.
func (s stepView) FrustrationWidth() float64 { return 100 * min(max(s.Frustration, 0), 1) }

// TargetName is what was acted on, "" for what has no name.
func (s stepView) TargetName() string { return targetOf(s.Step).Name }

type signView struct {
	Words, Detail  string
	Trouble, Limit bool
}

// sessionPage shows a session to people. The token in links.page gives access
// to this page and the report of its test; a bearer key with tests:read works
// too.
func (a *api) sessionPage(c echo.Context) error {
	until, err := a.admit(c, forSession, "tests:read")
	if err != nil {
		return err
	}
	id, p, now := c.Param("id"), callOf(c).principal, a.Now()
	doc, err := find(c, a.Reads.Session, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	v := sessionView{}
	if v.Session, err = doc.Decode(); err != nil {
		return err
	}
	if v.Test, err = a.stateOf(c, v.Session.TestID); err != nil {
		return err
	}
	if v.Test.ReportID != nil {
		v.ReportURL = a.links.reportURL(p.OrganizationID, p.Environment, *v.Test.ReportID, until)
	}
	steps, err := find(c, a.Reads.Trace, domain.PrefixSession, id)
	if err != nil {
		return err
	}
	trace, err := steps.Decode()
	if err != nil {
		return err
	}
	shots, err := a.screenshotsOf(c, id, p)
	if err != nil {
		return err
	}
	v.tell(trace.Steps, shots, a.links, now)
	if v.Film, err = a.filmOf(c, id, now); err != nil {
		return err
	}
	if v.Film != nil {
		v.inFilm(trace.Steps)
	}
	found, err := a.Reads.Findings(c.Request().Context(), p, id)
	if err != nil {
		return err
	}
	v.beside(found)
	v.Timeline = timelineOf(v.Steps)
	load := []string{sessionStyle, "player.js"}
	if v.Going() {
		load = append(load, whileGoing)
	}
	if v.Frame, err = a.around(c, load...); err != nil {
		return err
	}
	return a.sendPage(c, sessionTemplate, v.Frame, v)
}

// filmOf is a session's recording, nil when it has none.
func (a *api) filmOf(c echo.Context, id string, now time.Time) (*filmView, error) {
	doc, err := find(c, a.Reads.Recording, domain.PrefixSession, id)
	if domain.CodeOf(err) == domain.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	film, err := doc.Decode()
	if err != nil {
		return nil, err
	}
	return &filmView{
		URL: a.links.ArtifactURL(film.ArtifactID, now), Type: "video/" + film.Format, Length: clock(int(1000 * film.DurationSeconds)), seconds: film.DurationSeconds,
	}, nil
}

// inFilm finds the steps in the film, which begins with the picture of the first.
func (v *sessionView) inFilm(steps []session.Step) {
	for i, at := range filmTimes(v.Test.Environment, steps, v.Film.seconds) {
		v.Steps[i].FilmAt = at
	}
	if len(v.Steps) > 0 && v.Steps[0].Shot != nil {
		shot := v.Steps[0].Shot
		v.Film.Poster, v.Film.Width, v.Film.Height, v.Film.Upright = shot.Thumb, shot.Width, shot.Height, shot.Upright
	}
}

// outcome is how a session stands, in words, and the tag's class that goes with
// it.
type outcome struct{ words, tone string }

// succeeded is the outcome of who reached the goal.
const succeeded = "succeeded"

// outcomes tells how a session stands: by its outcome, else by its status.
var outcomes = map[string]outcome{
	succeeded:                       {"succeeded", "passed"},
	"gave_up":                       {"gave up", "failed"},
	"blocked":                       {"was blocked", "failed"},
	"out_of_steps":                  {"ran out of steps", "s2"},
	"":                              {"took it for done", "failed"},
	string(session.StatusQueued):    {"has not begun yet", ""},
	string(session.StatusRunning):   {"is still at it", ""},
	string(session.StatusFailed):    {"could not be carried out", "failed"},
	string(session.StatusCancelled): {"was cancelled", ""},
	string(session.StatusCompleted): {"came to no clear end", "s2"},
}

// outcomeOf is the outcome of a session that was completed.
func outcomeOf(of string) outcome {
	if o, known := outcomes[of]; known {
		return o
	}
	return outcomes[string(session.StatusCompleted)]
}

// tell fills in what the page says.
func (v *sessionView) tell(steps []session.Step, shots map[string]sessions.Screenshot, links *Links, now time.Time) {
	s := v.Session
	state := string(s.Status)
	if s.Outcome != nil && *s.Outcome != "" {
		state = *s.Outcome
	}
	v.Outcome, v.Tone = outcomes[state].words, outcomes[state].tone
	facets := s.Persona.Facets()
	v.Number, v.Traits = s.Index+1, traits(facets)
	if s.SimulatedSeconds > 0 {
		v.HasTime, v.Simulated, v.Real = true, span(s.SimulatedSeconds), span(secondsOr0(s.DurationSeconds))
	}
	if s.Status == session.StatusCompleted {
		v.Scores = criteriaRows(s.Scores, s.Reasons)
	}
	verb, ms := "clicks ", 0
	switch {
	case facets.KeyboardOnly || facets.ScreenReader:
		verb = "presses "
	case s.Viewport == string(Mobile) || s.Viewport == string(Tablet):
		verb = "taps "
	}
	for i, step := range steps {
		w := stepView{
			Step: step, Number: step.Index + 1, Clock: clock(ms), Actions: actionPhrases(step, verb), HasTarget: targetOf(step).Selector != "",
			SamePage: i > 0 && steps[i-1].URL == step.URL && steps[i-1].Title == step.Title,
		}
		ms += step.SimulatedMS
		for _, signal := range step.Signals {
			meant := signOf(signal.Kind)
			w.Signs = append(w.Signs, signView{meant.words, signal.Detail, meant.trouble, meant.limit})
			w.Trouble = w.Trouble || meant.trouble
		}
		if shot, ok := shots[step.ScreenshotID]; ok {
			w.Shot = shown(step, shot, links, now)
		}
		if w.Trouble {
			v.Troubled = append(v.Troubled, step.Index+1)
		}
		v.Steps = append(v.Steps, w)
	}
}

// criteriaRows are all criteria in their order, then others with a score.
func criteriaRows(scores map[string]float64, reasons map[string]string) []scoreRow {
	row := func(criterion string) scoreRow {
		r := scoreRow{Criterion: criterion, Reason: reasons[criterion]}
		if score, ok := scores[criterion]; ok {
			r.Score = &score
		}
		return r
	}
	rows := make([]scoreRow, 0, len(scoring.Criteria))
	for _, criterion := range scoring.Criteria {
		rows = append(rows, row(criterion))
	}
	for _, criterion := range slices.Sorted(maps.Keys(scores)) {
		if !slices.Contains(scoring.Criteria, criterion) {
			rows = append(rows, row(criterion))
		}
	}
	return rows
}

func secondsOr0(seconds *float64) float64 {
	if seconds == nil {
		return 0
	}
	return *seconds
}
