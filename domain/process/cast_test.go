package process_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"understudy/domain"
	"understudy/domain/persona"
	"understudy/domain/process"
	"understudy/domain/session"
	"understudy/domain/testrun"
)

// tb is a test or one of its generated cases.
type tb interface {
	Helper()
	Fatal(args ...any)
}

// created is the event that made a test.
func created(t tb, sessions int, viewports ...string) domain.Recorded {
	t.Helper()
	return recorded("testrun-test_1", testrun.Created{
		TestID: "test_1", OrganizationID: "org_1", Environment: domain.Live, Sessions: sessions, Model: "forager-2",
		Personas: testrun.Personas{Source: "auto-diverse"}, Viewports: viewports, Seed: 1 << 40,
	})
}

func plan(t tb, test domain.Recorded) []session.Queued {
	t.Helper()
	cast, err := process.NewCast(test.Event.(testrun.Created))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]session.Queued, test.Event.(testrun.Created).Sessions)
	for i := range all {
		all[i] = cast.Session(i, test)
	}
	return all
}

// custom is a test of personas of the customer's own.
func custom(c testrun.Created, own ...persona.Persona) testrun.Created {
	c.Personas, c.CustomPersonas = testrun.Personas{Source: "custom"}, own
	for _, p := range own {
		c.Personas.PersonaIDs = append(c.Personas.PersonaIDs, p.ID)
	}
	return c
}

func TestTheSameTestHasTheSameCast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "sessions")
		test := created(t, n, "desktop", "mobile")
		c := test.Event.(testrun.Created)
		c.Seed = rapid.Int64Range(0, 1<<53-1).Draw(t, "seed")
		switch rapid.IntRange(0, 2).Draw(t, "source") {
		case 1:
			c.Personas = testrun.Personas{Source: "pack", PackID: rapid.SampledFrom(persona.Packs()).Draw(t, "of").ID}
		case 2:
			c = custom(c, persona.AutoDiverse(3, rapid.IntRange(1, 9).Draw(t, "own"))...)
		}
		test.Event = c
		if diff := cmp.Diff(plan(t, test), plan(t, test)); diff != "" {
			t.Fatalf("planned again (-first +again):\n%s", diff)
		}
	})
}

func TestSessionsOfACast(t *testing.T) {
	t.Parallel()
	test := created(t, 40, "desktop", "mobile", "tablet")
	ids, seeds := map[string]bool{}, map[int64]bool{}
	for i, q := range plan(t, test) {
		ids[q.SessionID], seeds[q.Seed] = true, true
		if !domain.ValidID(domain.PrefixSession, q.SessionID) {
			t.Errorf("%q is no session id", q.SessionID)
		}
		if want := []string{"desktop", "mobile", "tablet"}[i%3]; q.Viewport != want {
			t.Errorf("session %d walks on %s, want %s", i, q.Viewport, want)
		}
		if q.Seed < 0 || q.Seed >= 1<<53 {
			t.Errorf("session %d: seed %d is not exact in JSON", i, q.Seed)
		}
		if q.Persona.Facets.ReadingWPM == 0 {
			t.Errorf("session %d: facets %+v", i, q.Persona.Facets)
		}
		if !domain.ValidID(domain.PrefixPersona, q.Persona.ID) || q.Persona.Name == "" || q.Persona.Summary == "" {
			t.Errorf("session %d: persona %+v", i, q.Persona)
		}
		want := session.Queued{
			SessionID: q.SessionID, TestID: "test_1", OrganizationID: "org_1", Environment: domain.Live, Index: i,
			Persona: q.Persona, Viewport: q.Viewport, Seed: q.Seed, Model: "forager-2", At: domain.At(begin),
		}
		if diff := cmp.Diff(want, q); diff != "" {
			t.Errorf("session %d (-want +got):\n%s", i, diff)
		}
	}
	if len(ids) != 40 || len(seeds) != 40 {
		t.Errorf("40 sessions have %d ids and %d seeds", len(ids), len(seeds))
	}
}

// Custom personas walk in turn, as the test recorded them, and nobody walks
// twice from the same seed.
func TestCustomPersonasWalkInTurn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		own := persona.AutoDiverse(5, rapid.IntRange(1, 12).Draw(t, "own"))
		n := rapid.IntRange(1, 40).Draw(t, "sessions")
		test := created(t, n, "desktop")
		test.Event = custom(test.Event.(testrun.Created), own...)
		seeds := map[int64]bool{}
		for i, q := range plan(t, test) {
			who := own[i%len(own)]
			if diff := cmp.Diff(who, q.Persona); diff != "" {
				t.Fatalf("session %d (-want +got):\n%s", i, diff)
			}
			seeds[q.Seed] = true
		}
		if len(seeds) != n {
			t.Fatalf("%d sessions have %d seeds", n, len(seeds))
		}
	})
}

// Recorded ids of sessions follow from their test; were the derivation to
// change, a redelivered event would make every session again.
func TestSessionIDsAreStable(t *testing.T) {
	t.Parallel()
	test := domain.Recorded{ID: domain.DeriveUUID("a test"), Time: begin}
	const want = "ses_01kkns5tqvfvvrmhh3e16bpvp6"
	if got := process.SessionID(test, 0); got != want {
		t.Errorf("the first session is %s, want %s", got, want)
	}
}

func TestSessionIDsSortByTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := func(label string, ms int64) string {
			e := domain.Recorded{ID: domain.DeriveUUID(rapid.String().Draw(t, label)), Time: time.UnixMilli(ms)}
			return process.SessionID(e, rapid.IntRange(0, 9999).Draw(t, label+" index"))
		}
		at := rapid.Int64Range(0, 4_102_444_800_000).Draw(t, "at")
		later := at + rapid.Int64Range(1, 1_000_000).Draw(t, "later")
		if a, b := id("a", at), id("b", later); a >= b {
			t.Fatalf("%s of %d does not come before %s of %d", a, at, b, later)
		}
	})
}

func TestSessionCommands(t *testing.T) {
	t.Parallel()
	test := created(t, 2, "desktop")
	cast, err := process.NewCast(test.Event.(testrun.Created))
	if err != nil {
		t.Fatal(err)
	}
	cause := recorded("testrun-test_1", testrun.Cancelled{SessionsTotal: 2})
	cause.Time = begin.Add(time.Minute)
	q := cast.Session(1, test)
	queue, cancel := cast.QueueSession(1, test, cause), cast.CancelSession(1, test, cause)
	if diff := cmp.Diff(session.Queue{Session: q}, queue.Command); diff != "" {
		t.Errorf("queue (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(session.Cancel{Session: q, Now: domain.At(begin.Add(time.Minute))}, cancel.Command); diff != "" {
		t.Errorf("cancel (-want +got):\n%s", diff)
	}
	if want := session.Stream(q.SessionID); queue.Stream != want || cancel.Stream != want {
		t.Errorf("commands go to %s and %s, want %s", queue.Stream, cancel.Stream, want)
	}
}

func TestCastsThatCannotBe(t *testing.T) {
	t.Parallel()
	for field, personas := range map[string]testrun.Personas{
		"personas.source":      {Source: "random"},
		"personas.pack_id":     {Source: "pack", PackID: "pack_of_wolves"},
		"personas.persona_ids": {Source: "custom", PersonaIDs: []string{"per_1"}},
	} {
		c := created(t, 1, "desktop").Event.(testrun.Created)
		c.Personas = personas
		_, err := process.NewCast(c)
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.CodeValidationFailed || refusal.Fields[0].Field != field {
			t.Errorf("%+v: %v, want a refusal at %s", personas, err, field)
		}
	}
}
