package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/testrun"
	"understudy/projections/tests"
)

// CreateComparison begins a comparison.
func (a *api) CreateComparison(c echo.Context) error {
	plan, err := a.planComparison(c)
	if err != nil {
		return err
	}
	return a.once(c, func(ctx context.Context, id string, command service.Call) (answer, error) {
		doc, err := a.Commands.CreateComparison(ctx, command, id, plan)
		if err != nil {
			return answer{}, err
		}
		now := a.Now()
		body, err := a.shownComparison(command.Principal, now)(doc)
		return a.created("/comparisons/"+id, dailyRevision(doc.Revision, now), body), err
	})
}

// ListComparisons lists comparisons.
func (a *api) ListComparisons(c echo.Context, params ListComparisonsParams) error {
	q := service.Query{Status: string(params.Status), TestID: params.TestID, CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore}
	return list(a, c, a.Reads.Comparisons, q, params.Limit, params.Cursor,
		a.shownComparison(callOf(c).principal, a.Now()))
}

// GetComparison answers with a comparison.
func (a *api) GetComparison(c echo.Context, id string) error {
	doc, err := find(c, a.Reads.Comparison, domain.PrefixComparison, id)
	if err != nil {
		return err
	}
	now := a.Now()
	return sendDocument(c, dailyRevision(doc.Revision, now), doc, a.shownComparison(callOf(c).principal, now))
}

// settings are members of a JSON object that describes a test to start.
type settings map[string]any

// takenOver are the settings that a variant shares with the test that it is held
// against.
func takenOver(t tests.Document) settings {
	all := settings{
		"task": t.Task, "sessions": t.SessionsTotal, "model": testrun.Successor(t.Model), "personas": t.Personas, "criteria": t.Criteria,
		"viewport": t.Viewport, "seed": t.Seed, "max_steps": t.MaxSteps,
	}
	if t.Locale != nil {
		all["locale"] = *t.Locale
	}
	if t.Replays != "" {
		all["replays"] = t.Replays
	}
	if t.Success != nil {
		all["success"] = t.Success
	}
	return all
}

// planComparison reads what was asked for: variants are completed to tests by
// the settings for both, or by those of the test that they are held against.
func (a *api) planComparison(c echo.Context) (plan service.NewComparison, err error) {
	var asked struct {
		Name     string   `json:"name"`
		Criteria []string `json:"criteria"`
		A        settings `json:"a"`
		B        settings `json:"b"`
	}
	var shared settings
	if err := errors.Join(json.Unmarshal(callOf(c).body, &asked), json.Unmarshal(callOf(c).body, &shared)); err != nil {
		return plan, fmt.Errorf("a body that its schema takes: %w", err)
	}
	for _, own := range []string{"a", "b", "name"} {
		delete(shared, own)
	}
	plan.Name = asked.Name
	plan.A.TestID, _ = asked.A["test_id"].(string)
	plan.B.TestID, _ = asked.B["test_id"].(string)
	switch {
	case plan.A.TestID != "" && plan.B.TestID != "":
		for _, name := range slices.Sorted(maps.Keys(shared)) {
			if name != "criteria" {
				return plan, domain.Invalid(name, "conflict", "both tests exist already, so that %s cannot be chosen; leave it out, or give a url instead of a test_id", name)
			}
		}
		plan.Criteria = asked.Criteria
		return plan, nil
	case plan.A.TestID != "":
		err = a.takeOver(c, "a", plan.A.TestID, shared)
	case plan.B.TestID != "":
		err = a.takeOver(c, "b", plan.B.TestID, shared)
	}
	if err == nil && plan.A.TestID == "" {
		plan.A.Own = slices.Collect(maps.Keys(asked.A))
		plan.A.Variant, err = a.variant("a", asked.A, shared, plan.Name)
	}
	if err == nil && plan.B.TestID == "" {
		plan.B.Own = slices.Collect(maps.Keys(asked.B))
		plan.B.Variant, err = a.variant("b", asked.B, shared, plan.Name)
	}
	return plan, err
}

// takeOver completes the settings for a variant by those of the test on the
// other side. What would make them incomparable is refused.
func (a *api) takeOver(c echo.Context, side, id string, shared settings) error {
	test, err := a.stateOf(c, id)
	if domain.CodeOf(err) == domain.CodeNotFound {
		return domain.Invalid(side+".test_id", "unknown", "there is no test %q", id)
	}
	if err != nil {
		return err
	}
	of := takenOver(test)
	for _, setting := range slices.Sorted(maps.Keys(of)) {
		_, chosen := shared[setting]
		switch {
		case !chosen:
			shared[setting] = of[setting]
		case setting != "success":
			return domain.Invalid(setting, "conflict", "%s is taken over from the test that the variant is held against; leave it out", setting)
		}
	}
	return nil
}

// variant is the test that is to be started for a side, checked as POST /tests
// checks its body.
func (a *api) variant(name string, side, shared settings, title string) (*service.NewTest, error) {
	object := maps.Clone(shared)
	maps.Copy(object, side)
	if _, named := object["name"]; !named && title != "" {
		object["name"] = title + " " + strings.ToUpper(name)
	}
	rule := a.document.operations["POST /v1/tests"].body
	raw, faults, err := a.document.fitted(rule, object)
	if err != nil {
		return nil, err
	}
	for i := range faults {
		field, _, _ := strings.Cut(strings.TrimPrefix(faults[i].Pointer, "/"), "/")
		if _, own := side[field]; own {
			faults[i].Pointer = "/" + name + faults[i].Pointer
		}
	}
	if err := invalid(faults); err != nil {
		return nil, err
	}
	var variant NewTest
	if err := json.Unmarshal(raw, &variant); err != nil {
		return nil, err
	}
	asked := variant.asked()
	return &asked, nil
}

// fitted is an object as the body that a rule asks for, defaults filled in, or
// what is wrong with it.
func (d *document) fitted(rule *bodyRule, object settings) (raw []byte, faults []fieldFault, err error) {
	if raw, err = json.Marshal(object); err != nil {
		return nil, nil, err
	}
	var value map[string]any // without Go's types, which the schema does not know
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, nil, err
	}
	if faults = d.bodyFaults(rule, value); len(faults) > 0 {
		return nil, faults, nil
	}
	for setting, standard := range rule.defaults {
		if _, given := value[setting]; !given {
			value[setting] = standard
		}
	}
	raw, err = json.Marshal(value)
	return raw, nil, err
}
