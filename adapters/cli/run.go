package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sync/errgroup"

	"understudy/adapters/client"
)

// openTests is how many tests of a suite run at once; the service shares out its
// browsers among them.
const openTests = 8

// result is what came of one test.
type result struct {
	plan     plan
	Test     *client.Test // nil: it was not begun
	Report   *client.Report
	Compared *client.ComparisonResult
	// ComparisonURL is the page of the comparison, where the service has one.
	ComparisonURL string
	Status        int // to exit with
	Reason        string

	sessions                          []walked
	rawTest, rawReport, rawComparison []byte
	forms                             map[string][]byte // the report in the forms that are asked for
	pictures                          []string          // files, or addresses, of what shows the first issues
	folder                            string            // of files, "" without any
}

// hindered are the results of tests that never began.
func hindered(plans []plan, err error) (out []*result) {
	if err == nil {
		return nil
	}
	for _, p := range plans {
		out = append(out, &result{plan: p, Status: StatusOf(err), Reason: err.Error()})
	}
	return out
}

// tests runs the tests, several at once.
func (r *run) tests(ctx context.Context, plans []plan) []*result {
	results := make([]*result, len(plans))
	screen := newProgress(r.told, r.env.Getenv, len(plans) > 1)
	defer screen.close()
	var group errgroup.Group
	group.SetLimit(openTests)
	for i, p := range plans {
		group.Go(func() error {
			results[i] = r.test(ctx, p, screen)
			return nil
		})
	}
	_ = group.Wait() // what went wrong stands in the results
	return results
}

// test runs one test to its end and judges it. When ctx ends, it is called off.
func (r *run) test(ctx context.Context, p plan, screen *progress) *result {
	out := &result{plan: p}
	if err := unjudged(ctx, r.carry(ctx, p, out, screen)); err != nil {
		out.Status, out.Reason = StatusOf(err), err.Error()
		return out
	}
	r.judge(out)
	return out
}

// carry starts a test, follows it to its end and fetches what it came to.
func (r *run) carry(ctx context.Context, p plan, out *result, screen *progress) error {
	earlier, err := r.baseline.of(ctx, r.client, p)
	if err != nil {
		return err
	}
	if earlier == nil && r.baseline != nil {
		say(r.told, "There is no completed test of the name %q yet: nothing is compared.", first(r.baseline.name, p.Name))
	}
	earlier.pair(&p.NewTest)
	made, err := r.client.CreateTestWithResponse(ctx, nil, p.NewTest)
	if err != nil {
		return err
	}
	out.Test = made.JSON201
	line := screen.test(p.title(), out.Test.SessionsTotal)
	defer line.done()
	for message, err := range r.client.Watch(ctx, out.Test.ID, line.lost) {
		if err != nil {
			return r.callOff(ctx, out, err)
		}
		line.tell(message)
	}
	if err := r.fetch(ctx, out); err != nil {
		return err
	}
	if earlier != nil {
		return r.compare(ctx, earlier, out)
	}
	return nil
}

// fetch reads what a test that has ended came to.
func (r *run) fetch(ctx context.Context, out *result) error {
	got, err := r.client.GetTestWithResponse(ctx, out.Test.ID, nil)
	if err != nil {
		return err
	}
	out.Test, out.rawTest, out.sessions = got.JSON200, got.Body, nil
	for s, err := range r.client.Sessions(ctx, out.Test.ID) {
		if err != nil {
			return err
		}
		out.sessions = append(out.sessions, walked{
			ID: s.ID, Index: s.Index, Persona: s.Persona.AdditionalProperties, Viewport: s.Viewport, Seed: s.Seed,
			Status: string(s.Status), Outcome: string(s.Outcome), Seconds: s.SimulatedSeconds, Scores: s.Scores,
		})
	}
	if out.Test.Status != client.TestStatusCompleted {
		return nil
	}
	report, err := r.client.GetTestReportWithResponse(ctx, out.Test.ID, nil)
	if err != nil {
		return err
	}
	out.Report, out.rawReport = report.JSON200, report.Body
	if err := r.fetchForms(ctx, out); err != nil {
		return err
	}
	return r.keepPictures(ctx, out)
}

// callOff cancels a test that is not waited for any longer, for a reason, and keeps what
// it came to.
func (r *run) callOff(ctx context.Context, out *result, why error) error {
	err := unjudged(ctx, why)
	if gone(ctx) {
		return err
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if failed := cancelTest(after, r.client, out.Test.ID); failed != nil {
		return besides(err, failed)
	}
	return besides(err, r.fetch(after, out))
}

// cancelTest cancels a test that may have ended meanwhile.
func cancelTest(ctx context.Context, c *client.Client, id string) error {
	_, err := c.CancelTestWithResponse(ctx, id)
	if refused := (*client.Error)(nil); err == nil || errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return nil
	}
	return fmt.Errorf("%s could not be cancelled and runs on: %w", id, err)
}
