package clients

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"understudy/adapters/client"
	"understudy/test/harness"
	"understudy/test/patience"
)

// watchLimit bounds a test in the sandbox that takes its time.
const watchLimit = time.Minute

func goClient(t *testing.T, address, key string) *client.Client {
	t.Helper()
	c, err := client.New("http://"+address, key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWatchLosesNothingAndRepeatsNothing: the connection is cut again and again, and
// what is told is what who was never cut off is told.
func TestWatchLosesNothingAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	s := harness.Common(t)
	ln := harness.Lead(t, s.Addr)
	c := goClient(t, ln.Address, s.Keys.Test)
	ctx, cancel := patience.Context(t.Context(), watchLimit)
	defer cancel()
	made, err := c.CreateTestWithResponse(ctx, nil, client.NewTest{URL: "https://shop.example.com/", Task: "slow", Sessions: 64})
	if err != nil {
		t.Fatal(err)
	}
	id := made.JSON201.ID
	var got []client.Message
	lost, cuts := 0, 0
	for m, err := range c.Watch(ctx, id, func(error) { lost++ }) {
		if err != nil {
			t.Fatalf("after %d messages: %v", len(got), err)
		}
		if got = append(got, m); len(got)%7 == 3 && cuts < 6 {
			cuts++
			ln.Break()
		}
	}
	var whole []client.Message
	for m, err := range goClient(t, s.Addr, s.Keys.Test).Watch(ctx, id, func(err error) { t.Errorf("lost: %v", err) }) {
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, m)
	}
	positions := func(list []client.Message) (out []int64) {
		for _, m := range list {
			out = append(out, m.Position)
		}
		return out
	}
	if !slices.Equal(positions(got), positions(whole)) {
		t.Errorf("cut off %d times it was told\n%v, and whole it is\n%v", cuts, positions(got), positions(whole))
	}
	if cuts < 2 || lost == 0 || lost > cuts || len(whole) < 10 {
		t.Errorf("%d messages, cut %d times, %d losses were told", len(whole), cuts, lost)
	}
	t.Logf("%d messages over %d connections, %d losses told", len(got), ln.Made(), lost)
}

func TestWatchEndsWithItsContextAndWithARefusal(t *testing.T) {
	t.Parallel()
	s := harness.Common(t)
	c := goClient(t, s.Addr, s.Keys.Test)
	ctx, cancel := patience.Context(t.Context(), watchLimit)
	defer cancel()
	made, err := c.CreateTestWithResponse(ctx, nil, client.NewTest{URL: "https://shop.example.com/", Task: "slow", Sessions: 4})
	if err != nil {
		t.Fatal(err)
	}
	watching, leave := context.WithCancel(ctx)
	defer leave()
	var ended []error
	for _, err := range c.Watch(watching, made.JSON201.ID, func(error) {}) {
		if err == nil {
			leave() // at the first message
			continue
		}
		ended = append(ended, err)
	}
	if len(ended) != 1 || !errors.Is(ended[0], context.Canceled) {
		t.Errorf("it ended with %v", ended)
	}
	ended = nil
	for _, err := range c.Watch(ctx, "test_01kaj8h2v4e6tvn2f3m9q0w7xz", func(err error) { t.Errorf("lost: %v", err) }) {
		ended = append(ended, err)
	}
	var refused *client.Error
	if len(ended) != 1 || !errors.As(ended[0], &refused) || refused.Status != 404 || refused.Code != "not_found" {
		t.Errorf("of a test that is not there: %v", ended)
	}
}

// TestPagesWalksAWholeList: several pages, each item once, in the order of the list.
func TestPagesWalksAWholeList(t *testing.T) {
	t.Parallel()
	s := harness.Run(t, harness.Loopback)
	c := goClient(t, s.Addr, s.Keys.Test)
	ctx, cancel := patience.Context(t.Context(), watchLimit)
	defer cancel()
	var want []string
	for range 5 {
		made, err := c.CreateTestWithResponse(ctx, nil, client.NewTest{URL: "https://shop.example.com/", Task: "look", Sessions: 1, Name: "paged"})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, made.JSON201.ID)
	}
	slices.Reverse(want)
	var got []string
	pages := 0
	for test, err := range client.Pages(func(cursor *string) ([]client.Test, string, error) {
		pages++
		res, err := c.ListTestsWithResponse(ctx, &client.ListTestsParams{Limit: new(2), Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return res.JSON200.Data, res.JSON200.NextCursor, nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, test.ID)
	}
	if !slices.Equal(got, want) || pages != 3 {
		t.Errorf("%d pages have %v, want %v", pages, got, want)
	}
	got = nil
	for test, err := range c.Tests(ctx, client.ListTestsParams{Name: new("paged")}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, test.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Tests has %v, want %v", got, want)
	}
	sessions := 0
	for _, err := range c.Sessions(ctx, want[0]) {
		if err != nil {
			t.Fatal(err)
		}
		sessions++
	}
	if sessions != 1 {
		t.Errorf("a test of one session has %d", sessions)
	}
	for _, err := range goClient(t, s.Addr, "svc_test_none").Tests(ctx, client.ListTestsParams{}) {
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Code != "unauthenticated" {
			t.Errorf("with a key that is none: %v", err)
		}
	}
}
