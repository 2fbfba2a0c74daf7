package walk

import (
	"slices"
	"testing"

	"understudy/domain/persona"
	"understudy/domain/task"
)

// TestSignalsOfEffects: what an action brought about, told by its kind.
func TestSignalsOfEffects(t *testing.T) {
	t.Parallel()
	refused := Request{Method: "POST", URL: "https://example.com/api", Status: 422, Kind: "fetch"}
	for name, c := range map[string]struct {
		purpose Purpose
		eff     Effect
		want    []string
	}{
		"nothing":                        {Navigate, Effect{}, []string{SigDeadClick}},
		"another page":                   {Navigate, Effect{Navigated: true, Status: 200}, nil},
		"a page that is not there":       {Navigate, Effect{Navigated: true, Status: 404}, []string{SigBrokenPage}},
		"an exception":                   {Navigate, Effect{Errors: []string{"x is not defined"}}, []string{SigErrorClick, SigScriptError}},
		"a caught exception":             {Navigate, Effect{Mutated: true, Console: []string{"cannot load"}}, []string{SigConsoleError}},
		"a failed request":               {Navigate, Effect{Mutated: true, Requests: []Request{refused}}, []string{SigErrorClick, SigFailedRequest}},
		"what was sent is refused":       {Submit, Effect{Mutated: true, Requests: []Request{refused}}, nil},
		"a form's page says no":          {Submit, Effect{Navigated: true, Status: 422}, nil},
		"a form fails":                   {Submit, Effect{Navigated: true, Status: 500}, []string{SigBrokenPage}},
		"another host's request failed":  {Navigate, Effect{Mutated: true, Requests: []Request{{Method: "GET", URL: "https://ads.example/x", Status: 0, Kind: "fetch"}}}, nil},
		"it took long":                   {Navigate, Effect{Navigated: true, Status: 200, SettleMS: slowSettleMS}, []string{SigSlow}},
		"the browser could not carry on": {Navigate, Effect{Failed: "the element is gone"}, []string{SigActionFailed}},
	} {
		w := NewWalk(task.Parse("Sign up", nil), persona.Persona{})
		button := Element{Role: "button", Name: "Go", Selector: "#go", Box: Box{10, 10, 90, 44}}
		r := w.Record(Page{URL: "https://example.com/"}, Decision{Action: Action{Type: Click}, Target: &button, Purpose: c.purpose}, c.eff)
		var got []string
		for _, s := range r.Signals {
			got = append(got, s.Kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestLinksToNowhere: a link without a destination that only takes the page
// back to its top did nothing, unless that is what it is called.
func TestLinksToNowhere(t *testing.T) {
	t.Parallel()
	const here = "https://example.com/shop"
	for _, c := range []struct {
		name, href string
		eff        Effect
		dead       bool
	}{
		{"Add to cart", here + "#", Effect{Scrolled: true}, true},
		{"Add to cart", here + "#", Effect{}, true},
		{"Add to cart", here + "#", Effect{Scrolled: true, Mutated: true}, false},
		{"Back to top", here + "#", Effect{Scrolled: true}, false},
		{"Prices", here + "#prices", Effect{Scrolled: true}, false},
	} {
		w := NewWalk(task.Parse("Add the mug to the cart", nil), persona.Persona{})
		e := Element{Role: "link", Name: c.name, Href: c.href, Selector: "a", Box: Box{10, 10, 90, 44}}
		r := w.Record(Page{URL: here}, Decision{Action: Action{Type: Click}, Target: &e, Purpose: Navigate}, c.eff)
		if r.HasSignal(SigDeadClick) != c.dead {
			t.Errorf("%s to %s with %+v: %v", c.name, c.href, c.eff, r.Signals)
		}
	}
	keys := map[string]bool{}
	for _, at := range []string{"", "#", "#!", "#!/", "#prices"} {
		keys[StateKey(&Page{URL: here + at})] = true
	}
	if keys[StateKey(&Page{URL: here + "#!/cart"})] || len(keys) != 1 {
		t.Errorf("one page under several names: %v", keys)
	}
}
