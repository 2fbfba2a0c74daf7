package service

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/process"
	"understudy/domain/testrun"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/personas"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/usage"
	"understudy/projections/worklist"
)

// NewTest is a test as it is asked for. The seed of its Wish is ignored.
type NewTest struct {
	testrun.Wish
	// Seed is nil for one by chance.
	Seed *int64
	// Inputs are the values that the task mentions by name.
	Inputs map[string]string
}

// CreateTest starts a test and answers with it as it was created, whatever has
// become of it by then. Trying again with the same ids is the same test.
func (s *Service) CreateTest(ctx context.Context, call Call, testID string, in NewTest) (projections.Document[tests.Document], error) {
	var none projections.Document[tests.Document]
	command, err := s.testCommand(ctx, call, testID, in, nil)
	if err != nil {
		return none, err
	}
	leave, err := s.admitTests(ctx, call.Principal, command)
	if err != nil {
		return none, err
	}
	defer leave()
	if err := s.reserve(ctx, call, command); err != nil {
		return none, err
	}
	return s.createTest(ctx, call, command)
}

// createTest records a test. Once it has answered, its sessions count as well.
func (s *Service) createTest(ctx context.Context, call Call, command testrun.Create) (projections.Document[tests.Document], error) {
	id := command.TestID
	var created eventstore.Result[testrun.State]
	record := func() (_ uint64, err error) {
		created, err = s.Streams.Tests.Handle(ctx, call.CommandID, testrun.Stream(id), command, call.about(id).Meta)
		return created.Position, err
	}
	return answer(ctx, s, []string{tests.Projection.Name, usage.Projection.Name}, record, func() (projections.Document[tests.Document], error) {
		if err := s.Positions.WaitOwnWrite(ctx, usage.Projection.Name, created.Position); err != nil {
			return projections.Document[tests.Document]{}, err
		}
		// Its first event is all of the answer.
		row := tests.Fold(tests.Row{}, domain.Recorded{Event: created.State.Test})
		return projections.Made(id, row.Doc, 0)
	})
}

// CancelTest ends a running test.
func (s *Service) CancelTest(ctx context.Context, call Call, testID string) (projections.Document[tests.Document], error) {
	read := func() (projections.Document[tests.Document], error) {
		return tests.Get(ctx, s.Pool, testID, call.Principal.owner())
	}
	// Whose it is decides whether it is there at all.
	if _, err := read(); err != nil {
		return projections.Document[tests.Document]{}, err
	}
	return handle(ctx, s, s.Streams.Tests, call.about(testID), testrun.Stream(testID), testrun.Command(testrun.Cancel{Now: now()}),
		[]string{tests.Projection.Name}, func(testrun.State) (projections.Document[tests.Document], error) { return read() })
}

// testCommand completes a wish by what only the outside can tell: chance, the
// keyring, read models, the network. cast, unless nil, is who walks instead of
// the custom personas as they are now.
func (s *Service) testCommand(ctx context.Context, call Call, testID string, in NewTest, cast []persona.Persona) (c testrun.Create, err error) {
	p := call.Principal
	c = testrun.Create{
		TestID: testID, OrganizationID: p.OrganizationID, Environment: p.Environment, Wish: in.Wish, Now: now(),
	}
	for _, model := range s.Models.Models() {
		c.Models = append(c.Models, model.Name)
	}
	if c.Wish.Seed, err = seed(in.Seed); err != nil {
		return c, err
	}
	if c.Inputs, err = s.sealInputs(testID, in.Inputs); err != nil {
		return c, err
	}
	// Nobody is asked anything for a wish that cannot be fulfilled.
	if err := c.Check(); err != nil {
		return c, err
	}
	if c.Wish.Personas.Source == "custom" {
		if c.CustomPersonas = cast; cast == nil {
			if c.CustomPersonas, err = s.cast(ctx, p.owner(), c.Wish.Personas.PersonaIDs); err != nil {
				return c, err
			}
		}
	}
	// A rule of the test, but the cast is of sessions, which tests do not know.
	one := testrun.Created{Personas: c.Wish.Personas, CustomPersonas: c.CustomPersonas, Seed: c.Wish.Seed, Sessions: 1}
	if _, err := process.NewCast(one); err != nil {
		return c, err
	}
	// The sandbox never calls the target, and refuses what would be refused live.
	if err := s.Targets.CheckURL(ctx, c.Wish.URL); err != nil {
		return c, err
	}
	for i, origin := range c.Wish.PrivateOrigins {
		if err := s.Targets.CheckURL(ctx, origin); err != nil {
			return c, inField(err, "private_origins."+strconv.Itoa(i))
		}
	}
	if c.Demands, err = accounts.Rule(ctx, s.Pool, p.OrganizationID); err != nil {
		return c, err
	}
	c.EstimatedCompletion, err = s.estimate(ctx, c)
	return c, err
}

// inField is a refusal of an address as that of the field which holds it.
func inField(err error, name string) error {
	var refusal *domain.Error
	if !errors.As(err, &refusal) {
		return err
	}
	of := *refusal
	of.Fields = slices.Clone(refusal.Fields)
	for i := range of.Fields {
		of.Fields[i].Field = name
	}
	return &of
}

// firstGuess is how long a session takes before any has been seen.
var firstGuess = map[domain.Environment]time.Duration{
	domain.Live: 6 * time.Second, domain.Sandbox: 50 * time.Millisecond,
}

// estimate is when the test should be done: everything that waits, and its own
// sessions, at the pace of the last ones.
func (s *Service) estimate(ctx context.Context, c testrun.Create) (domain.Time, error) {
	waiting, err := worklist.Waiting(ctx, s.Pool, c.Environment)
	if err != nil {
		return domain.Time{}, err
	}
	each, err := sessions.MedianDuration(ctx, s.Pool, c.Environment)
	if err != nil {
		return domain.Time{}, err
	}
	if each == 0 {
		each = firstGuess[c.Environment]
	}
	total := time.Duration(float64(waiting+c.Wish.Sessions) * float64(each) / float64(s.Width[c.Environment]))
	return domain.At(c.Now.Add(max(total, time.Second))), nil
}

func seed(given *int64) (int64, error) {
	if given != nil {
		return *given, nil
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b[:]) & testrun.MaxSeed), nil
}

// sealInputs encrypts a test's inputs, each bound to its test and name.
func (s *Service) sealInputs(testID string, inputs map[string]string) (map[string]string, error) {
	if len(inputs) == 0 {
		return nil, nil
	}
	sealed := make(map[string]string, len(inputs))
	for name, value := range inputs {
		text, err := s.Keys.SealString(value, inputPlace(testID, name))
		if err != nil {
			return nil, err
		}
		sealed[name] = text
	}
	return sealed, nil
}

// OpenInputs decrypts a test's inputs.
func OpenInputs(keys Keys, t testrun.Created) (map[string]string, error) {
	out := make(map[string]string, len(t.Inputs))
	for name, sealed := range t.Inputs {
		value, err := keys.OpenString(sealed, inputPlace(t.TestID, name))
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

func inputPlace(testID, name string) string { return "input " + testID + " " + name }

// cast finds the personas that a test asks for, in its order. Every id that is
// none of the owner's usable personas is named.
func (s *Service) cast(ctx context.Context, owner projections.Owner, ids []string) ([]persona.Persona, error) {
	if err := s.Ready.Accepts(personas.Projection.Name); err != nil {
		return nil, err
	}
	found, err := personas.Find(ctx, s.Pool, ids, owner)
	if err != nil {
		return nil, err
	}
	cast := make([]persona.Persona, 0, len(ids))
	var faults []domain.FieldError
	for i, id := range ids {
		p, ok := found[id]
		if !ok {
			faults = append(faults, domain.FieldError{
				Field: fmt.Sprintf("personas.persona_ids.%d", i), Code: "unknown",
				Message: fmt.Sprintf("there is no custom persona %q; GET /personas lists yours", id),
			})
		}
		cast = append(cast, p)
	}
	if len(faults) > 0 {
		return nil, &domain.Error{Code: domain.CodeValidationFailed, Message: faults[0].Message, Fields: faults}
	}
	return cast, nil
}
