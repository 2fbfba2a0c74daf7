package projections_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"understudy/adapters/postgres/pgtest"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/delivery"
	"understudy/domain/gate"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/deliveries"
	"understudy/projections/gates"
	"understudy/projections/keys"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

// ids are those of a page.
func ids[T any](page []projections.Document[T], _ bool, err error) ([]string, error) {
	return idsOf(page), err
}

// reading reads one document for an owner.
func reading[T any](ctx context.Context, q projections.Querier,
	get func(context.Context, projections.Querier, string, projections.Owner) (projections.Document[T], error), id string,
) func(projections.Owner) error {
	return func(o projections.Owner) error {
		_, err := get(ctx, q, id, o)
		return err
	}
}

func idsOf[T any](page []projections.Document[T]) []string {
	out := make([]string, len(page))
	for i, d := range page {
		out[i] = d.ID
	}
	return out
}

// walk reads a whole list by pages of a size.
func walk[T any](t *testing.T, size int, page func(after string, limit int) ([]projections.Document[T], bool, error)) (all []string) {
	t.Helper()
	after := ""
	for {
		docs, more, err := page(after, size)
		if err != nil {
			t.Fatal(err)
		}
		if len(docs) > size || more && len(docs) < size {
			t.Fatalf("a page of %d has %d documents, more is %t", size, len(docs), more)
		}
		all = append(all, idsOf(docs)...)
		if !more {
			return all
		}
		after = all[len(all)-1]
	}
}

func TestListsArePagedNewestFirst(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	ctx := testContext(t)
	var want []string
	for i := range 9 {
		w.createTest(i, 1, owner(i%3)) // every third one is the owner's
		if i%3 == 0 {
			want = append(want, testID(i))
		}
	}
	slices.Reverse(want)
	w.tell(testrun.Stream(testID(3)), testrun.Cancel{Now: w.at()}, owner(0))
	fill(t, pool, tests.Projection, w.log)
	list := func(q tests.Query) func(string, int) ([]projections.Document[tests.Document], bool, error) {
		return func(after string, limit int) ([]projections.Document[tests.Document], bool, error) {
			q.After, q.Limit = after, limit
			return tests.List(ctx, pool, org0, q)
		}
	}
	for size := 1; size <= 4; size++ {
		same(t, fmt.Sprint("pages of ", size), want, walk(t, size, list(tests.Query{})))
	}
	same(t, "running ones", []string{testID(6), testID(0)}, walk(t, 1, list(tests.Query{Status: "running"})))
	same(t, "cancelled ones", []string{testID(3)}, walk(t, 1, list(tests.Query{Status: "cancelled"})))
	middle := w.created[testID(3)].Event.(testrun.Created).CreatedAt.Time
	same(t, "later ones", []string{testID(6)}, walk(t, 1, list(tests.Query{CreatedAfter: middle})))
	same(t, "earlier ones", []string{testID(0)}, walk(t, 1, list(tests.Query{CreatedBefore: middle})))
}

// What belongs to another organization, or to the other environment, is not
// there: by id as little as in a list.
func TestOwnersSeeOnlyTheirOwn(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	ctx := testContext(t)
	w.start(0, 1, owner(0))
	w.register("whk_1", owner(0))
	w.deliver("dlv_1", "whk_1", owner(0))
	w.describe("per_1", owner(0))
	w.tell(report.Stream("rep_1"), report.Generate{Report: report.Generated{
		ReportID: "rep_1", TestID: testID(0), OrganizationID: "org_0", Environment: domain.Live, Document: report.Document{Measures: report.Measures{ID: "rep_1"}}, At: w.at(),
	}}, owner(0))
	for _, p := range every {
		fill(t, pool, p, w.log)
	}
	strangers := []projections.Owner{
		{OrganizationID: "org_1", Environment: domain.Live}, {OrganizationID: "org_0", Environment: domain.Sandbox}, {},
	}
	for name, c := range map[string]struct {
		get  func(projections.Owner) error
		id   string
		list func(projections.Owner) ([]string, error)
	}{
		"test": {reading(ctx, pool, tests.Get, testID(0)), testID(0), func(o projections.Owner) ([]string, error) {
			return ids(tests.List(ctx, pool, o, tests.Query{Limit: 9}))
		}},
		"session": {get: reading(ctx, pool, sessions.Get, w.sessionOf(0, 0)[len(session.StreamPrefix):])},
		"trace":   {get: reading(ctx, pool, sessions.GetTrace, w.sessionOf(0, 0)[len(session.StreamPrefix):])},
		"report": {reading(ctx, pool, reports.Get, "rep_1"), "rep_1", func(o projections.Owner) ([]string, error) {
			return ids(reports.List(ctx, pool, o, "", projections.Created{}, "", 9))
		}},
		"webhook": {reading(ctx, pool, webhooks.Get, "whk_1"), "whk_1", func(o projections.Owner) ([]string, error) {
			return ids(webhooks.List(ctx, pool, o, projections.Created{}, "", 9))
		}},
		"persona": {reading(ctx, pool, personas.Get, "per_1"), "per_1", func(o projections.Owner) ([]string, error) {
			return ids(personas.List(ctx, pool, o, projections.Created{}, "", 9))
		}},
		"delivery": {reading(ctx, pool, deliveries.Get, "dlv_1"), "dlv_1", func(o projections.Owner) ([]string, error) {
			return ids(deliveries.List(ctx, pool, o, deliveries.Query{WebhookID: "whk_1", Limit: 9}))
		}},
	} {
		if err := c.get(org0); err != nil {
			t.Errorf("%s for its owner: %v", name, err)
		}
		if c.list != nil {
			if page, err := c.list(org0); err != nil || !slices.Equal(page, []string{c.id}) {
				t.Errorf("%ss of their owner: %v %v", name, page, err)
			}
		}
		for _, stranger := range strangers {
			if err := c.get(stranger); domain.CodeOf(err) != domain.CodeNotFound {
				t.Errorf("%s for %+v: %v", name, stranger, err)
			}
			if c.list == nil {
				continue
			}
			if page, err := c.list(stranger); err != nil || len(page) > 0 {
				t.Errorf("%ss of %+v: %v %v", name, stranger, page, err)
			}
		}
	}
	if _, _, err := sessions.GetEvidence(ctx, pool, w.sessionOf(0, 0)[len(session.StreamPrefix):], strangers[0]); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("evidence for a stranger: %v", err)
	}
}

func TestSessionsOfATest(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	ctx := testContext(t)
	w.start(0, 5, owner(0))
	w.start(1, 1, owner(0))
	s := w.sessionOf(0, 2)
	w.claim(s)
	shot := session.Artifact{ID: "art_1", SHA256: "00ff", Bytes: 9, ContentType: "image/jpeg"}
	w.tell(s, session.RecordStep{
		Attempt: 1, Now: w.at(), Step: session.Step{Index: 0, SimulatedMS: 1500, Signals: []session.Signal{}},
		Screenshot: &session.ScreenshotTaken{Attempt: 1, Artifact: shot, Width: 1280, Height: 720, At: w.at()},
	}, domain.Meta{})
	// What a page says may hold a character that Postgres has no text for.
	w.tell(s, session.Complete{Result: completed(1, map[string]float64{"speed": 1}, "nul \x00 end", domain.At(w.now.Add(9*time.Second)))}, domain.Meta{})
	fill(t, pool, sessions.Projection, w.log)

	first, last, more, err := sessions.List(ctx, pool, testID(0), sessions.Query{Ascending: true, Limit: 3})
	if err != nil || len(first) != 3 || last != 2 || !more {
		t.Fatalf("the first page: %d sessions to index %d, more is %t: %v", len(first), last, more, err)
	}
	rest, last, more, err := sessions.List(ctx, pool, testID(0), sessions.Query{Ascending: true, After: &last, Limit: 3})
	if err != nil || len(rest) != 2 || last != 4 || more {
		t.Fatalf("the second page: %d sessions to index %d, more is %t: %v", len(rest), last, more, err)
	}
	for i, d := range append(first, rest...) {
		if session.Stream(d.ID) != w.sessionOf(0, i) {
			t.Errorf("session %d is %s", i, d.ID)
		}
	}
	done, _, _, err := sessions.List(ctx, pool, testID(0), sessions.Query{Status: "completed", Limit: 3})
	if err != nil || len(done) != 1 || session.Stream(done[0].ID) != s {
		t.Errorf("completed sessions: %v %v", idsOf(done), err)
	}

	evidence, _, err := sessions.GetEvidence(ctx, pool, s[len(session.StreamPrefix):], org0)
	if err != nil || len(evidence.Screenshots) != 1 || evidence.Screenshots[0].ID != "art_1" || evidence.Recording == nil {
		t.Errorf("evidence: %+v %v", evidence, err)
	}
	artifact, err := sessions.GetArtifact(ctx, pool, "art_1")
	if err != nil || artifact != (sessions.Artifact{SHA256: "00ff", ContentType: "image/jpeg", OrganizationID: "org_0", Environment: domain.Live}) {
		t.Errorf("artifact: %+v %v", artifact, err)
	}
	if _, err := sessions.GetArtifact(ctx, pool, "art_2"); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("an artifact that is not there: %v", err)
	}
	var of [5]string // each on a goroutine of its own
	if err := sessions.Each(ctx, pool, testID(0), func(w sessions.Walked) error {
		var d sessions.Document
		err := json.Unmarshal(w.Doc, &d)
		of[w.Index] = fmt.Sprintf("%d %s", d.Index, d.TestID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for i, got := range of {
		if want := fmt.Sprintf("%d %s", i, testID(0)); got != want {
			t.Errorf("session %d is %q, want %q", i, got, want)
		}
	}
	unreadable := errors.New("unreadable")
	if err := sessions.Each(ctx, pool, testID(0), func(sessions.Walked) error { return unreadable }); !errors.Is(err, unreadable) {
		t.Errorf("the reader's error is told as %v", err)
	}

	started := w.startedAt(s)
	want := w.now.Add(9*time.Second - 370*time.Millisecond).Sub(started.Time).Round(time.Millisecond)
	median, err := sessions.MedianDuration(ctx, pool, domain.Live)
	if err != nil || (median-want).Abs() > time.Millisecond {
		t.Errorf("the median session takes %s, want %s: %v", median, want, err)
	}
	if none, err := sessions.MedianDuration(ctx, pool, domain.Sandbox); err != nil || none != 0 {
		t.Errorf("no session has completed, and yet the median is %s: %v", none, err)
	}
}

// startedAt is when a session's last attempt began.
func (w *world) startedAt(stream string) (at domain.Time) {
	for _, e := range w.log {
		if s, ok := e.Event.(session.Started); ok && e.Stream == stream {
			at = s.At
		}
	}
	return at
}

func TestDeliveriesOfAnEndpoint(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	ctx := testContext(t)
	for i := range 5 {
		w.deliver(fmt.Sprint("dlv_", i), []string{"whk_a", "whk_b"}[i%2], owner(0))
	}
	w.tell(delivery.Stream("dlv_2"), delivery.RecordAttempt{Attempt: 1, Delivered: true, StatusCode: 204, Now: w.at()}, domain.Meta{})
	fill(t, pool, deliveries.Projection, w.log)
	list := func(status string) func(string, int) ([]projections.Document[deliveries.Document], bool, error) {
		return func(after string, limit int) ([]projections.Document[deliveries.Document], bool, error) {
			return deliveries.List(ctx, pool, org0, deliveries.Query{WebhookID: "whk_a", Status: status, After: after, Limit: limit})
		}
	}
	same(t, "all", []string{"dlv_4", "dlv_2", "dlv_0"}, walk(t, 2, list("")))
	same(t, "pending", []string{"dlv_4", "dlv_0"}, walk(t, 1, list("pending")))
	same(t, "delivered", []string{"dlv_2"}, walk(t, 1, list("delivered")))
}

// TestKeysAreFoundByHash, with what bounds them: the role of who made them, and the plan.
func TestKeysAreFoundByHash(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	ctx := testContext(t)
	w.tell(account.Stream("org_0"), founded(0), owner(0))
	fill(t, pool, keys.Projection, w.log)
	found, err := keys.Find(ctx, pool, "hash-live")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the live key", keys.Found{
		Key: keys.Key{
			ID: "key_1", OrganizationID: "org_0", Environment: domain.Live, Hash: "hash-live", Scopes: []string{"tests:read"},
			CreatedBy: "usr_1", CreatedAt: domain.At(origin), Inherited: true,
		},
		Role: access.Owner, Plan: account.Team,
	}, found)
	if _, err := keys.Find(ctx, pool, "hash"); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("a key that is not there: %v", err)
	}
}

func TestAnOrganizationsRule(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	ctx := testContext(t)
	w.tell(account.Stream("org_0"), founded(0), owner(0))
	fill(t, pool, accounts.Projection, w.log)
	is := func(revision uint64, threshold float64, criteria map[string]float64, json string) {
		t.Helper()
		doc, err := accounts.Get(ctx, pool, "org_0")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "document", `{"id":"org_0","name":"Acme","plan":"team","quality_gate":`+json+`,"created_at":"2026-03-14T09:00:00.000Z"}`, string(doc.JSON))
		same(t, "revision", revision, doc.Revision)
		rule, err := accounts.Rule(ctx, pool, "org_0")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "rule", gate.Rule{Threshold: &threshold, Criteria: criteria}, rule)
	}
	is(3, 0.7, map[string]float64{}, `{"threshold":0.7,"criteria":{}}`)
	threshold, trust := 0.9, 0.5
	w.tell(account.Stream("org_0"), account.Change{Threshold: &threshold, Criteria: map[string]*float64{"trust": &trust}, Now: w.at()}, owner(0))
	fill(t, pool, accounts.Projection, w.log)
	is(4, 0.9, map[string]float64{"trust": 0.5}, `{"threshold":0.9,"criteria":{"trust":0.5}}`)
	w.tell(account.Stream("org_0"), account.Change{ForgetThreshold: true, ForgetCriteria: true, Now: w.at()}, owner(0))
	fill(t, pool, accounts.Projection, w.log)
	is(5, 0.7, map[string]float64{}, `{"threshold":0.7,"criteria":{}}`)
	if _, err := accounts.Get(ctx, pool, "org_1"); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("an organization that is not there: %v", err)
	}
}

func TestVerdictSoFar(t *testing.T) {
	t.Parallel()
	pool, w := pgtest.Pool(t), newWorld()
	ctx := testContext(t)
	w.start(0, 3, owner(0))
	for i, scores := range []map[string]float64{
		{"task_completion": 1, "cta_findability": 0.5, "speed": 0.1}, // speed was not asked for
		{"task_completion": 0.5},
	} {
		s := w.sessionOf(0, i)
		w.claim(s)
		w.tell(s, session.Complete{Result: completed(1, scores, "", w.at())}, domain.Meta{})
	}
	fill(t, pool, gates.Projection, w.log)
	row, err := gates.Get(ctx, pool, testID(0))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "means", map[string]float64{"task_completion": 0.75, "cta_findability": 0.5}, row.Judgement().Means)
	v := row.Judgement().Verdict
	if v.Passed || v.Score != 0.625 || !slices.Equal(v.FailedCriteria, []string{"cta_findability", "overall"}) || row.Sessions != 2 {
		t.Errorf("verdict %+v of %d sessions", v, row.Sessions)
	}
	if _, err := gates.Get(ctx, pool, "test_x"); domain.CodeOf(err) != domain.CodeNotFound {
		t.Errorf("a verdict that is not there: %v", err)
	}
}
