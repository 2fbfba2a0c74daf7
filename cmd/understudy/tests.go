package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/egress"
	"understudy/adapters/httpapi"
	"understudy/adapters/keyring"
	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/persona"
	"understudy/domain/process"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/worklist"
)

// testCommands starts and cancels tests.
type testCommands struct {
	streams   *streams
	pool      *pgxpool.Pool
	positions *projections.Positions
	ready     *readiness
	egress    *egress.Policy
	keys      *keyring.Keyring
	models    models
	personas  *personaCommands
	width     map[domain.Environment]int // sessions walked at once
}

// firstGuess is how long a session takes before any has been seen.
var firstGuess = map[domain.Environment]time.Duration{
	domain.Live: 6 * time.Second, domain.Sandbox: 50 * time.Millisecond,
}

// Create starts a test.
func (c *testCommands) Create(ctx context.Context, call httpapi.Call, testID string, in httpapi.NewTest) (httpapi.Document, error) {
	return c.create(ctx, call, testID, in, nil)
}

// create starts a test. cast, unless nil, is who walks instead of the custom
// personas as they are now.
func (c *testCommands) create(ctx context.Context, call httpapi.Call, testID string, in httpapi.NewTest, cast []persona.Persona) (httpapi.Document, error) {
	created, err := c.plan(ctx, call, testID, in, cast)
	if err != nil {
		return httpapi.Document{}, err
	}
	if err := c.ready.accepts(tests.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	call.Meta.CorrelationID = testID
	result, err := c.streams.tests.Handle(ctx, call.CommandID, testrun.Stream(testID), testrun.Create{Test: created}, call.Meta)
	if err != nil {
		return httpapi.Document{}, err
	}
	if err := c.positions.WaitOwnWrite(ctx, tests.Projection.Name, result.Position); err != nil {
		return httpapi.Document{}, err
	}
	// The answer is the test as it was created, whatever has become of it by
	// now; its first event is all of it.
	row := tests.Fold(tests.Row{}, domain.Recorded{Event: result.State.Test})
	doc, err := json.Marshal(row.Doc)
	return httpapi.Document{JSON: doc}, err
}

// Cancel ends a running test.
func (c *testCommands) Cancel(ctx context.Context, call httpapi.Call, testID string) (httpapi.Document, error) {
	// Whose it is decides whether it is there at all.
	if _, err := tests.Get(ctx, c.pool, testID, ownerOf(call.Principal)); err != nil {
		return httpapi.Document{}, err
	}
	if err := c.ready.accepts(tests.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	call.Meta.CorrelationID = testID
	result, err := c.streams.tests.Handle(ctx, call.CommandID, testrun.Stream(testID), testrun.Cancel{Now: now()}, call.Meta)
	if err != nil {
		return httpapi.Document{}, err
	}
	return c.read(ctx, call.Principal, testID, result.Position)
}

func (c *testCommands) read(ctx context.Context, p httpapi.Principal, testID string, position uint64) (httpapi.Document, error) {
	if err := c.positions.WaitOwnWrite(ctx, tests.Projection.Name, position); err != nil {
		return httpapi.Document{}, err
	}
	d, err := tests.Get(ctx, c.pool, testID, ownerOf(p))
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// plan fills in defaults and checks what the OpenAPI document cannot.
func (c *testCommands) plan(ctx context.Context, call httpapi.Call, testID string, in httpapi.NewTest, cast []persona.Persona) (testrun.Created, error) {
	p := call.Principal
	t := testrun.Created{
		TestID: testID, OrganizationID: p.OrganizationID, Environment: p.Environment,
		Name: in.Name, URL: in.URL, Task: in.Task, Sessions: in.Sessions, Model: in.Model,
		Personas:  testrun.Personas{Source: string(in.Personas.Source), PackID: in.Personas.PackID, PersonaIDs: in.Personas.PersonaIds},
		MaxSteps:  in.MaxSteps,
		Locale:    in.Locale,
		Metadata:  in.Metadata,
		CreatedAt: now(),
	}
	for _, criterion := range in.Criteria {
		t.Criteria = append(t.Criteria, string(criterion))
	}
	for _, v := range in.Viewport {
		t.Viewports = append(t.Viewports, string(v))
	}
	if in.Success != nil {
		t.Success = &testrun.Success{
			URLMatches: in.Success.URLMatches, TextVisible: in.Success.TextVisible,
			SelectorVisible: in.Success.SelectorVisible, RequestMade: in.Success.RequestMade,
		}
	}
	var err error
	if t.Gate, err = c.demands(ctx, p.OrganizationID, in.QualityGate, t.Criteria); err != nil {
		return t, err
	}
	if t.Seed, err = seed(in.Seed); err != nil {
		return t, err
	}
	if err := c.models.check(t.Model); err != nil {
		return t, err
	}
	if err := placeholders(t.Task, in.Inputs); err != nil {
		return t, err
	}
	if strings.TrimSpace(t.Task) == "" {
		return t, domain.Invalid("/task", "required", "task must say what the simulated users are to try")
	}
	if t.Personas.Source != "pack" && t.Personas.PackID != "" {
		return t, domain.Invalid("/personas/pack_id", "conflict", "pack_id goes with the source pack, not with %s", t.Personas.Source)
	}
	if t.Personas.Source != "custom" && len(t.Personas.PersonaIDs) > 0 {
		return t, domain.Invalid("/personas/persona_ids", "conflict", "persona_ids goes with the source custom, not with %s", t.Personas.Source)
	}
	if t.Personas.Source == "custom" {
		if t.CustomPersonas = cast; cast == nil {
			if t.CustomPersonas, err = c.personas.cast(ctx, ownerOf(p), t.Personas.PersonaIDs); err != nil {
				return t, err
			}
		}
	}
	one := t
	one.Sessions = 1
	if _, err := process.NewCast(one); err != nil {
		return t, err
	}
	// The sandbox never calls the target, so any address will do there.
	check := func() error { return egress.CheckSyntax(t.URL) }
	if p.Environment == domain.Live {
		check = func() error { return c.egress.CheckURL(ctx, t.URL) }
	}
	if err := check(); err != nil {
		return t, err
	}
	if t.Inputs, err = c.sealInputs(testID, in.Inputs); err != nil {
		return t, err
	}
	t.EstimatedCompletion, err = c.estimate(ctx, t)
	return t, err
}

// demands are the thresholds of a test with a rule of its own, nil for none, and
// of its organization, as that stands now.
func (c *testCommands) demands(ctx context.Context, organizationID string, own *httpapi.QualityGateRule, scored []string) (testrun.Gate, error) {
	var rule gate.Rule
	if own != nil {
		rule = gate.Rule{Threshold: own.Threshold, Criteria: own.Criteria}
	}
	for _, criterion := range slices.Sorted(maps.Keys(rule.Criteria)) {
		if !slices.Contains(scored, criterion) {
			return testrun.Gate{}, domain.Invalid("/quality_gate/criteria/"+criterion, "not_measured",
				"the gate has a threshold for %s, which is not among the test's criteria; add it there", criterion)
		}
	}
	organization, err := accounts.Rule(ctx, c.pool, organizationID)
	if err != nil {
		return testrun.Gate{}, err
	}
	all := organization.For(rule, scored)
	return testrun.Gate{Threshold: all.Threshold, Criteria: all.Criteria}, nil
}

// estimate is when the test should be done: everything that waits, and its own
// sessions, at the pace of the last ones.
func (c *testCommands) estimate(ctx context.Context, t testrun.Created) (domain.Time, error) {
	waiting, err := worklist.Waiting(ctx, c.pool, t.Environment)
	if err != nil {
		return domain.Time{}, err
	}
	each, err := sessions.MedianDuration(ctx, c.pool, t.Environment)
	if err != nil {
		return domain.Time{}, err
	}
	if each == 0 {
		each = firstGuess[t.Environment]
	}
	total := time.Duration(float64(waiting+t.Sessions) * float64(each) / float64(c.width[t.Environment]))
	return domain.At(t.CreatedAt.Add(max(total, time.Second))), nil
}

// maxSeed is the largest integer that every JSON reader keeps exact.
const maxSeed = 1<<53 - 1

func seed(given *int64) (int64, error) {
	if given != nil {
		return *given, nil
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b[:]) & maxSeed), nil
}

var placeholder = regexp.MustCompile(`\{\{\s*([^{}\s]*)\s*\}\}`)

// placeholders checks that the task names no input that is not given.
func placeholders(task string, inputs map[string]string) error {
	for _, m := range placeholder.FindAllStringSubmatch(task, -1) {
		if _, given := inputs[m[1]]; !given {
			return domain.Invalid("/inputs", "missing", "the task mentions {{%s}}, but inputs has no %q", m[1], m[1])
		}
	}
	return nil
}

// sealInputs encrypts a test's inputs, each bound to its test and name.
func (c *testCommands) sealInputs(testID string, inputs map[string]string) (map[string]string, error) {
	if len(inputs) == 0 {
		return nil, nil
	}
	sealed := make(map[string]string, len(inputs))
	for name, value := range inputs {
		s, err := c.keys.SealString(value, inputPlace(testID, name))
		if err != nil {
			return nil, err
		}
		sealed[name] = s
	}
	return sealed, nil
}

func inputPlace(testID, name string) string { return "input " + testID + " " + name }

func ownerOf(p httpapi.Principal) projections.Owner {
	return projections.Owner{OrganizationID: p.OrganizationID, Environment: p.Environment}
}

func now() domain.Time { return domain.At(time.Now()) }
