package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"understudy/adapters/client"
)

// plan is one test to run.
type plan struct {
	client.NewTest
}

// title is what a test is called where it has no name.
func (p plan) title() string { return first(p.Name, p.Task) }

// planFlags describe a test on the command line.
type planFlags struct {
	client.NewTest
	under     []string
	personas  []string
	criteria  []string
	viewports []string
	inputs    []string
	origins   []string
	private   []string
	metadata  map[string]string
	seed      int64
	success   client.Success
	replays   string
}

func (p *planFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&p.Task, "task", "t", "", "what the people are to do, in their words")
	f.IntVarP(&p.Sessions, "sessions", "n", 0, "how many people try, 1 to 10,000 (10)")
	f.StringArrayVar(&p.under, "fail-under", nil, "lowest score to pass with, 0 to 1: overall and for each criterion, or CRITERION=SCORE for one (the organization's gate)")
	f.StringSliceVar(&p.criteria, "criteria", nil, "what is scored: "+strings.Join(allCriteria, ", "))
	f.StringSliceVar(&p.viewports, "viewport", nil, "screens, taken in turn: desktop, mobile, tablet (desktop)")
	f.StringSliceVar(&p.personas, "personas", nil, "a pack, such as older-adults, or ids of personas of your own (a spread over all kinds of people)")
	f.StringVar(&p.Model, "model", "", "who walks: forager, or a language model that the service offers (forager)")
	f.Int64Var(&p.seed, "seed", 0, "seed of everything that is left to chance (random, or that of the baseline)")
	f.IntVar(&p.MaxSteps, "max-steps", 0, "steps after which a walk ends (25)")
	f.StringVar(&p.Locale, "locale", "", "language and region of the browser, such as de-DE (en-US)")
	f.StringVar(&p.Name, "name", "", "name to find the test by; tests of one name are a series")
	f.StringToStringVar(&p.metadata, "metadata", nil, "KEY=VALUE kept with the test, such as commit=9fceb02")
	f.StringArrayVar(&p.inputs, "input", nil, "NAME=VALUE for {{NAME}} in the task, which is kept encrypted; NAME alone takes the variable of that name")
	f.StringSliceVar(&p.origins, "inputs-origin", nil, "where else inputs may be typed, such as https://login.example.com")
	f.StringSliceVar(&p.private, "private-origin", nil, "what else the page needs of private networks, such as http://127.0.0.1:3001")
	f.StringVar(&p.success.TextVisible, "success-text", "", "done means that this text is visible")
	f.StringVar(&p.success.URLMatches, "success-url", "", "done means that the address matches this RE2 expression")
	f.StringVar(&p.success.SelectorVisible, "success-selector", "", "done means that what this CSS selector finds is visible")
	f.StringVar(&p.success.RequestMade, "success-request", "", "done means that a request was made whose address has this text")
	f.StringVar(&p.replays, "replays", "", "safe: walks may be repeated to find a cause; off: never (safe)")
}

var allCriteria = []string{
	string(client.TaskCompletion), string(client.CtaFindability), string(client.Navigation), string(client.Efficiency), string(client.Readability),
	string(client.Accessibility), string(client.ErrorRecovery), string(client.Trust), string(client.Speed),
}

// onto lays what flags say over a test: of the command line, or of a suite's file.
func (p planFlags) onto(t *client.NewTest, set *pflag.FlagSet, getenv func(string) string) error {
	for name, lay := range map[string]func(){
		"task": func() { t.Task = p.Task }, "sessions": func() { t.Sessions = p.Sessions }, "model": func() { t.Model = p.Model },
		"max-steps": func() { t.MaxSteps = p.MaxSteps }, "locale": func() { t.Locale = p.Locale }, "name": func() { t.Name = p.Name },
		"seed":           func() { t.Seed = &p.seed },
		"replays":        func() { t.Replays = client.NewTestReplays(p.replays) },
		"criteria":       func() { t.Criteria = each[client.Criterion](p.criteria) },
		"viewport":       func() { t.Viewport = each[client.Viewport](p.viewports) },
		"personas":       func() { t.Personas = people(p.personas) },
		"inputs-origin":  func() { t.InputsOrigins = p.origins },
		"private-origin": func() { t.PrivateOrigins = p.private },
	} {
		if set.Changed(name) {
			lay()
		}
	}
	for name, value := range p.metadata {
		if t.Metadata == nil {
			t.Metadata = map[string]string{}
		}
		t.Metadata[name] = value
	}
	if p.success != (client.Success{}) {
		t.Success = &p.success
	}
	for _, input := range p.inputs {
		name, value, given := strings.Cut(input, "=")
		if !given {
			if value = getenv(name); value == "" {
				return usage("--input: the variable %s is not set; give NAME=VALUE, or set it", name)
			}
		}
		if t.Inputs == nil {
			t.Inputs = map[string]string{}
		}
		t.Inputs[name] = value
	}
	return p.gate(t)
}

// gate lays the thresholds of --fail-under over those of a test.
func (p planFlags) gate(t *client.NewTest) error {
	for _, text := range p.under {
		criterion, number, one := strings.Cut(text, "=")
		if !one {
			number = text
		}
		score, err := strconv.ParseFloat(number, 64)
		if err != nil || score < 0 || score > 1 {
			return usage("--fail-under: %q is no score between 0 and 1", number)
		}
		if one && !slices.Contains(allCriteria, criterion) {
			return usage("--fail-under: %q is none of %s", criterion, strings.Join(allCriteria, ", "))
		}
		rule := client.QualityGateRule{}
		if t.QualityGate != nil {
			rule = *t.QualityGate
		}
		if !one {
			rule.Threshold = &score
		} else {
			if rule.Criteria == nil {
				rule.Criteria = map[string]float64{}
			}
			rule.Criteria[criterion] = score
		}
		t.QualityGate = &rule
	}
	return nil
}

// people are the personas that --personas names.
func people(names []string) client.Personas {
	if strings.HasPrefix(names[0], "per_") {
		return client.Personas{Source: client.Custom, PersonaIds: names}
	}
	if names[0] == string(client.AutoDiverse) {
		return client.Personas{Source: client.AutoDiverse}
	}
	return client.Personas{Source: client.Pack, PackID: names[0]}
}

func each[To, From ~string](from []From) (to []To) {
	for _, s := range from {
		to = append(to, To(s))
	}
	return to
}

// plansOf are the tests to run: that of the arguments, or those of a suite's file.
func plansOf(suiteFile string, p planFlags, args []string, set *pflag.FlagSet, getenv func(string) string) ([]plan, error) {
	if suiteFile != "" {
		if len(args) > 0 {
			return nil, usage("a suite names its addresses itself: leave out %q, or --suite", args[0])
		}
		tests, err := readSuite(suiteFile, getenv)
		if err != nil {
			return nil, err
		}
		plans := make([]plan, len(tests))
		for i, t := range tests {
			if err := p.onto(&t, set, getenv); err != nil {
				return nil, err
			}
			plans[i] = plan{t}
		}
		return plans, nil
	}
	if len(args) == 0 {
		return nil, usage("which page? Give its address, or a file of tests by --suite")
	}
	if strings.TrimSpace(p.Task) == "" {
		return nil, usage("--task is missing: what are the people to do on %s?", args[0])
	}
	t := client.NewTest{URL: args[0]}
	if err := p.onto(&t, set, getenv); err != nil {
		return nil, err
	}
	return []plan{{t}}, nil
}
