package node_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func TestAppendedEventReadsBackWhole(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	json, binary := event("order.placed", `{"n":1}`), event("order.scanned", "\x00\xff")
	binary.ContentType = esdb.ContentTypeBinary
	before := time.Now().Add(-time.Second)
	done := appendTo(t, c, "order-1", esdb.NoStream{}, json, binary)
	if done.NextExpectedVersion != 1 || done.CommitPosition != 2 || done.PreparePosition != 2 {
		t.Fatalf("append answered %+v", done)
	}
	got, err := readStream(t, c, "order-1", esdb.ReadStreamOptions{}, 10)
	if err != nil || len(got) != 2 {
		t.Fatalf("read %d events, error %v", len(got), err)
	}
	for i, want := range []esdb.EventData{json, binary} {
		g := got[i]
		if g.EventID != want.EventID || g.EventType != want.EventType || g.StreamID != "order-1" ||
			g.EventNumber != uint64(i) || g.Position.Commit != uint64(i+1) ||
			string(g.Data) != string(want.Data) || string(g.UserMetadata) != string(want.Metadata) {
			t.Errorf("event %d reads back as %+v", i, g)
		}
		if g.CreatedDate.Before(before) || g.CreatedDate.After(time.Now().Add(time.Second)) {
			t.Errorf("event %d was created at %v", i, g.CreatedDate)
		}
	}
	if got[0].ContentType != "application/json" || got[1].ContentType != "application/octet-stream" {
		t.Errorf("content types %q, %q", got[0].ContentType, got[1].ContentType)
	}
}

func TestExpectedRevisions(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	appendTo(t, c, "has-two", esdb.Any{}, event("a", "0"), event("a", "1"))
	cases := []struct {
		name, stream string
		expected     esdb.ExpectedRevision
		ok           bool
		says         string
	}{
		{"no stream on a new one", "new-1", esdb.NoStream{}, true, ""},
		{"no stream on an existing one", "has-two", esdb.NoStream{}, false, "expecting 'no_stream' but got '1'"},
		{"any on a new one", "new-2", esdb.Any{}, true, ""},
		{"exists on a new one", "new-3", esdb.StreamExists{}, false, "expecting 'stream_exists' but got 'no_stream'"},
		{"revision on a new one", "new-4", esdb.Revision(0), false, "expecting '0' but got 'no_stream'"},
		{"revision too low", "has-two", esdb.Revision(0), false, "expecting '0' but got '1'"},
		{"revision too high", "has-two", esdb.Revision(7), false, "expecting '7' but got '1'"},
		{"exact revision", "has-two", esdb.Revision(1), true, ""},
		{"exists on an existing one", "has-two", esdb.StreamExists{}, true, ""},
	}
	for _, tc := range cases {
		_, err := c.AppendToStream(within(t), tc.stream, esdb.AppendToStreamOptions{ExpectedRevision: tc.expected}, event("a", "x"))
		if tc.ok != (err == nil) {
			t.Errorf("%s: error %v", tc.name, err)
		}
		if !tc.ok && (code(err) != esdb.ErrorCodeWrongExpectedVersion || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s: error %v does not say %q", tc.name, err, tc.says)
		}
	}
}

func TestRepeatedAppendRecordsNothing(t *testing.T) {
	t.Parallel()
	for _, expected := range []esdb.ExpectedRevision{esdb.NoStream{}, esdb.Any{}} {
		c := fresh(t)
		a, b, other := event("a", "a"), event("a", "b"), event("a", "c")
		first := appendTo(t, c, "s", expected, a, b)
		appendTo(t, c, "s", esdb.Revision(1), other)
		again := appendTo(t, c, "s", expected, a, b)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("%T: the repetition was answered differently:\n%s", expected, diff)
		}
		part := appendTo(t, c, "s", expected, a)
		if part.NextExpectedVersion != 0 || part.CommitPosition != 1 {
			t.Errorf("%T: repeating only the first event answered %+v", expected, part)
		}
		_, err := c.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{ExpectedRevision: expected}, a, event("a", "new"))
		if code(err) != esdb.ErrorCodeWrongExpectedVersion {
			t.Errorf("%T: a mixture of known and new events answered %v", expected, err)
		}
		got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 10)
		if diff := cmp.Diff([]string{"a", "b", "c"}, datas(got)); diff != "" || err != nil {
			t.Errorf("%T: stream holds (error %v):\n%s", expected, err, diff)
		}
	}
}

func TestAppendTooLargeSaysSo(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	fits := event("big", strings.Repeat("x", 1<<20-100))
	appendTo(t, c, "s", esdb.NoStream{}, fits)
	for range 20 { // the cause must survive every race of sending and refusing
		events := make([]esdb.EventData, 12)
		for i := range events {
			events[i] = event("big", strings.Repeat("x", 200_000))
		}
		_, err := c.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{ExpectedRevision: esdb.Revision(0)}, events...)
		if err == nil || !strings.Contains(err.Error(), "larger than 1048576 bytes") {
			t.Fatalf("an append too large answered %v", err)
		}
	}
	got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 10)
	if err != nil || len(got) != 1 {
		t.Fatalf("stream holds %d events, error %v", len(got), err)
	}
}

// Events that hold nothing count as well: of an endless run of them the node
// would keep every one.
func TestManyEmptyEventsAreTooLarge(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	c := connect(t, n)
	events := make([]esdb.EventData, 1<<20/64+1)
	for i := range events {
		events[i] = event("a", "")
	}
	_, err := c.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{}, events...)
	if err == nil || !strings.Contains(err.Error(), "larger than 1048576 bytes") {
		t.Errorf("an append of %d empty events answered %v", len(events), err)
	}
	if _, err := c.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{}, events[1:]...); err != nil {
		t.Errorf("an append of %d empty events answered %v", len(events)-1, err)
	}

	call, err := streams.NewStreamsClient(dial(t, n)).BatchAppend(within(t))
	if err != nil {
		t.Fatal(err)
	}
	part := &streams.BatchAppendReq{CorrelationId: textID(uuid.NewString()), Options: noStream("batch")}
	for i := range events {
		p := proposals(uuid.NewString())[0]
		p.Data = nil
		part.ProposedMessages = append(part.ProposedMessages, p)
		if part.IsFinal = i == len(events)-1; part.IsFinal || len(part.ProposedMessages) == 1000 {
			if err := call.Send(part); err != nil {
				t.Fatal(err)
			}
			part = &streams.BatchAppendReq{CorrelationId: part.CorrelationId}
		}
	}
	answer, err := call.Recv()
	if err != nil || answer.GetError() == nil || !strings.Contains(answer.GetError().String(), "MaximumAppendSizeExceeded") {
		t.Errorf("a batch of %d empty events answered %v, %v", len(events), answer, err)
	}
}

func TestUnusableNamesAreRefused(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	for _, stream := range []string{"", "$all", "a\x00b", "$$$$s", "\xff", strings.Repeat("s", 2000)} {
		if _, err := c.AppendToStream(within(t), stream, esdb.AppendToStreamOptions{}, event("a", "x")); err == nil {
			t.Errorf("appending to stream %.10q succeeded", stream)
		}
	}
	if _, err := c.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{}, event("", "x")); err == nil {
		t.Error("appending an event without a type succeeded")
	}
	if got := readAll(t, c, esdb.ReadAllOptions{}, 10); len(got) != 0 {
		t.Errorf("%d events were recorded", len(got))
	}
}

func TestConcurrentWritersOfOneStreamAreOrdered(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				ctx := within(t)
				if _, err := c.AppendToStream(ctx, "s", esdb.AppendToStreamOptions{}, event("a", fmt.Sprintf("%d/%d", w, i))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 1000)
	if err != nil || len(got) != writers*each {
		t.Fatalf("stream holds %d events, error %v", len(got), err)
	}
	next := make([]int, writers)
	for i, ev := range got {
		var w, n int
		if _, err := fmt.Sscanf(string(ev.Data), "%d/%d", &w, &n); err != nil || n != next[w] {
			t.Fatalf("event %d is %s, want writer's number %d (error %v)", i, ev.Data, next[w], err)
		}
		next[w]++
		if ev.EventNumber != uint64(i) || ev.Position.Commit != uint64(i+1) {
			t.Fatalf("event %d has revision %d and position %d", i, ev.EventNumber, ev.Position.Commit)
		}
	}
}
