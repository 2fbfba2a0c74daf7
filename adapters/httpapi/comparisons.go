package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
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
		return a.created("/comparisons/"+id, revision(doc.Revision), doc.JSON), nil
	})
}

// ListComparisons lists comparisons.
func (a *api) ListComparisons(c echo.Context, params ListComparisonsParams) error {
	return list(a, c, a.Reads.Comparisons, service.Query{Status: string(params.Status), TestID: params.TestID}, params.Limit, params.Cursor, nil)
}

// GetComparison answers with a comparison.
func (a *api) GetComparison(c echo.Context, id string) error {
	doc, err := find(c, a.Reads.Comparison, domain.PrefixComparison, id)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}

// settings are members of a JSON object, such as one that describes a test to
// start.
type settings map[string]json.RawMessage

// takenOver are the settings that a variant shares with the test that it is
// held against, by their names in that test's document.
var takenOver = map[string]string{
	"task": "task", "sessions": "sessions_total", "model": "model", "personas": "personas", "criteria": "criteria",
	"viewport": "viewport", "seed": "seed", "max_steps": "max_steps", "locale": "locale", "success": "success",
}

// planComparison reads what was asked for: variants are completed to tests by
// the settings for both, or by those of the test that they are held against.
func (a *api) planComparison(c echo.Context) (plan service.NewComparison, err error) {
	var request settings
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return plan, fmt.Errorf("a body that its schema takes: %w", err)
	}
	sides := map[string]settings{}
	for _, name := range []string{"a", "b"} {
		var side settings
		if err := json.Unmarshal(request[name], &side); err != nil {
			return plan, fmt.Errorf("a side that its schema takes: %w", err)
		}
		sides[name] = side
		delete(request, name)
	}
	if err := decodeMember(request, "name", &plan.Name); err != nil {
		return plan, err
	}
	delete(request, "name")
	variants := 0
	for _, side := range sides {
		if _, exists := side["test_id"]; !exists {
			variants++
		}
	}
	switch variants {
	case 0:
		for _, name := range slices.Sorted(maps.Keys(request)) {
			if name != "criteria" {
				return plan, domain.Invalid(name, "conflict", "both tests exist already, so that %s cannot be chosen; leave it out, or give a url instead of a test_id", name)
			}
		}
		if err := decodeMember(request, "criteria", &plan.Criteria); err != nil {
			return plan, err
		}
	case 1:
		if request, err = a.settingsOfTest(c, sides, request); err != nil {
			return plan, err
		}
	}
	if plan.A, err = a.planSide("a", sides["a"], request, plan.Name); err != nil {
		return plan, err
	}
	plan.B, err = a.planSide("b", sides["b"], request, plan.Name)
	return plan, err
}

func decodeMember(from settings, name string, into any) error {
	if raw, given := from[name]; given {
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("%s that its schema takes: %w", name, err)
		}
	}
	return nil
}

// settingsOfTest completes the settings for a variant by those of the test on
// the other side. What would make them incomparable is refused.
func (a *api) settingsOfTest(c echo.Context, sides map[string]settings, given settings) (settings, error) {
	side := "a"
	if _, exists := sides["b"]["test_id"]; exists {
		side = "b"
	}
	var id string
	if err := decodeMember(sides[side], "test_id", &id); err != nil {
		return nil, err
	}
	doc, err := find(c, a.Reads.Test, domain.PrefixTest, id)
	if domain.CodeOf(err) == domain.CodeNotFound {
		return nil, domain.Invalid(side+".test_id", "unknown", "there is no test %q", id)
	}
	if err != nil {
		return nil, err
	}
	var test settings
	if err := json.Unmarshal(doc.JSON, &test); err != nil {
		return nil, fmt.Errorf("test %s: %w", id, err)
	}
	all := maps.Clone(given)
	for _, setting := range slices.Sorted(maps.Keys(takenOver)) {
		value, has := test[takenOver[setting]]
		if !has || string(value) == "null" {
			continue
		}
		if _, chosen := given[setting]; chosen && setting != "success" {
			return nil, domain.Invalid(setting, "conflict", "%s is taken over from the test that the variant is held against; leave it out", setting)
		}
		if _, chosen := given[setting]; !chosen {
			all[setting] = value
		}
	}
	return all, nil
}

// planSide is one side, checked as POST /tests checks its body.
func (a *api) planSide(name string, side, shared settings, title string) (service.NewSide, error) {
	var p service.NewSide
	if _, exists := side["test_id"]; exists {
		return p, decodeMember(side, "test_id", &p.TestID)
	}
	object := map[string]any{}
	for _, from := range []settings{shared, side} {
		for setting, raw := range from {
			var value any
			if err := json.Unmarshal(raw, &value); err != nil {
				return p, fmt.Errorf("%s that its schema takes: %w", setting, err)
			}
			object[setting] = value
		}
	}
	if _, named := object["name"]; !named && title != "" {
		object["name"] = title + " " + strings.ToUpper(name)
	}
	rule := a.document.operations["POST /v1/tests"].body
	if faults := a.document.bodyFaults(rule, object); len(faults) > 0 {
		for i := range faults {
			field, _, _ := strings.Cut(strings.TrimPrefix(faults[i].Pointer, "/"), "/")
			if _, own := side[field]; own {
				faults[i].Pointer = "/" + name + faults[i].Pointer
			}
		}
		return p, invalid(faults)
	}
	for setting, value := range rule.defaults {
		if _, given := object[setting]; !given {
			object[setting] = value
		}
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return p, err
	}
	var variant NewTest
	if err := json.Unmarshal(raw, &variant); err != nil {
		return p, err
	}
	asked := variant.asked()
	p.Variant = &asked
	return p, nil
}
