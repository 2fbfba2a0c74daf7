package e2e

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// The resources as clients read them; only the fields that tests look at.

type sessionResource struct {
	ID           string
	TestID       string `json:"test_id"`
	Index        int
	Status       string
	Outcome      *string
	Viewport     string
	Attempt      int
	Steps        int
	PagesVisited int `json:"pages_visited"`
	// SimulatedSeconds is the time that a person would have taken.
	SimulatedSeconds float64 `json:"simulated_seconds"`
	Persona          personaResource
	Completion       *struct {
		Status   string
		Evidence string
	}
	Scores  map[string]*float64
	Failure *struct{ Code, Message string }
	Usage   *usage
	Links   struct{ Trace, Recording, Screenshots string }
	Trace   *trace
}

// personaResource is a persona on its own or as a session shows it.
type personaResource struct {
	ID, Name, Summary string
	AgeBand           string `json:"age_band"`
	ReadingWPM        int    `json:"reading_wpm"`
}

func (s sessionResource) outcome() string {
	if s.Outcome == nil {
		return s.Status
	}
	return *s.Outcome
}

type trace struct {
	Steps []struct {
		Index  int
		URL    string
		Title  string
		Action struct {
			Type, Text string
			Target     *struct{ Role, Name string }
		}
		Thought      string
		Frustration  float64
		ScreenshotID *string `json:"screenshot_id"`
	}
}

type reportResource struct {
	ID       string
	TestID   string             `json:"test_id"`
	Scores   map[string]float64 `json:"aggregate_scores"`
	Sessions struct{ Total, Completed, Succeeded, Failed int }

	Replays    replays
	Confidence struct {
		Limits []struct{ Kind string }
	} `json:"simulation_confidence"`

	Highlights []struct {
		SessionID     string `json:"session_id"`
		Quote         string
		ScreenshotURL *string `json:"screenshot_url"`
	}
	Issues []struct {
		Rank      int
		Kind      string
		Title     string
		Severity  int
		Element   *struct{ Name string }
		Proven    int `json:"proven_by_replay"`
		Frequency struct{ Affected, Total int }
		Evidence  []struct {
			SessionID string `json:"session_id"`
		}
	}
	ReportURL string `json:"report_url"`
}

// late reports whether the machine was too late to tell what came of somebody's acts.
func (r reportResource) late() bool {
	return slices.ContainsFunc(r.Confidence.Limits, func(l struct{ Kind string }) bool { return l.Kind == "limit_busy" })
}

// create starts a test.
func (c client) create(t testing.TB, body map[string]any) harness.Test {
	t.Helper()
	created := read[harness.Test](t, c.send(t, http.MethodPost, "/tests", body).wants(t, http.StatusCreated, ""))
	if created.Status != "running" {
		t.Fatalf("a new test is %s", created.Status)
	}
	return created
}

func (c client) test(t testing.TB, id string) harness.Test {
	t.Helper()
	return get[harness.Test](t, c, "/tests/"+id)
}

// ended waits until a test no longer runs.
func (c client) ended(t testing.TB, id string, within time.Duration) harness.Test {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), within)
	defer cancel()
	// Seldom enough for tests side by side to stay within their key's rate.
	last, err := c.Await(ctx, id, 500*time.Millisecond, harness.Test.Ended)
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// completed waits until a test has completed.
func (c client) completed(t testing.TB, id string, within time.Duration) harness.Test {
	t.Helper()
	last := c.ended(t, id, within)
	if last.Status != "completed" {
		t.Fatalf("test %s is %s: %+v", id, last.Status, last.Failure)
	}
	return last
}

func (c client) sessions(t testing.TB, testID string) []sessionResource {
	t.Helper()
	return all[sessionResource](t, c, "/tests/"+testID+"/sessions?order=asc")
}

// countedOnce checks that the sessions of a test are there once each, that all
// have ended, and that the test's counters are theirs.
func countedOnce(t testing.TB, test harness.Test, sessions []sessionResource) {
	t.Helper()
	ids, indexes, failed := map[string]bool{}, map[int]bool{}, 0
	for _, s := range sessions {
		ids[s.ID], indexes[s.Index] = true, true
		switch s.Status {
		case "completed":
		case "failed":
			failed++
		default:
			t.Errorf("session %d of a test that is %s is %s", s.Index, test.Status, s.Status)
		}
	}
	if len(sessions) != test.SessionsTotal || len(ids) != test.SessionsTotal || len(indexes) != test.SessionsTotal {
		t.Errorf("%d sessions listed with %d ids and %d indexes, want %d", len(sessions), len(ids), len(indexes), test.SessionsTotal)
	}
	if test.SessionsCompleted != test.SessionsTotal || test.SessionsFailed != failed || test.Progress != 1 {
		t.Errorf("the test counts %d of %d with %d failed at %v, the list has %d failed",
			test.SessionsCompleted, test.SessionsTotal, test.SessionsFailed, test.Progress, failed)
	}
}
