package walk

import (
	"slices"
	"testing"
)

// TestPathKeepsWhatWasDone: a return to a page drops a detour, and nothing that was sent.
func TestPathKeepsWhatWasDone(t *testing.T) {
	t.Parallel()
	step := func(url string, p Purpose, taken bool) StepRecord {
		r := StepRecord{Page: Page{URL: url}, Decision: Decision{Purpose: p, Action: Action{Type: Click}}, Effect: Effect{Navigated: true, Arrived: true}}
		if taken {
			r.Effect.Requests = []Request{{Method: "POST", URL: url, Status: 303, Kind: "document"}}
		}
		return r
	}
	w := Walked{Steps: []StepRecord{
		step("https://a.example/", Navigate, false), step("https://a.example/news", Return, false),
		step("https://a.example/", Navigate, false), step("https://a.example/edit", Submit, true),
		step("https://a.example/", Navigate, false), step("https://a.example/end", Finish, false),
	}}
	if got := w.Path(); !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("%v", got)
	}
	w.Steps[3] = step("https://a.example/edit", Submit, false)
	if got := w.Path(); !slices.Equal(got, []int{4}) {
		t.Errorf("with nothing taken: %v", got)
	}
}

// TestAFragmentMayBeARoute: a path or a state in it is one; a part of the page, or a text to
// jump to, is none.
func TestAFragmentMayBeARoute(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/": "", "https://a.example/#top": "", "https://a.example/#": "", "https://a.example/#!": "",
		"https://a.example/#/inbox": "/inbox", "https://a.example/#!inbox": "!inbox",
		"https://a.example/#book=4&panel=details": "book=4&panel=details", "https://a.example/#:~:text=a=b": "",
	} {
		if document, route := SplitRoute(address); document != "https://a.example/" || route != want {
			t.Errorf("%s is %q with the route %q, wanted %q", address, document, route, want)
		}
	}
}
