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
