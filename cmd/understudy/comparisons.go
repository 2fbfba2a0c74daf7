package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.jetify.com/typeid"

	"understudy/adapters/comparer"
	"understudy/adapters/httpapi"
	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/persona"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/comparisons"
	"understudy/projections/tests"
)

// comparisonCommands begins comparisons.
type comparisonCommands struct {
	streams   *streams
	pool      *pgxpool.Pool
	positions *projections.Positions
	ready     *readiness
	tests     *testCommands
}

// Create starts the variants and records the comparison, in this order: what is
// cut off between leaves tests, and the same request again compares them.
func (c *comparisonCommands) Create(ctx context.Context, call httpapi.Call, comparisonID string, plan httpapi.PlannedComparison) (httpapi.Document, error) {
	if err := c.ready.accepts(comparisons.Projection.Name, tests.Projection.Name); err != nil {
		return httpapi.Document{}, err
	}
	shareSeed(comparisonID, plan)
	sides := []*side{{name: "a", plan: plan.A}, {name: "b", plan: plan.B}}
	if err := c.resolve(ctx, call, comparisonID, sides); err != nil {
		return httpapi.Document{}, err
	}
	a, b := comparer.Facts(sides[0].test), comparer.Facts(sides[1].test)
	if err := comparison.Comparable(a, b); err != nil {
		return httpapi.Document{}, err
	}
	criteria, err := chosen(comparison.Common(a, b), plan.Criteria)
	if err != nil {
		return httpapi.Document{}, err
	}
	for _, s := range sides {
		if s.plan.Variant == nil {
			continue
		}
		start := call
		start.CommandID = domain.DeriveUUID(call.CommandID.String(), s.name)
		if _, err := c.tests.create(ctx, start, s.test.TestID, *s.plan.Variant, s.test.CustomPersonas); err != nil {
			return httpapi.Document{}, err
		}
	}
	created := comparison.Created{
		ComparisonID: comparisonID, OrganizationID: call.Principal.OrganizationID, Environment: call.Principal.Environment,
		Name: plan.Name, Task: sides[0].test.Task, A: sides[0].recorded(), B: sides[1].recorded(), Criteria: criteria, At: now(),
	}
	call.Meta.CorrelationID = comparisonID
	result, err := c.streams.comparisons.Handle(ctx, call.CommandID, comparison.Stream(comparisonID), comparison.Create{Comparison: created}, call.Meta)
	if err != nil {
		return httpapi.Document{}, err
	}
	if err := c.positions.WaitOwnWrite(ctx, comparisons.Projection.Name, result.Position); err != nil {
		return httpapi.Document{}, err
	}
	d, err := comparisons.Get(ctx, c.pool, comparisonID, ownerOf(call.Principal))
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// side is one of the tests, as it is or as it is going to be.
type side struct {
	name string
	plan httpapi.PlannedSide
	test testrun.Created
}

func (s *side) recorded() comparison.Side {
	return comparison.Side{TestID: s.test.TestID, URL: s.test.URL, Started: s.plan.Variant != nil}
}

// resolve finds the tests that exist, and then checks that the variants can be
// started, with the people of the test that they are held against.
func (c *comparisonCommands) resolve(ctx context.Context, call httpapi.Call, comparisonID string, sides []*side) (err error) {
	var people []persona.Persona
	for _, s := range sides {
		if s.plan.Variant != nil {
			continue
		}
		if s.test, err = c.existing(ctx, call, s.name, s.plan.TestID); err != nil {
			return err
		}
		people = s.test.CustomPersonas
	}
	for _, s := range sides {
		if s.plan.Variant == nil {
			continue
		}
		id, err := testOf(comparisonID, s.name)
		if err != nil {
			return err
		}
		if s.test, err = c.tests.plan(ctx, call, id, *s.plan.Variant, people); err != nil {
			return err
		}
	}
	return nil
}

// existing is a test that runs or has completed.
func (c *comparisonCommands) existing(ctx context.Context, call httpapi.Call, side, id string) (testrun.Created, error) {
	if _, err := tests.Get(ctx, c.pool, id, ownerOf(call.Principal)); domain.CodeOf(err) == domain.CodeNotFound {
		return testrun.Created{}, domain.Invalid("/"+side+"/test_id", "unknown", "there is no test %q", id)
	} else if err != nil {
		return testrun.Created{}, err
	}
	state, err := c.streams.Test(ctx, id)
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
func shareSeed(comparisonID string, plan httpapi.PlannedComparison) {
	if plan.A.Variant == nil || plan.B.Variant == nil || plan.A.Variant.Seed != nil {
		return
	}
	h := fnv.New64a()
	fmt.Fprint(h, "seed ", comparisonID)
	seed := int64(h.Sum64() & maxSeed)
	plan.A.Variant.Seed, plan.B.Variant.Seed = &seed, &seed
}

// chosen are the criteria asked for, which both tests must have; all common ones
// when none was asked for.
func chosen(common, asked []string) ([]string, error) {
	if asked == nil {
		return common, nil
	}
	known := map[string]bool{}
	for _, c := range common {
		known[c] = true
	}
	for i, c := range asked {
		if !known[c] {
			return nil, domain.Invalid(fmt.Sprintf("/criteria/%d", i), "not_measured", "%s is not among the criteria of both tests, which are %v", c, common)
		}
	}
	return asked, nil
}

func (r reads) comparisons() collection {
	return collection{
		get: func(ctx context.Context, id string, o projections.Owner) (projections.Document, error) {
			return comparisons.Get(ctx, r.pool, id, o)
		},
		list: func(ctx context.Context, o projections.Owner, q httpapi.ListQuery) ([]projections.Document, string, error) {
			docs, more, err := comparisons.List(ctx, r.pool, o, q.Status, q.TestID, q.After, q.Limit)
			return docs, nextID(docs, more), err
		},
	}
}

// Comparison reads the event that began a comparison.
func (s *streams) Comparison(ctx context.Context, stream string) (began domain.Recorded, err error) {
	err = s.store.ReadStream(ctx, stream, 0, func(r domain.Recorded) error {
		began = r
		return errFirst
	})
	if began.Event != nil {
		return began, nil
	}
	return began, fmt.Errorf("read comparison %s: %w", stream, err)
}

// Latest reads a test as of now and the position of its latest event.
func (s *streams) Latest(ctx context.Context, testID string) (testrun.State, uint64, error) {
	result, err := s.tests.Load(ctx, testrun.Stream(testID))
	return result.State, result.Position, err
}
