package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/scoring"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/comparisons"
	"understudy/projections/personas"
	"understudy/projections/tests"
)

// Starting is the use cases of starting tests.
type Starting interface {
	CreateTest(ctx context.Context, call service.Call, testID string, in service.NewTest) (projections.Document[tests.Document], error)
	CreateComparison(ctx context.Context, call service.Call, comparisonID string, in service.NewComparison) (projections.Document[comparisons.Document], error)
	Settings(ctx context.Context, p service.Principal, testID string) (testrun.Created, error)
	Foresee(ctx context.Context, p service.Principal, in service.NewTest, most int) (service.Foreseen, error)
	TryOut(ctx context.Context, p service.Principal, in service.NewTest) (service.TriedOut, error)
	PersonaPacks() []service.Pack
	Personas(ctx context.Context, p service.Principal, q service.Query) (service.Page[personas.Document], error)
	Organization(ctx context.Context, p service.Principal) (projections.Document[accounts.Document], error)
}

// newTestPage is the form that a test is asked for with.
type newTestPage struct {
	Form url.Values
	// Draft is this form's own: what is sent twice with it is one test.
	Draft       string
	Environment domain.Environment
	Packs       []service.Pack
	Own         []personas.Document
	Criteria    []criterion
	Models      []service.Model
	Gate        accounts.QualityGate
	// Again is the test that the form was filled in from, nil for none. Its secret
	// values are to be typed anew, by these names.
	Again      *testrun.Created
	Inputs     []string
	Understood understood
	Foreseen   foreseen
}

// criterion is one that can be scored.
type criterion struct{ Name, Label, Means string }

// criteria are all, in the order of reports.
var criteria = func() (all []criterion) {
	means := map[string]string{
		scoring.TaskCompletion: "The goal was verifiably reached.", scoring.CTAFindability: "What the task needs was found at once.",
		scoring.Navigation: "No detours.", scoring.Efficiency: "As quick as on the shortest known way.",
		scoring.Readability: "Texts that these people read easily.", scoring.Accessibility: "Nothing impeded the way, and no rule of the audit fails on it.",
		scoring.ErrorRecovery: "Errors were told beside the field and quickly repaired.", scoring.Trust: "No late costs, forced accounts, needless questions.",
		scoring.Speed: "Good loading, response and stability.",
	}
	for _, name := range scoring.Criteria {
		all = append(all, criterion{name, criterionWords(name), means[name]})
	}
	return all
}()

// Has reports whether a value of a field is chosen.
func (p newTestPage) Has(field, value string) bool { return slices.Contains(p.Form[field], value) }

// Sandbox: the test would be one of the sandbox.
func (p newTestPage) Sandbox() bool { return p.Environment == domain.Sandbox }

// Viewports are the screens to choose from.
func (newTestPage) Viewports() []string { return []string{"desktop", "mobile", "tablet"} }

// Open reports whether any of the fields is filled in.
func (p newTestPage) Open(fields ...string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return p.Form.Get(field) != "" })
}

// condition is a field for when a session has succeeded.
type condition struct{ Name, Label, Hint string }

// Conditions are all of them.
func (newTestPage) Conditions() []condition {
	return []condition{
		{"success.url_matches", "Address matches", `A regular expression (RE2) that is found in the address, such as /thank-you`},
		{"success.text_visible", "Text can be seen", "In any case and spacing."},
		{"success.selector_visible", "Element can be seen", "A CSS selector, such as .order-number"},
		{"success.request_made", "Request is answered with success", "“METHOD /path”, or a part of the address, such as POST /api/orders"},
	}
}

// defaults are what the form has before anybody has changed it.
func defaults() url.Values {
	return url.Values{"sessions": {"10"}, "personas": {"auto-diverse"}, "criteria": {scoring.TaskCompletion, scoring.CTAFindability}, "viewport": {"desktop"}, "replays": {"safe"}}
}

// newTest shows the form, filled in from what the address says: from is a test to run
// again, pack and persona are who walks, everything else is a field.
func (d *Dashboard) newTest(w http.ResponseWriter, r *http.Request, who service.Principal) {
	form, query := defaults(), r.URL.Query()
	var again *testrun.Created
	if from := query.Get("from"); from != "" {
		there, test, err := inEither(who, func(p service.Principal) (testrun.Created, error) { return d.Starting.Settings(r.Context(), p, from) })
		if err != nil {
			d.fail(w, r, err)
			return
		}
		who, again, form = there, &test, formOf(test)
	}
	for _, field := range []string{"url", "task", "sessions"} {
		if given := query.Get(field); given != "" {
			form.Set(field, given)
		}
	}
	if pack := query.Get("pack"); pack != "" {
		form.Set("personas", "pack")
		form.Set("pack_id", pack)
	}
	if id := query.Get("persona"); id != "" {
		there, _, err := inEither(who, func(p service.Principal) (projections.Document[personas.Document], error) {
			return d.Personas.Persona(r.Context(), p, id)
		})
		if err != nil {
			d.fail(w, r, err)
			return
		}
		who = there
		form.Set("personas", "custom")
		form.Set("persona_ids", id)
	}
	v, err := d.newTestView(r.Context(), who, form, again)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "new_test", v)
}

func (d *Dashboard) newTestView(ctx context.Context, who service.Principal, form url.Values, again *testrun.Created) (view, error) {
	page := newTestPage{Form: form, Draft: newID(domain.PrefixTest), Environment: who.Environment, Packs: d.Starting.PersonaPacks(), Criteria: criteria, Models: d.Models, Again: again}
	if form.Get("drawn") == "" {
		form.Set("drawn", drawnSeed())
	}
	listed, err := d.Starting.Personas(ctx, who, service.Query{Limit: shown})
	if err != nil {
		return view{}, err
	}
	if page.Own, err = decoded(listed); err != nil {
		return view{}, err
	}
	organization, err := d.Starting.Organization(ctx, who)
	if err != nil {
		return view{}, err
	}
	home, err := organization.Decode()
	if err != nil {
		return view{}, err
	}
	page.Gate = home.QualityGate
	page.Inputs = append(page.Inputs, form["input"]...)
	for len(page.Inputs) < 2 {
		page.Inputs = append(page.Inputs, "")
	}
	page.Understood = understoodOf(form)
	if page.Foreseen, err = d.foreseenOf(ctx, who, form); err != nil {
		return view{}, err
	}
	title := "New test"
	if again != nil {
		title = "Run again"
	}
	return view{Title: title, Who: &who, Data: page, Form: form}, nil
}

// drawnSeed is by chance.
func drawnSeed() string {
	id := uuid.New()
	var n uint64
	for _, b := range id[:8] {
		n = n<<8 | uint64(b)
	}
	return strconv.FormatUint(n&testrun.MaxSeed, 10)
}

// createTest starts the test that the form asks for, or two of it that are compared.
func (d *Dashboard) createTest(w http.ResponseWriter, r *http.Request, who service.Principal) {
	if !d.form(w, r) {
		return
	}
	form := r.PostForm
	if env := domain.Environment(form.Get("environment")); env == domain.Live || env == domain.Sandbox {
		who.Environment = env
	}
	to, note, err := d.start(r, who, form)
	if err == nil {
		d.sessions.Put(r.Context(), keyEnvironment, string(who.Environment))
		d.goOn(w, r, to, note)
		return
	}
	form.Del("value") // secrets are not shown again
	v, viewErr := d.newTestView(r.Context(), who, form, nil)
	if viewErr != nil {
		d.fail(w, r, err)
		return
	}
	d.again(w, r, "new_test", v, err)
}

// start starts it, and tells the page that follows it with what is said there.
func (d *Dashboard) start(r *http.Request, who service.Principal, form url.Values) (to, note string, err error) {
	call, err := d.Team.CallOf(r.Context(), d.visit(r), who)
	if err != nil {
		return "", "", err
	}
	in, err := d.Asked(bodyOf(form))
	if err != nil {
		return "", "", err
	}
	other, prefix := strings.TrimSpace(form.Get("other")), domain.PrefixTest
	if other != "" {
		prefix = domain.PrefixComparison
	}
	id, err := d.Once(r.Context(), who, keyOf("test", form), newID(prefix))
	if err != nil {
		return "", "", err
	}
	call.CommandID, call.Meta.Address = domain.DeriveUUID("request", id), "" // where from is asked of access only
	if other == "" {
		_, err = d.Starting.CreateTest(r.Context(), call, id, in)
		return "/tests/" + id, "The test has started.", err
	}
	b := in
	b.URL = other
	_, err = d.Starting.CreateComparison(r.Context(), call, id, service.NewComparison{
		Name: in.Name, A: service.NewSide{Variant: &in}, B: service.NewSide{Variant: &b, Own: []string{"url"}},
	})
	return "/comparisons/" + id, "", err
}

// bodyOf is what the form asks for as the body of a POST /tests, which says what of it
// is allowed.
func bodyOf(form url.Values) map[string]any {
	if !form.Has("criteria") && !form.Has("viewport") && !form.Has("personas") { // the short form
		form = merged(defaults(), form)
	}
	body := map[string]any{"url": strings.TrimSpace(form.Get("url")), "task": form.Get("task"), "personas": personasOf(form)}
	body["criteria"], body["viewport"] = slices.Clone(form["criteria"]), slices.Clone(form["viewport"])
	for _, name := range []string{"criteria", "viewport"} {
		if !form.Has(name) {
			body[name] = []string{}
		}
	}
	for _, name := range []string{"name", "locale", "replays", "model"} {
		if given := strings.TrimSpace(form.Get(name)); given != "" {
			body[name] = given
		}
	}
	for _, name := range []string{"sessions", "max_steps", "seed"} {
		if given := strings.TrimSpace(form.Get(name)); given != "" {
			body[name] = numeric(given)
		}
	}
	if body["seed"] == nil && form.Get("drawn") != "" {
		body["seed"] = numeric(form.Get("drawn"))
	}
	if success := group(form, "success."); len(success) > 0 {
		body["success"] = success
	}
	gate := map[string]any{}
	if given := strings.TrimSpace(form.Get("threshold")); given != "" {
		gate["threshold"] = numeric(given)
	}
	thresholds := group(form, "threshold.")
	for name, given := range thresholds {
		thresholds[name] = numeric(given.(string))
	}
	if len(thresholds) > 0 {
		gate["criteria"] = thresholds
	}
	if len(gate) > 0 {
		body["quality_gate"] = gate
	}
	inputs := map[string]any{}
	for i, name := range form["input"] {
		if name = inputName(name); name != "" && i < len(form["value"]) {
			inputs[name] = form["value"][i]
		}
	}
	if len(inputs) > 0 {
		body["inputs"] = inputs
	}
	for _, name := range []string{"inputs_origins", "private_origins"} {
		if origins := strings.Fields(form.Get(name)); len(origins) > 0 {
			body[name] = origins
		}
	}
	if pairs := pairsOf(form.Get("metadata")); len(pairs) > 0 {
		body["metadata"] = pairs
	}
	return body
}

func merged(base, over url.Values) url.Values {
	for name, values := range over {
		base[name] = values
	}
	return base
}

// personasOf is who walks: auto-diverse, custom, or pack.
func personasOf(form url.Values) map[string]any {
	switch source := form.Get("personas"); source {
	case "pack":
		return map[string]any{"source": source, "pack_id": form.Get("pack_id")}
	case "custom":
		return map[string]any{"source": source, "persona_ids": append([]string{}, form["persona_ids"]...)}
	default:
		return map[string]any{"source": source}
	}
}

// numeric is a number, or the text that is none.
func numeric(text string) any {
	if n := json.Number(strings.TrimSpace(text)); json.Valid([]byte(n)) && n != "" {
		return json.RawMessage(n)
	}
	return text
}

// group are the fields with a prefix that are filled in.
func group(form url.Values, prefix string) map[string]any {
	out := map[string]any{}
	for name := range form {
		if rest, ok := strings.CutPrefix(name, prefix); ok && form.Get(name) != "" {
			out[rest] = form.Get(name)
		}
	}
	return out
}

// pairsOf reads lines of name=value.
func pairsOf(text string) map[string]any {
	out := map[string]any{}
	for line := range strings.Lines(text) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.TrimSpace(name) != "" {
			out[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return out
}

// formOf is the form that a test was asked for with, without its secret values.
func formOf(t testrun.Created) url.Values {
	decimal := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	form := url.Values{
		"name": {t.Name}, "url": {t.URL}, "task": {t.Task}, "sessions": {strconv.Itoa(t.Sessions)}, "personas": {t.Personas.Source}, "pack_id": {t.Personas.PackID},
		"persona_ids": t.Personas.PersonaIDs, "criteria": t.Criteria, "viewport": t.Viewports, "max_steps": {strconv.Itoa(t.MaxSteps)}, "locale": {t.Locale},
		"replays": {cmp.Or(t.Replays, "safe")}, "model": {t.Model}, "input": slices.Sorted(maps.Keys(t.Inputs)), "inputs_origins": {strings.Join(t.InputsOrigins, "\n")},
		"private_origins": {strings.Join(t.PrivateOrigins, "\n")},
		"threshold":       {decimal(t.Gate.Threshold)},
	}
	if pack, ok := persona.FindPack(t.Personas.PackID); ok {
		form.Set("pack_id", pack.Slug)
	}
	for name, threshold := range t.Gate.Criteria {
		form.Set("threshold."+name, decimal(threshold))
	}
	if s := t.Success; s != nil {
		for name, value := range map[string]string{"url_matches": s.URLMatches, "text_visible": s.TextVisible, "selector_visible": s.SelectorVisible, "request_made": s.RequestMade} {
			form.Set("success."+name, value)
		}
	}
	var pairs []string
	for name, value := range t.Metadata {
		pairs = append(pairs, name+"="+value)
	}
	slices.Sort(pairs)
	form.Set("metadata", strings.Join(pairs, "\n"))
	return form
}
