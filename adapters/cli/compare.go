package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"understudy/adapters/client"
	"understudy/domain"
)

func compareCommand(env Env) *cobra.Command {
	var (
		s       Server
		p       planFlags
		dataDir string
		reports []string
		strict  bool
		limit   time.Duration
	)
	command := &cobra.Command{
		Use:   "compare A B",
		Short: "Hold B against A: two tests, or two addresses that the same people try",
		Long: `Hold B against A: two tests, or two addresses on which the same people with the
same seeds try a task.

Exit status 1: a score of B is significantly worse (with --strict: or the comparison
is inconclusive); the others are those of understudy test.`,
		Example: `  understudy compare https://example.com/ https://preview-41.example.com/ --task "Find out what it costs" --sessions 40
  understudy compare test_01kaj8h2v4e6tvn2f3m9q0w7xz test_01kaj9c5w8f2s7m4q1z0r6t3yd`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			forms, err := reportFiles(reports)
			if err != nil {
				return err
			}
			for _, f := range forms {
				if f.form != formMarkdown && f.form != formJSON {
					return usage("--report: a comparison is written as md or json, not as %s", f.form)
				}
			}
			body, err := comparisonOf(p, args, cmd, env)
			if err != nil {
				return err
			}
			ctx, cancel := bounded(cmd.Context(), limit)
			defer cancel()
			c, local, err := s.orLocal(ctx, env, dataDir, cmd.ErrOrStderr())
			if err != nil {
				return unjudged(ctx, err)
			}
			if local != nil {
				var done context.CancelFunc
				ctx, done = during(ctx, local)
				defer func() { done(); err = stopped(local, err) }()
			}
			return unjudged(ctx, compareSides(ctx, cmd, env, c, local != nil, body, forms, strict))
		},
	}
	p.flags(command)
	s.Flags(command)
	flags := command.Flags()
	flags.StringVar(&dataDir, "data-dir", "", "start a service on this directory, which keeps what was found; otherwise a temporary one")
	flags.StringSliceVar(&reports, "report", nil, "write the comparison as FORM=FILE, FILE - for standard output; forms: md, json")
	flags.BoolVar(&strict, "strict", false, "also fail where the comparison is inconclusive")
	flags.DurationVar(&limit, "timeout", time.Hour, "how long everything may take; then the tests are called off")
	return command
}

// comparisonOf is the request for a comparison.
func comparisonOf(p planFlags, args []string, cmd *cobra.Command, env Env) (client.NewComparison, error) {
	sides := [2]map[string]any{}
	addresses := 0
	for i, arg := range args {
		if strings.HasPrefix(arg, domain.PrefixTest+"_") {
			sides[i] = map[string]any{"test_id": arg}
			continue
		}
		addresses++
		sides[i] = map[string]any{"url": arg}
	}
	if addresses == 2 && strings.TrimSpace(p.Task) == "" {
		return nil, usage("--task is missing: what are the people to do there?")
	}
	var settings client.NewTest
	if err := p.onto(&settings, cmd.Flags(), env.Getenv); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	body := client.NewComparison{}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	delete(body, "url") // each side has its own
	if settings.Task == "" {
		delete(body, "task")
	}
	body["a"], body["b"] = sides[0], sides[1]
	return body, nil
}

// compareSides makes a comparison, follows its tests, and tells what came of it. passing:
// the service, with the page of the comparison, ends with the command.
func compareSides(ctx context.Context, cmd *cobra.Command, env Env, c *client.Client, passing bool, body client.NewComparison, forms []reportFile, strict bool) error {
	made, err := c.CreateComparisonWithResponse(ctx, nil, body)
	if err != nil {
		return err
	}
	if err := followBoth(ctx, cmd, env, c, made.JSON201); err != nil {
		err = unjudged(ctx, err)
		off, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
		defer cancel()
		for _, side := range []client.ComparisonSide{made.JSON201.A, made.JSON201.B} {
			if side.Started && !gone(ctx) {
				err = besides(err, cancelTest(off, c, side.TestID))
			}
		}
		return err
	}
	done, raw, err := awaitComparison(ctx, c, made.JSON201, made.Body)
	if err != nil {
		return err
	}
	if done.Status != client.ComparisonStatusCompleted {
		return &ExitError{ExitTestFailed, errors.New(done.Failure.Message)}
	}
	if passing {
		done.ComparisonURL = ""
	}
	text, worse := comparisonText(done, strict)
	r := &run{out: cmd.OutOrStdout(), told: cmd.ErrOrStderr()}
	quiet := false
	for _, f := range forms {
		content := raw
		if f.form == formMarkdown {
			content = []byte(comparisonMarkdown(done, text))
		}
		if err := r.put(f.path, content); err != nil {
			return &ExitError{ExitUsage, err}
		}
		quiet = quiet || f.path == "-"
	}
	if file := env.Getenv("GITHUB_STEP_SUMMARY"); file != "" {
		if err := appendTo(file, comparisonMarkdown(done, text)); err != nil {
			return &ExitError{ExitUsage, err}
		}
	}
	if !quiet {
		if err := tellComparison(r.out, done, text); err != nil {
			return err
		}
	}
	if worse {
		return &ExitError{Status: ExitGateFailed}
	}
	return nil
}

// followBoth follows the tests that were started for a comparison to their ends.
func followBoth(ctx context.Context, cmd *cobra.Command, env Env, c *client.Client, made *client.Comparison) error {
	screen := newProgress(cmd.ErrOrStderr(), env.Getenv, true)
	defer screen.close()
	group, ctx := errgroup.WithContext(ctx)
	for _, side := range []client.ComparisonSide{made.A, made.B} {
		group.Go(func() error {
			got, err := c.GetTestWithResponse(ctx, side.TestID, nil)
			if err != nil {
				return err
			}
			line := screen.test(side.URL, got.JSON200.SessionsTotal)
			defer line.done()
			for message, err := range c.Watch(ctx, side.TestID, line.lost) {
				if err != nil {
					return err
				}
				line.tell(message)
			}
			return nil
		})
	}
	return group.Wait()
}

// awaitComparison waits for the result of a comparison whose tests have ended. raw is
// the answer that has it.
func awaitComparison(ctx context.Context, c *client.Client, got *client.Comparison, raw []byte) (*client.Comparison, []byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, comparisonLimit, fmt.Errorf("the comparison took longer than %s", comparisonLimit))
	defer cancel()
	for got.Status == client.ComparisonStatusRunning {
		select {
		case <-time.After(comparisonPoll):
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
		now, err := c.GetComparisonWithResponse(ctx, got.ID, nil)
		if err != nil {
			return nil, nil, err
		}
		got, raw = now.JSON200, now.Body
	}
	return got, raw, nil
}
