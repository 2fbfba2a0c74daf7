package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"understudy/adapters/client"
	"understudy/domain"
	"understudy/domain/comparison"
)

const (
	// overallScore is the score that a comparison is decided by.
	overallScore = "overall"
	// lastResult is the baseline that is the last completed test of a name.
	lastResult = "last"
	// comparisonPoll is how often a comparison is asked for, comparisonLimit for how long.
	comparisonPoll, comparisonLimit = 250 * time.Millisecond, 5 * time.Minute
)

// baseline is where earlier results are: in a file, or on the service.
type baseline struct {
	stored *document // of a file
	id     string    // of a test
	name   string    // of a series
	last   bool
}

// baselineOf reads --baseline; nil without one.
func baselineOf(text string) (*baseline, error) {
	name, named := strings.CutPrefix(text, lastResult+":")
	switch {
	case text == "":
		return nil, nil
	case text == lastResult:
		return &baseline{last: true}, nil
	case named && name != "":
		return &baseline{last: true, name: name}, nil
	case strings.HasPrefix(text, domain.PrefixTest+"_"):
		return &baseline{id: text}, nil
	}
	raw, err := os.ReadFile(text) //nolint:gosec // the caller's own
	if err != nil {
		return nil, usage("--baseline: %q is no test's id, nor %s, and no file: %v", text, lastResult, err)
	}
	stored := new(document)
	if err := json.Unmarshal(raw, stored); err != nil || stored.Format != documentFormat {
		return nil, usage("--baseline: %s is no file of --report json=FILE", text)
	}
	return &baseline{stored: stored}, nil
}

// fits says whether there can be a baseline of each planned test.
func (b *baseline) fits(plans []plan) error {
	if b == nil || !b.last || b.name != "" {
		return nil
	}
	for _, p := range plans {
		if p.Name == "" {
			return usage("--baseline %s: a test without a name has no series; name it, or say %s:NAME", lastResult, lastResult)
		}
	}
	return nil
}

// earlier is the result that a test is held against.
type earlier struct {
	test     *client.Test
	sessions []walked // of a file; else the service has them
}

// of finds the earlier result of a planned test. There is none where the series has
// only begun.
func (b *baseline) of(ctx context.Context, c *client.Client, p plan) (*earlier, error) {
	switch {
	case b == nil:
		return nil, nil
	case b.stored != nil:
		s := b.stored.of(p)
		if s == nil {
			return nil, usage("--baseline: the file has no test %q", p.title())
		}
		e := &earlier{sessions: s.Sessions}
		return e, json.Unmarshal(s.Test, &e.test)
	case b.id != "":
		got, err := c.GetTestWithResponse(ctx, b.id, nil)
		if err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
		return &earlier{test: got.JSON200}, nil
	}
	name := first(b.name, p.Name)
	for t, err := range c.Tests(ctx, client.ListTestsParams{Status: new(client.TestStatusCompleted), Name: &name}) {
		if err != nil {
			return nil, err
		}
		return &earlier{test: &t}, nil
	}
	return nil, nil
}

// pair has the same people with the same seeds try the task again, where the test
// does not say otherwise.
func (e *earlier) pair(t *client.NewTest) {
	if e == nil {
		return
	}
	if t.Seed == nil {
		t.Seed = &e.test.Seed
	}
	if t.Sessions == 0 {
		t.Sessions = e.test.SessionsTotal
	}
	if t.Personas.Source == "" {
		t.Personas = e.test.Personas
	}
	if len(t.Viewport) == 0 {
		t.Viewport = e.test.Viewport
	}
	if len(t.Criteria) == 0 {
		t.Criteria = e.test.Criteria
	}
}

// compare holds a completed test against an earlier result: on the service where it
// has both, so that the comparison has a page, else here.
func (r *run) compare(ctx context.Context, e *earlier, out *result) error {
	if out.Report == nil {
		return nil
	}
	if e.sessions != nil {
		compared, err := comparison.Build(sideOf(e.test, e.sessions), sideOf(out.Test, out.sessions))
		if err != nil {
			return fmt.Errorf("compare with the baseline: %w", err)
		}
		out.rawComparison, err = json.Marshal(compared)
		return errors.Join(err, json.Unmarshal(out.rawComparison, &out.Compared))
	}
	made, err := r.client.CreateComparisonWithResponse(ctx, nil, client.NewComparison{
		"a": map[string]any{"test_id": e.test.ID}, "b": map[string]any{"test_id": out.Test.ID},
	})
	if err != nil {
		return fmt.Errorf("compare with the baseline: %w", err)
	}
	got, raw, err := awaitComparison(ctx, r.client, made.JSON201, made.Body)
	if err != nil {
		return err
	}
	if got.Status != client.ComparisonStatusCompleted {
		return errors.New("compare with the baseline: " + got.Failure.Message)
	}
	out.Compared = &got.Result
	if !r.passing {
		out.ComparisonURL = got.ComparisonURL
	}
	var whole struct{ Result json.RawMessage }
	err = json.Unmarshal(raw, &whole)
	out.rawComparison = whole.Result
	return err
}

// sideOf is a test as a comparison sees it, by its scores alone.
func sideOf(t *client.Test, sessions []walked) comparison.Test {
	side := comparison.Test{ID: t.ID, URL: t.URL, Task: t.Task, Model: t.Model, MaxSteps: t.MaxSteps, Criteria: each[string](t.Criteria)}
	if t.Success != (client.Success{}) {
		side.Success = fmt.Sprintf("%+v", t.Success)
	}
	for _, s := range sessions {
		facets, _ := json.Marshal(s.Persona) // a map that was JSON
		scores := map[string]float64{}
		for name, score := range s.Scores {
			if score != nil {
				scores[name] = *score
			}
		}
		side.Sessions = append(side.Sessions, comparison.Session{
			ID: s.ID, Index: s.Index, Who: fmt.Sprintf("%s %s %d", facets, s.Viewport, s.Seed), Usable: s.Status == string(client.SessionStatusCompleted),
			Succeeded: s.Outcome == string(client.SessionOutcomeSucceeded), Seconds: s.Seconds, Scores: scores,
		})
	}
	return side
}
