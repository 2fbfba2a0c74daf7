package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/domain/oracle"
	"understudy/domain/walk"
)

// Conditions that are tried hold as they would at a walk's first look, and say what was
// seen in their place.
func TestConditionsAreTried(t *testing.T) {
	t.Parallel()
	given := walk.Conditions{URLMatches: "/thank", TextVisible: "THANK you", SelectorVisible: "#order", RequestMade: "POST /orders"}
	page := walk.Page{
		URL: "https://shop.example/cart", SelectorsVisible: []string{"#order"},
		Texts: []walk.Text{{Text: "Your cart"}, {Text: "Thank   you, Ada"}},
	}
	opened := walk.Effect{Requests: []walk.Request{
		{Method: "GET", URL: "https://shop.example/cart", Status: 200}, {Method: "POST", URL: "https://shop.example/orders", Status: 500},
	}}
	want := []oracle.Tried{
		{Thing: "address", Want: "/thank", Seen: []string{"https://shop.example/cart"}},
		{Thing: "text", Want: "THANK you", Holds: true, Seen: []string{"Thank you, Ada"}},
		{Thing: "selector", Want: "#order", Holds: true},
		{Thing: "request", Want: "POST /orders", Seen: []string{"POST https://shop.example/orders: 500"}},
	}
	if diff := cmp.Diff(want, oracle.Try(given, page, opened)); diff != "" {
		t.Error(diff)
	}
}
