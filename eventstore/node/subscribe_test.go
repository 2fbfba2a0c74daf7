package node_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
)

// follow is a subscription whose messages can be awaited.
type follow struct {
	t   testing.TB
	sub *esdb.Subscription
	ctx context.Context
}

func followAll(t testing.TB, c *esdb.Client, o esdb.SubscribeToAllOptions) *follow {
	t.Helper()
	ctx := within(t)
	sub, err := c.SubscribeToAll(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Close() })
	return &follow{t, sub, ctx}
}

// followStream subscribes to the stream s.
func followStream(t testing.TB, c *esdb.Client, o esdb.SubscribeToStreamOptions) *follow {
	t.Helper()
	ctx := within(t)
	sub, err := c.SubscribeToStream(ctx, "s", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Close() })
	return &follow{t, sub, ctx}
}

// next is the next message in words. The subscription's context bounds it.
func (f *follow) next() string {
	f.t.Helper()
	switch m := f.sub.Recv(); {
	case m.EventAppeared != nil:
		return string(m.EventAppeared.Event.Data)
	case m.CaughtUp != nil:
		return "caught up"
	case m.CheckPointReached != nil:
		return fmt.Sprintf("checkpoint %d", m.CheckPointReached.Commit)
	case m.SubscriptionDropped != nil:
		return "dropped"
	default:
		return "unknown"
	}
}

func (f *follow) expect(want ...string) {
	f.t.Helper()
	got := make([]string, 0, len(want))
	for range want {
		got = append(got, f.next())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Fatalf("subscription:\n%s", diff)
	}
}

func TestSubscriptionToAStream(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	early := followStream(t, c, esdb.SubscribeToStreamOptions{From: esdb.Start{}})
	early.expect("caught up")
	appendTo(t, c, "s", esdb.NoStream{}, event("a", "0"), event("a", "1"))
	appendTo(t, c, "other", esdb.NoStream{}, event("a", "other"))
	behind := followStream(t, c, esdb.SubscribeToStreamOptions{From: esdb.Revision(0)})
	behind.expect("1", "caught up")
	end := followStream(t, c, esdb.SubscribeToStreamOptions{From: esdb.End{}})
	end.expect("caught up")
	appendTo(t, c, "s", esdb.Revision(1), event("a", "2"))
	early.expect("0", "1", "2")
	behind.expect("2")
	end.expect("2")
}

func TestSubscriptionToATombstonedStreamEnds(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	appendTo(t, c, "s", esdb.NoStream{}, event("a", "0"))
	running := followStream(t, c, esdb.SubscribeToStreamOptions{From: esdb.Start{}})
	running.expect("0", "caught up")
	if _, err := c.TombstoneStream(within(t), "s", esdb.TombstoneStreamOptions{}); err != nil {
		t.Fatal(err)
	}
	running.expect("dropped")
	_, err := c.SubscribeToStream(within(t), "s", esdb.SubscribeToStreamOptions{})
	if code(err) != esdb.ErrorCodeStreamDeleted {
		t.Errorf("subscribing to the tombstoned stream answered %v", err)
	}
}

func TestSubscriptionToAll(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	appendTo(t, c, "s-1", esdb.NoStream{}, event("a", "1"))
	appendTo(t, c, "s-2", esdb.NoStream{}, event("a", "2"))
	start := followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Start{}})
	start.expect("1", "2", "caught up")
	zero := followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Position{}})
	zero.expect("1", "2", "caught up")
	behind := followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Position{Commit: 1, Prepare: 1}})
	behind.expect("2", "caught up")
	end := followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.End{}})
	end.expect("caught up")
	appendTo(t, c, "s-1", esdb.Revision(0), event("a", "3"))
	for _, f := range []*follow{start, zero, behind, end} {
		f.expect("3")
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	appendTo(t, c, "order-1", esdb.Any{}, event("placed", "1"), event("paid", "2"))
	appendTo(t, c, "invoice-1", esdb.Any{}, event("paid", "3"), event("printed", "4"))
	setMetadata(t, c, "order-1", func(m *esdb.StreamMetadata) { m.SetMaxCount(9) })
	// Before they are told to have caught up, filtered subscriptions learn
	// how far they have looked: the metadata event at position 5.
	for name, tc := range map[string]struct {
		filter esdb.SubscriptionFilter
		want   []string
	}{
		"stream prefix":  {esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"order-"}}, []string{"1", "2", "checkpoint 5", "caught up"}},
		"two prefixes":   {esdb.SubscriptionFilter{Type: esdb.EventFilterType, Prefixes: []string{"pla", "pri"}}, []string{"1", "4", "checkpoint 5", "caught up"}},
		"type regex":     {esdb.SubscriptionFilter{Type: esdb.EventFilterType, Regex: "^pa.d$"}, []string{"2", "3", "checkpoint 5", "caught up"}},
		"stream regex":   {esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Regex: "-1$"}, []string{"1", "2", "3", "4", `{"$maxCount":9}`, "caught up"}},
		"without system": {*esdb.ExcludeSystemEventsFilter(), []string{"1", "2", "3", "4", "checkpoint 5", "caught up"}},
	} {
		t.Run(name, func(t *testing.T) {
			followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Start{}, Filter: &tc.filter}).expect(tc.want...)
		})
	}
	_, err := c.SubscribeToAll(within(t), esdb.SubscribeToAllOptions{Filter: &esdb.SubscriptionFilter{Regex: "(?<=lookbehind)x"}})
	if err == nil {
		t.Error("an expression that RE2 does not know was accepted")
	}
}

func TestCheckpointsComeAtTheIntervalAlsoWithoutMatches(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	o := esdb.SubscribeToAllOptions{
		From:               esdb.Start{},
		MaxSearchWindow:    5,
		CheckpointInterval: 2,
		Filter:             &esdb.SubscriptionFilter{Type: esdb.EventFilterType, Prefixes: []string{"match"}},
	}
	f := followAll(t, c, o)
	f.expect("caught up")
	for range 9 {
		appendTo(t, c, "s", esdb.Any{}, event("none", "x"))
	}
	appendTo(t, c, "s", esdb.Any{}, event("match", "tenth"))
	f.expect("tenth", "checkpoint 10")
	events := make([]esdb.EventData, 25)
	for i := range events {
		events[i] = event("none", "x")
	}
	appendTo(t, c, "s", esdb.Any{}, events...)
	f.expect("checkpoint 20", "checkpoint 30")
	again := followAll(t, c, o)
	again.expect("tenth", "checkpoint 10", "checkpoint 20", "checkpoint 30", "checkpoint 35", "caught up")
}

func TestSlowSubscriberHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	slow := followAll(t, c, esdb.SubscribeToAllOptions{From: esdb.Start{}})
	body := string(make([]byte, 100_000))
	const n = 200 // 20 MB: far above what the connection's windows hold
	for range n {
		appendTo(t, c, "s", esdb.Any{}, event("a", body))
	}
	got := 0
	for got < n {
		switch slow.next() {
		case body:
			got++
		case "caught up":
		default:
			t.Fatalf("the subscription ended after %d events", got)
		}
	}
}
