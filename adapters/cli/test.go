package cli

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/client"
)

// testFlags are the flags of the test command that do not describe a test.
type testFlags struct {
	Server
	dataDir  string
	suite    string
	gate     string
	reports  []string
	baseline string
	strict   bool
	start    string
	waitOn   string
	patience time.Duration
	limit    time.Duration
}

// Modes of --gate.
const gateFail, gateWarn = "fail", "warn"

func testCommand(env Env) *cobra.Command {
	var f testFlags
	var p planFlags
	command := &cobra.Command{
		Use:   "test [URL]",
		Short: "Let simulated users try a task on a page, and judge it",
		Long: `Let simulated users try a task on a page, tell what to fix first, and judge it.

Without a service (--server, UNDERSTUDY_URL, a configuration file, or one that runs on
./data) one is started for this command, and ended with it.

Exit status:
  0  the quality gate passed, or nothing is significantly worse than the baseline
  1  it failed
  2  a flag, a file or the request is wrong
  3  the test could not be carried through
  4  the service does not answer
  5  there is no verdict: called off, or no evidence`,
		Example: `  understudy test https://example.com/ --task "Find out how to contact the company" --fail-under 0.7
  understudy test http://localhost:3000/ --task "Sign up" --start "npm start" --report html=report.html,junit=junit.xml
  understudy test --suite understudy.yaml --baseline last`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			forms, err := reportFiles(f.reports)
			if err != nil {
				return err
			}
			plans, err := plansOf(f.suite, p, args, cmd.Flags(), env.Getenv)
			if err != nil {
				return err
			}
			if f.gate != gateFail && f.gate != gateWarn {
				return usage("--gate: %q is neither %s nor %s", f.gate, gateFail, gateWarn)
			}
			if slices.ContainsFunc(forms, func(f reportFile) bool { return f.path == "-" && f.each() }) && len(plans) > 1 {
				return usage("--report: html and pdf of several tests are a file each; name one instead of -")
			}
			base, err := baselineOf(f.baseline)
			if err != nil {
				return err
			}
			if err := base.fits(plans); err != nil {
				return err
			}
			if f.strict && base == nil {
				return usage("--strict says how a comparison is judged; it needs --baseline")
			}
			r := &run{
				env: env, flags: f, forms: forms, baseline: base,
				asked: cmd.Flags().Changed("fail-under"),
				out:   cmd.OutOrStdout(), told: cmd.ErrOrStderr(),
			}
			return r.all(cmd.Context(), plans)
		},
	}
	p.flags(command)
	f.Flags(command)
	flags := command.Flags()
	flags.StringVar(&f.suite, "suite", "", "file of tests instead of one; flags then hold for all of them")
	flags.StringVar(&f.dataDir, "data-dir", "", "start a service on this directory, which keeps what was found; otherwise a temporary one")
	flags.StringVar(&f.gate, "gate", gateFail, "what a failed gate does: fail, or warn and exit with 0")
	flags.StringSliceVar(&f.reports, "report", nil, "write reports as FORM=FILE, FILE - for standard output; forms: html, md, pdf, junit, json")
	flags.StringVar(&f.baseline, "baseline", "", "compare with an earlier result: a test's id, last (the last completed test of the same name), last:NAME, or a file of --report json=FILE")
	flags.BoolVar(&f.strict, "strict", false, "with --baseline: also fail where the comparison is inconclusive")
	flags.StringVar(&f.start, "start", "", "command that starts the site under test; it is ended with the test")
	flags.StringVar(&f.waitOn, "wait-on", "", "address that has to answer before the test begins (with --start, the address under test)")
	flags.DurationVar(&f.patience, "wait-timeout", 2*time.Minute, "how long it may take to answer")
	flags.DurationVar(&f.limit, "timeout", time.Hour, "how long everything may take; then the tests are called off")
	return command
}

// run is one run of the test command.
type run struct {
	env       Env
	flags     testFlags
	forms     []reportFile
	baseline  *baseline
	asked     bool // a threshold was given on the command line
	client    *client.Client
	passing   bool // the service ends with the command
	out, told io.Writer
}

// stopLimit bounds what is done after the run was ended: calling tests off and
// fetching what there is.
const stopLimit = 30 * time.Second

// all runs the tests and tells what came of them, in the order of plans.
func (r *run) all(ctx context.Context, plans []plan) (err error) {
	var results []*result
	// Whatever happens, each report that was asked for is written.
	defer func() {
		if results == nil {
			results = hindered(plans, err)
		}
		failed := r.write(results)
		switch {
		case failed != nil && StatusOf(err) == ExitPassed:
			err = &ExitError{ExitUsage, failed}
		case failed != nil:
			say(r.told, "Not every report is written: %v", failed)
		}
	}()
	ctx, cancel := bounded(ctx, r.flags.limit)
	defer cancel()
	stopSite, err := r.startSite(ctx, plans)
	if err != nil {
		return unjudged(ctx, err)
	}
	defer stopSite()
	c, local, err := r.flags.orLocal(ctx, r.env, r.flags.dataDir, r.told)
	if err != nil {
		return unjudged(ctx, err)
	}
	r.client = c
	if r.passing = local != nil; r.passing {
		var done context.CancelFunc
		ctx, done = during(ctx, local)
		defer func() { done(); err = stopped(local, err) }()
	}
	results = r.tests(ctx, plans)
	return r.conclude(results)
}
