package testrun_test

import (
	"errors"
	"strings"
	"testing"

	"understudy/domain"
	"understudy/domain/domaintest"
	"understudy/domain/gate"
	"understudy/domain/persona"
	"understudy/domain/testrun"
)

// wishing is a command with a change to it.
func wishing(change func(*testrun.Create)) testrun.Create {
	c := create(3)
	change(&c)
	return c
}

func TestWhatIsRecordedOfAWish(t *testing.T) {
	t.Parallel()
	half, high := 0.5, 0.9
	recorded := func(change func(*testrun.Created)) events {
		c := created(3)
		change(&c)
		return events{c}
	}
	people := []persona.Persona{{ID: "per_1", Name: "Ada"}}
	sealed := map[string]string{"password": "ciphertext"}
	strict := gate.Rule{Threshold: &high, Criteria: map[string]float64{"task_completion": 1, "speed": 1}}
	domaintest.Run(t, testrun.Decider, []fact{
		{
			Name: "its inputs are those that the task mentions",
			When: wishing(func(c *testrun.Create) { c.Wish.Task, c.Inputs = "log in with {{ password }}", sealed }),
			Then: recorded(func(c *testrun.Created) { c.Task, c.Inputs = "log in with {{ password }}", sealed }),
		},
		{
			Name: "a gate of its own stands alone",
			When: wishing(func(c *testrun.Create) { c.Wish.Gate.Threshold, c.Demands = &half, strict }),
			Then: recorded(func(c *testrun.Created) { c.Gate.Threshold = half }),
		},
		{
			Name: "what the gate leaves open is the organization's, of what is scored",
			When: wishing(func(c *testrun.Create) { c.Demands = strict }),
			Then: recorded(func(c *testrun.Created) {
				c.Gate = testrun.Gate{Threshold: high, Criteria: map[string]float64{"task_completion": 1}}
			}),
		},
		{
			Name: "custom personas as they are now",
			When: wishing(func(c *testrun.Create) {
				c.Wish.Personas = testrun.Personas{Source: "custom", PersonaIDs: []string{"per_1"}}
				c.CustomPersonas = people
			}),
			Then: recorded(func(c *testrun.Created) {
				c.Personas, c.CustomPersonas = testrun.Personas{Source: "custom", PersonaIDs: []string{"per_1"}}, people
			}),
		},
		{
			Name: "told again, no rule is looked at", Given: events{created(3)},
			When: wishing(func(c *testrun.Create) { c.Wish.Task, c.Models = " ", nil }),
		},
	})
}

// TestTheNewestModelIsRecordedByItsName, and one of the past names its successor.
func TestTheNewestModelIsRecordedByItsName(t *testing.T) {
	t.Parallel()
	c := wishing(func(c *testrun.Create) { c.Wish.Model = testrun.Newest })
	if created, err := c.Plan(); err != nil || created.Model != testrun.Embedded {
		t.Errorf("recorded %q, %v", created.Model, err)
	}
	c.Wish.Model = "forager-1"
	if _, err := c.Plan(); err == nil || !strings.Contains(err.Error(), testrun.Embedded) {
		t.Errorf("refused with %v", err)
	}
}

func TestWishesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		field  string
		code   domain.Code
		change func(*testrun.Create)
	}{
		"no task":              {"task", domain.CodeValidationFailed, func(c *testrun.Create) { c.Wish.Task = " \n" }},
		"a model nobody has":   {"model", domain.CodeModelUnavailable, func(c *testrun.Create) { c.Wish.Model = "openai/other" }},
		"a model of the past":  {"model", domain.CodeModelUnavailable, func(c *testrun.Create) { c.Wish.Model = "forager-1" }},
		"an input not given":   {"inputs", domain.CodeValidationFailed, func(c *testrun.Create) { c.Wish.Task = "log in as {{user}}" }},
		"a pack beside others": {"personas.pack_id", domain.CodeValidationFailed, func(c *testrun.Create) { c.Wish.Personas.PackID = "pack_1" }},
		"people beside a pack": {"personas.persona_ids", domain.CodeValidationFailed, func(c *testrun.Create) {
			c.Wish.Personas = testrun.Personas{Source: "pack", PackID: "pack_1", PersonaIDs: []string{"per_1"}}
		}},
		"a threshold for what is not scored": {"quality_gate.criteria.speed", domain.CodeValidationFailed, func(c *testrun.Create) {
			c.Wish.Gate.Criteria = map[string]float64{"task_completion": 1, "speed": 1}
		}},
	} {
		_, err := testrun.Decider.Decide(testrun.State{}, wishing(c.change))
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != c.code || len(refusal.Fields) != 1 || refusal.Fields[0].Field != c.field {
			t.Errorf("%s: %v, want %s at %s", name, err, c.code, c.field)
		}
	}
}

// TestSuccessIsCheckedBeforeAnybodyWalks: a condition that cannot be read would
// let every session fail.
func TestSuccessIsCheckedBeforeAnybodyWalks(t *testing.T) {
	t.Parallel()
	for field, all := range map[string]struct{ good, wrong []string }{
		"url_matches": {
			[]string{"/thank-you", `^https://shop\.example/done\?id=\d+$`, "(?i)/Done"},
			[]string{"https://shop.example/*?+", "/done(", "[", `/a\`, "(?<=x)y"},
		},
		"selector_visible": {
			[]string{
				"*", "h1", "#done", ".order .done", "div>p + a~b", "a[href]", `a[href^="/buy" i]`, "[data-id=x]", "li:nth-child(2n + 1 of .a, .b)",
				":is(h1, h2):not(.gone)", ":where(#a)", "form:has(> input:checked)", "*|a", "|a", "*|*", "[*|href='#a']", ".sm\\:block", "#\\31 st", "[aria-label='a]b']", "ü",
				"a /* which */ , b", ":lang(de, 'fr')", ":focus-visible", "p:dir(rtl)", " main ", ":nth-last-of-type(odd)", ":nth-child(-n+3)", "x-element", "a:host(.x)",
			},
			[]string{
				"", "#", ".", "div >", "> div", "a,,b", "a,", "a[href", "a[=x]", "a[x=1]", "a[x='y]", ":not(", ":not()", ":nth-child(x)", ":nth-child", "h1)", "div{", "1st", "$x",
				"//div[@id='x']", "text=Thanks", "a::before", "a:after", "a b:", "a||b", "svg|a", "[svg|href]", "*|", "div > > p", "#1 2 !",
			},
		},
		"text_visible": {[]string{"Thank you"}, []string{" \n\t"}},
		"request_made": {[]string{"POST /api/orders", "/api"}, []string{"  "}},
	} {
		refusal := func(value string) *domain.Error {
			_, err := testrun.Decider.Decide(testrun.State{}, wishing(func(c *testrun.Create) {
				c.Wish.Success = map[string]*testrun.Success{
					"url_matches": {URLMatches: value}, "selector_visible": {SelectorVisible: value},
					"text_visible": {TextVisible: value}, "request_made": {RequestMade: value},
				}[field]
			}))
			var refusal *domain.Error
			errors.As(err, &refusal)
			return refusal
		}
		for _, value := range all.good {
			if err := refusal(value); err != nil {
				t.Errorf("%s %q: %v", field, value, err)
			}
		}
		for _, value := range all.wrong {
			if value == "" {
				continue // not given
			}
			err := refusal(value)
			if err == nil || err.Code != domain.CodeValidationFailed || err.Fields[0].Field != "success."+field {
				t.Errorf("%s %q: %v", field, value, err)
			}
		}
		if field != "url_matches" {
			continue
		}
		if err := refusal("https://shop.example/*?+"); err == nil || !strings.Contains(err.Message, `write https://shop\.example/\*\?\+`) {
			t.Errorf("no way out: %v", err)
		}
	}
}
