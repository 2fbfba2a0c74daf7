package testrun

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"understudy/domain"
)

// MaxSeed is the largest integer that every JSON reader keeps exact.
const MaxSeed = 1<<53 - 1

func create(s State, c Create) ([]Event, error) {
	if s.Status != "" {
		if s.Test.TestID == c.TestID {
			return nil, nil
		}
		return nil, domain.Refuse(domain.CodeConflict, "this test exists already")
	}
	created, err := c.Plan()
	if err != nil {
		return nil, err
	}
	return []Event{created}, nil
}

// Plan is the event that the command records on a stream without events.
func (c Create) Plan() (Created, error) {
	if err := c.Check(); err != nil {
		return Created{}, err
	}
	w := c.Wish
	gate := c.Demands.For(w.Gate, w.Criteria)
	return Created{
		TestID: c.TestID, OrganizationID: c.OrganizationID, Environment: c.Environment,
		Name: w.Name, URL: w.URL, Task: w.Task, Sessions: w.Sessions, Model: w.model(),
		Personas: w.Personas, CustomPersonas: c.CustomPersonas, Criteria: w.Criteria, Viewports: w.Viewports,
		Seed: w.Seed, MaxSteps: w.MaxSteps, Locale: w.Locale, Success: w.Success, Replays: w.Replays,
		Gate: Gate{Threshold: gate.Threshold, Criteria: gate.Criteria}, Metadata: w.Metadata, Inputs: c.Inputs, InputsOrigins: w.InputsOrigins, PrivateOrigins: w.PrivateOrigins,
		CreatedAt: c.Now, EstimatedCompletion: c.EstimatedCompletion,
	}, nil
}

var placeholder = regexp.MustCompile(`\{\{\s*([^{}\s]*)\s*\}\}`)

// Mentioned are the names of inputs in a task, in its order.
func Mentioned(task string) (names []string) {
	for _, m := range placeholder.FindAllStringSubmatch(task, -1) {
		names = append(names, m[1])
	}
	return names
}

// Check says why no test can be made of the wish, nil when one can. It needs
// neither the personas, the demands nor the times.
func (c Create) Check() error {
	w := c.Wish
	for _, criterion := range slices.Sorted(maps.Keys(w.Gate.Criteria)) {
		if !slices.Contains(w.Criteria, criterion) {
			return domain.Invalid("quality_gate.criteria."+criterion, "not_measured",
				"the gate has a threshold for %s, which is not among the test's criteria; add it there", criterion)
		}
	}
	if !slices.Contains(c.Models, w.model()) {
		refusal := domain.Invalid("model", "not_available", "model %q is not served here; available: %s", w.Model, strings.Join(c.Models, ", "))
		if next := Successor(w.Model); next != w.Model {
			refusal = domain.Invalid("model", "not_available", "model %q is no longer served; its successor is %s", w.Model, next)
		}
		refusal.Code = domain.CodeModelUnavailable
		return refusal
	}
	for _, name := range Mentioned(w.Task) {
		if _, given := c.Inputs[name]; !given {
			return domain.Invalid("inputs", "missing", "the task mentions {{%s}}, but inputs has no %q", name, name)
		}
	}
	switch source := w.Personas.Source; {
	case strings.TrimSpace(w.Task) == "":
		return domain.Invalid("task", "required", "task must say what the simulated users are to try")
	case source != "pack" && w.Personas.PackID != "":
		return domain.Invalid("personas.pack_id", "conflict", "pack_id goes with the source pack, not with %s", source)
	case source != "custom" && len(w.Personas.PersonaIDs) > 0:
		return domain.Invalid("personas.persona_ids", "conflict", "persona_ids goes with the source custom, not with %s", source)
	}
	return w.Success.check()
}
