package e2e

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"understudy/test/harness"
)

// signUp is an ordinary test for the sandbox, which never calls its address.
func signUp(sessions int) map[string]any {
	return map[string]any{
		"url": "https://shop.example.com/", "task": "Sign up for the newsletter", "sessions": sessions, "seed": 7,
		"viewport": []string{"desktop", "mobile"},
	}
}

func TestAThousandSandboxSessionsAreCountedOnce(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	body := signUp(1000)
	body["task"] = "Find out how much the team plan costs"
	created := c.create(t, body)
	if created.Environment != "test" {
		t.Errorf("environment %q", created.Environment)
	}
	began := time.Now()
	// Five seconds on a machine of its own; here all other tests walk beside it.
	done := c.completed(t, created.ID, 2*time.Minute)
	t.Logf("1,000 sandbox sessions in %s", time.Since(began).Round(100*time.Millisecond))
	sessions := c.sessions(t, created.ID)
	countedOnce(t, done, sessions)
	succeeded, viewports, walks, times := 0, map[string]int{}, map[string]int{}, map[float64]bool{}
	for _, s := range sessions {
		viewports[s.Viewport]++
		times[s.SimulatedSeconds] = true
		walks[fmt.Sprint(s.Steps, " steps on ", s.PagesVisited, " pages")]++
		if s.outcome() == "succeeded" {
			succeeded++
		}
	}
	if viewports["desktop"] != 500 || viewports["mobile"] != 500 {
		t.Errorf("viewports %v, want them to alternate", viewports)
	}
	report := get[reportResource](t, c, "/tests/"+created.ID+"/report")
	if s := report.Sessions; s.Total != 1000 || s.Completed != 1000 || s.Succeeded != succeeded || s.Failed != 0 {
		t.Errorf("the report counts %+v, the list has %d succeeded", s, succeeded)
	}
	t.Logf("%d succeeded; walks: %v; %d different times", succeeded, walks, len(times))
	if len(walks) < 2 || len(times) < 500 {
		t.Error("1,000 different people did the same")
	}
}

func TestTheSameSeedWalksTheSameInTheSandbox(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	var runs [2]harness.Test
	for i := range runs {
		runs[i] = c.create(t, signUp(60))
	}
	var walks [2]map[int]string
	for i := range runs {
		runs[i] = c.completed(t, runs[i].ID, time.Minute)
		walks[i] = map[int]string{}
		for _, s := range c.sessions(t, runs[i].ID) {
			walks[i][s.Index] = fmt.Sprint(s.Persona.Name, s.Viewport, s.outcome(), s.Steps, s.PagesVisited)
			for _, criterion := range []string{"task_completion", "cta_findability"} {
				if score := s.Scores[criterion]; score != nil {
					walks[i][s.Index] += fmt.Sprint(criterion, *score)
				}
			}
		}
	}
	if !reflect.DeepEqual(walks[0], walks[1]) {
		t.Errorf("the same seed walked differently:\n%v\n%v", walks[0], walks[1])
	}
	if len(runs[0].Scores) < 3 || !reflect.DeepEqual(runs[0].Scores, runs[1].Scores) {
		t.Errorf("scores %v and %v", runs[0].Scores, runs[1].Scores)
	}
}

func TestMagicTasksForceTheirOutcome(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	start := func(task string, sessions int) harness.Test {
		body := signUp(sessions)
		body["task"] = task
		return c.create(t, body)
	}
	failing, lost, slow, gate := start("fail", 5), start("give up", 5), start("slow", 2), start("gate fails", 5)

	failed := c.ended(t, failing.ID, time.Minute)
	if failed.Status != "failed" || failed.Failure == nil || failed.Failure.Code != "too_many_sessions_failed" || failed.SessionsFailed != 5 {
		t.Errorf("fail: %s with %+v and %d failed sessions", failed.Status, failed.Failure, failed.SessionsFailed)
	}
	follow(t, failing.StreamURL, 0).rest(t, time.Minute) // the list of sessions is another read model
	for _, s := range c.sessions(t, failing.ID) {
		if s.Status != "failed" || s.Failure == nil {
			t.Errorf("fail: session %d is %s", s.Index, s.Status)
		}
	}
	c.completed(t, lost.ID, time.Minute)
	for _, s := range c.sessions(t, lost.ID) {
		if s.outcome() != "gave_up" && s.outcome() != "out_of_steps" {
			t.Errorf("give up: session %d %s", s.Index, s.outcome())
		}
	}
	missed := c.completed(t, gate.ID, time.Minute)
	if g := missed.QualityGate; g == nil || g.Passed || len(g.FailedCriteria) == 0 {
		t.Errorf("gate fails: %+v", missed.QualityGate)
	}
	began := slow.CreatedAt
	c.completed(t, slow.ID, time.Minute)
	if took := time.Since(began); took < time.Second {
		t.Errorf("slow: two sessions took %s", took)
	}
}

func TestEnvironmentsSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	s := running(t)
	live, sandbox := s.live(), s.sandbox()
	created := sandbox.create(t, signUp(3))
	sandbox.completed(t, created.ID, time.Minute)
	session := sandbox.sessions(t, created.ID)[0]
	report := get[reportResource](t, sandbox, "/tests/"+created.ID+"/report")
	for _, path := range []string{
		"/tests/" + created.ID, "/tests/" + created.ID + "/sessions", "/tests/" + created.ID + "/report",
		"/tests/" + created.ID + "/sessions/" + session.ID, "/sessions/" + session.ID, "/sessions/" + session.ID + "/trace",
		"/sessions/" + session.ID + "/recording", "/sessions/" + session.ID + "/screenshots", "/reports/" + report.ID,
	} {
		live.send(t, http.MethodGet, path, nil).wants(t, http.StatusNotFound, "not_found")
		sandbox.send(t, http.MethodGet, path, nil).wants(t, http.StatusOK, "")
	}
	live.send(t, http.MethodDelete, "/tests/"+created.ID, nil).wants(t, http.StatusNotFound, "not_found")
	live.send(t, http.MethodPost, "/tests/"+created.ID+"/reports", nil).wants(t, http.StatusNotFound, "not_found")
	for _, listed := range all[harness.Test](t, live, "/tests") {
		if listed.ID == created.ID || listed.Environment != "live" {
			t.Errorf("the live key lists %s of environment %s", listed.ID, listed.Environment)
		}
	}
}
