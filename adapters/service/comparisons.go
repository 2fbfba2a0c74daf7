package service

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.jetify.com/typeid"

	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/persona"
	"understudy/domain/process"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/comparisons"
	"understudy/projections/tests"
)

// NewComparison is a comparison as it is asked for.
type NewComparison struct {
	Name string
	// Criteria to compare by; nil: all that the tests have in common.
	Criteria []string
	A, B     NewSide
}

// NewSide is a test that exists, or one that is to be started.
type NewSide struct {
	TestID  string
	Variant *NewTest
	// Own are the fields of the variant that were given for this side alone.
	Own []string
}

// CreateComparison starts the variants and begins the comparison with this id.
// Trying again with the same ids is the same comparison, of the same tests:
// variants come first, so that what is cut off between leaves tests, and the
// same request again compares them.
func (s *Service) CreateComparison(ctx context.Context, call Call, comparisonID string, in NewComparison) (projections.Document[comparisons.Document], error) {
	readModels := []string{comparisons.Projection.Name, tests.Projection.Name}
	if err := s.Ready.Accepts(readModels...); err != nil {
		return projections.Document[comparisons.Document]{}, err
	}
	shareSeed(comparisonID, in)
	sides := []*side{{name: "a", NewSide: in.A}, {name: "b", NewSide: in.B}}
	if err := s.resolve(ctx, call, comparisonID, sides); err != nil {
		return projections.Document[comparisons.Document]{}, err
	}
	create := comparison.Create{
		ComparisonID: comparisonID, OrganizationID: call.Principal.OrganizationID, Environment: call.Principal.Environment,
		Name: in.Name, A: sides[0].candidate(), B: sides[1].candidate(), Criteria: in.Criteria, Now: now(),
	}
	// No test is started for a comparison that would then be refused.
	if _, err := create.Plan(); err != nil {
		return projections.Document[comparisons.Document]{}, err
	}
	var starts []testrun.Create
	for _, one := range sides {
		if one.Variant != nil {
			starts = append(starts, one.start)
		}
	}
	leave, err := s.admitTests(ctx, call.Principal, starts...)
	if err != nil {
		return projections.Document[comparisons.Document]{}, err
	}
	defer leave()
	if err := s.reserve(ctx, call, starts...); err != nil {
		return projections.Document[comparisons.Document]{}, err
	}
	for _, one := range sides {
		if one.Variant == nil {
			continue
		}
		start := call
		start.CommandID = domain.DeriveUUID(call.CommandID.String(), one.name)
		if _, err := s.createTest(ctx, start, one.start); err != nil {
			return projections.Document[comparisons.Document]{}, err
		}
	}
	return handle(ctx, s, s.Streams.Comparisons, call.about(comparisonID), comparison.Stream(comparisonID), comparison.Command(create), readModels,
		func(comparison.State) (projections.Document[comparisons.Document], error) {
			return comparisons.Get(ctx, s.Pool, comparisonID, call.Principal.owner())
		})
}

// side is one of the tests, as it is or as it is going to be.
type side struct {
	NewSide
	name  string
	test  testrun.Created
	start testrun.Create // of a variant
}

func (s *side) candidate() comparison.Candidate {
	return comparison.Candidate{Test: process.Compared(s.test), Started: s.Variant != nil}
}

// fault is a refusal of the variant, of which the side's own fields are the side's.
func (s *side) fault(err error) error {
	var refusal *domain.Error
	if !errors.As(err, &refusal) {
		return err
	}
	of := *refusal
	of.Fields = slices.Clone(refusal.Fields)
	for i, f := range of.Fields {
		if name, _, _ := strings.Cut(f.Field, "."); slices.Contains(s.Own, name) {
			of.Fields[i].Field = s.name + "." + f.Field
		}
	}
	return &of
}

// resolve finds the tests that exist, and then checks that the variants can be
// started, with the people of the test that they are held against.
func (s *Service) resolve(ctx context.Context, call Call, comparisonID string, sides []*side) (err error) {
	var people []persona.Persona
	for _, one := range sides {
		if one.Variant != nil {
			continue
		}
		if one.test, err = s.existing(ctx, call, one.name, one.TestID); err != nil {
			return err
		}
		people = one.test.CustomPersonas
	}
	for _, one := range sides {
		if one.Variant == nil {
			continue
		}
		id, err := testOf(comparisonID, one.name)
		if err != nil {
			return err
		}
		if one.start, err = s.testCommand(ctx, call, id, *one.Variant, people); err != nil {
			return one.fault(err)
		}
		if one.test, err = one.start.Plan(); err != nil {
			return err
		}
	}
	return nil
}

// existing is a test that runs or has completed.
func (s *Service) existing(ctx context.Context, call Call, side, id string) (testrun.Created, error) {
	if _, err := s.Test(ctx, call.Principal, id); domain.CodeOf(err) == domain.CodeNotFound {
		return testrun.Created{}, domain.Invalid(side+".test_id", "unknown", "there is no test %q", id)
	} else if err != nil {
		return testrun.Created{}, err
	}
	state, err := s.Streams.Test(ctx, id)
	if err != nil {
		return testrun.Created{}, err
	}
	if state.Status != testrun.Running && state.Status != testrun.StatusCompleted {
		return testrun.Created{}, domain.Refuse(domain.CodeWrongState, "test %s is %s and has nothing to compare", id, state.Status)
	}
	return state.Test, nil
}

// testOf is the id of the test that a comparison starts for one of its sides.
func testOf(comparisonID, side string) (string, error) {
	id, err := typeid.FromString(comparisonID)
	if err != nil {
		return "", err
	}
	at := time.Unix(uuid.UUID(id.UUIDBytes()).Time().UnixTime())
	return domain.DeriveID(domain.PrefixTest, at, comparisonID, side), nil
}

// shareSeed gives two variants that were not given a seed the same one, which
// the same comparison asked for again has too.
func shareSeed(comparisonID string, in NewComparison) {
	if in.A.Variant == nil || in.B.Variant == nil || in.A.Variant.Seed != nil {
		return
	}
	h := fnv.New64a()
	fmt.Fprint(h, "seed ", comparisonID)
	seed := int64(h.Sum64() & testrun.MaxSeed)
	in.A.Variant.Seed, in.B.Variant.Seed = &seed, &seed
}
