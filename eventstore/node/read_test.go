package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
)

func TestReadStreamBothWays(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	for i := range 5 {
		appendTo(t, c, "s", esdb.Any{}, event("a", fmt.Sprint(i)))
		appendTo(t, c, "s-other", esdb.Any{}, event("a", "other"))
	}
	cases := []struct {
		name  string
		o     esdb.ReadStreamOptions
		count uint64
		want  []string
	}{
		{"forwards", esdb.ReadStreamOptions{From: esdb.Start{}}, 100, []string{"0", "1", "2", "3", "4"}},
		{"forwards, two", esdb.ReadStreamOptions{From: esdb.Start{}}, 2, []string{"0", "1"}},
		{"forwards from 3, inclusive", esdb.ReadStreamOptions{From: esdb.Revision(3)}, 100, []string{"3", "4"}},
		{"forwards from past the end", esdb.ReadStreamOptions{From: esdb.Revision(9)}, 100, []string{}},
		{"forwards from the end", esdb.ReadStreamOptions{From: esdb.End{}}, 100, []string{}},
		{"backwards", esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}}, 100, []string{"4", "3", "2", "1", "0"}},
		{"backwards from 2, inclusive", esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.Revision(2)}, 2, []string{"2", "1"}},
		{"backwards from past the end", esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.Revision(9)}, 1, []string{"4"}},
		{"backwards from the start", esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.Start{}}, 100, []string{"0"}},
	}
	for _, tc := range cases {
		got, err := readStream(t, c, "s", tc.o, tc.count)
		if diff := cmp.Diff(tc.want, datas(got)); diff != "" || err != nil {
			t.Errorf("%s: error %v\n%s", tc.name, err, diff)
		}
	}
	if _, err := readStream(t, c, "nothing", esdb.ReadStreamOptions{}, 1); code(err) != esdb.ErrorCodeResourceNotFound {
		t.Errorf("a stream that does not exist answered %v", err)
	}
}

func TestReadAllBothWays(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	const n = 1000 // several pages
	want := make([]string, 0, n)
	for i := 0; i < n; i += 100 {
		batch := make([]esdb.EventData, 100)
		for j := range batch {
			batch[j] = event("a", fmt.Sprint(i+j))
			want = append(want, fmt.Sprint(i+j))
		}
		appendTo(t, c, fmt.Sprintf("s-%d", i%3), esdb.Any{}, batch...)
	}
	got := readAll(t, c, esdb.ReadAllOptions{}, 10*n)
	if diff := cmp.Diff(want, datas(got)); diff != "" {
		t.Fatalf("forwards:\n%s", diff)
	}
	for i, ev := range got {
		if ev.Position.Commit != uint64(i+1) || ev.Position.Prepare != ev.Position.Commit {
			t.Fatalf("event %d is at position %+v; there must be no gaps", i, ev.Position)
		}
	}
	at := func(p uint64) esdb.Position { return esdb.Position{Commit: p, Prepare: p} }
	for name, tc := range map[string]struct {
		o     esdb.ReadAllOptions
		count uint64
		want  []string
	}{
		"from a position, inclusive":            {esdb.ReadAllOptions{From: at(500)}, 2, want[499:501]},
		"from the end":                          {esdb.ReadAllOptions{From: esdb.End{}}, 2, []string{}},
		"backwards":                             {esdb.ReadAllOptions{From: esdb.End{}, Direction: esdb.Backwards}, 2, []string{want[999], want[998]}},
		"backwards from a position, exclusive":  {esdb.ReadAllOptions{From: at(3), Direction: esdb.Backwards}, 9, []string{want[1], want[0]}},
		"backwards from the start":              {esdb.ReadAllOptions{From: esdb.Start{}, Direction: esdb.Backwards}, 9, []string{}},
		"from past the end":                     {esdb.ReadAllOptions{From: at(5000)}, 9, []string{}},
		"position zero is before the first one": {esdb.ReadAllOptions{From: at(0)}, 1, want[:1]},
	} {
		if diff := cmp.Diff(tc.want, datas(readAll(t, c, tc.o, tc.count))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestSoftDeletedStreamCanBeWrittenAgain(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	appendTo(t, c, "s", esdb.NoStream{}, event("a", "0"), event("a", "1"))
	_, err := c.DeleteStream(within(t), "s", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Revision(0)})
	if err == nil {
		t.Fatal("deleting at the wrong revision succeeded")
	}
	done, err := c.DeleteStream(within(t), "s", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Revision(1)})
	if err != nil || done.Position.Commit != 3 {
		t.Fatalf("delete answered %+v, %v", done, err)
	}
	if _, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 9); code(err) != esdb.ErrorCodeResourceNotFound {
		t.Fatalf("reading the deleted stream answered %v", err)
	}
	if _, err := c.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{ExpectedRevision: esdb.StreamExists{}}, event("a", "x")); code(err) != esdb.ErrorCodeStreamDeleted {
		t.Fatalf("expecting the deleted stream to exist answered %v", err)
	}
	again := appendTo(t, c, "s", esdb.NoStream{}, event("a", "2"))
	if again.NextExpectedVersion != 2 {
		t.Fatalf("the stream goes on at %d", again.NextExpectedVersion)
	}
	got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 9)
	if diff := cmp.Diff([]string{"2"}, datas(got)); diff != "" || err != nil {
		t.Fatalf("the new stream reads (error %v):\n%s", err, diff)
	}
	if all := readAll(t, c, esdb.ReadAllOptions{}, 99); len(all) != 5 {
		t.Errorf("$all has %d events, want the 3 of the stream and 2 of its metadata", len(all))
	}
}

func TestMetadataOnADeletedStreamDoesNotBringItsEventsBack(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	appendTo(t, c, "s", esdb.NoStream{}, event("a", "0"))
	if _, err := c.DeleteStream(within(t), "s", esdb.DeleteStreamOptions{ExpectedRevision: esdb.Any{}}); err != nil {
		t.Fatal(err)
	}
	setMetadata(t, c, "s", func(m *esdb.StreamMetadata) { m.AddCustomProperty("owner", "me") })
	appendTo(t, c, "s", esdb.Any{}, event("a", "1"))
	got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 9)
	if diff := cmp.Diff([]string{"1"}, datas(got)); diff != "" || err != nil {
		t.Fatalf("stream reads (error %v):\n%s", err, diff)
	}
	meta, err := c.GetStreamMetadata(within(t), "s", esdb.ReadStreamOptions{})
	if err != nil || meta.CustomProperty("owner") != "me" || *meta.TruncateBefore() != 1 {
		t.Errorf("metadata is %+v, error %v", meta, err)
	}
}

func TestTombstonedStreamIsClosedForEver(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	appendTo(t, c, "s", esdb.NoStream{}, event("a", "0"))
	setMetadata(t, c, "s", func(m *esdb.StreamMetadata) { m.SetMaxCount(9) })
	done, err := c.TombstoneStream(within(t), "s", esdb.TombstoneStreamOptions{ExpectedRevision: esdb.Revision(0)})
	if err != nil || done.Position.Commit != 3 {
		t.Fatalf("tombstone answered %+v, %v", done, err)
	}
	attempts := map[string]error{}
	_, attempts["read"] = readStream(t, c, "s", esdb.ReadStreamOptions{}, 9)
	_, attempts["read of metadata"] = readStream(t, c, "$$s", esdb.ReadStreamOptions{}, 9)
	_, attempts["append"] = c.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{}, event("a", "x"))
	_, attempts["metadata"] = c.AppendToStream(within(t), "$$s", esdb.AppendToStreamOptions{}, event("$metadata", "{}"))
	_, attempts["delete"] = c.DeleteStream(within(t), "s", esdb.DeleteStreamOptions{})
	_, attempts["tombstone"] = c.TombstoneStream(within(t), "s", esdb.TombstoneStreamOptions{})
	for name, err := range attempts {
		if code(err) != esdb.ErrorCodeStreamDeleted {
			t.Errorf("%s answered %v", name, err)
		}
	}
	all := readAll(t, c, esdb.ReadAllOptions{}, 9)
	if len(all) != 3 || all[2].EventType != "$streamDeleted" {
		t.Errorf("$all has %d events", len(all))
	}
}

func setMetadata(t testing.TB, c *esdb.Client, stream string, fill func(*esdb.StreamMetadata)) {
	t.Helper()
	m := esdb.StreamMetadata{}
	fill(&m)
	if _, err := c.SetStreamMetadata(within(t), stream, esdb.AppendToStreamOptions{}, m); err != nil {
		t.Fatal(err)
	}
}

func TestMetadataLimitsWhatIsRead(t *testing.T) {
	t.Parallel()
	c := fresh(t)
	for i := range 5 {
		appendTo(t, c, "s", esdb.Any{}, event("a", fmt.Sprint(i)))
	}
	reads := func(why string, want ...string) {
		t.Helper()
		got, err := readStream(t, c, "s", esdb.ReadStreamOptions{}, 9)
		if diff := cmp.Diff(want, datas(got)); diff != "" || err != nil {
			t.Errorf("%s: error %v\n%s", why, err, diff)
		}
		for i, j := 0, len(want)-1; i < j; i, j = i+1, j-1 {
			want[i], want[j] = want[j], want[i]
		}
		got, err = readStream(t, c, "s", esdb.ReadStreamOptions{Direction: esdb.Backwards, From: esdb.End{}}, 9)
		if diff := cmp.Diff(want, datas(got)); diff != "" || err != nil {
			t.Errorf("%s, backwards: error %v\n%s", why, err, diff)
		}
	}
	setMetadata(t, c, "s", func(m *esdb.StreamMetadata) { m.SetMaxCount(2) })
	reads("$maxCount 2", "3", "4")
	setMetadata(t, c, "s", func(m *esdb.StreamMetadata) { m.SetTruncateBefore(1) })
	reads("$tb 1", "1", "2", "3", "4")
	setMetadata(t, c, "s", func(m *esdb.StreamMetadata) { m.SetMaxCount(3); m.SetTruncateBefore(4) })
	reads("the stricter of both", "4")
	setMetadata(t, c, "s", func(m *esdb.StreamMetadata) { m.SetMaxAge(time.Hour) })
	reads("$maxAge of an hour", "0", "1", "2", "3", "4")
	setMetadata(t, c, "s", func(m *esdb.StreamMetadata) { m.SetTruncateBefore(100) })
	reads("$tb past the end", []string{}...)
	meta, err := c.GetStreamMetadata(within(t), "s", esdb.ReadStreamOptions{})
	if err != nil || *meta.TruncateBefore() != 100 {
		t.Errorf("metadata reads back as %+v, error %v", meta, err)
	}
}
