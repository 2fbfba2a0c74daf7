package e2e

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"
)

// The tests named TestConformance… hold, one each, the points of the interface's
// contract that are easily missed: `go test ./... -run TestConformance`.

func TestConformanceConditionsOfSuccessAreReadAtOnce(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	for condition, wrong := range map[string]string{
		"url_matches": "/done(", "selector_visible": "div >", "text_visible": " \n", "request_made": "\t",
	} {
		body := signUp(1)
		body["success"] = map[string]string{condition: wrong}
		refused := c.send(t, http.MethodPost, "/tests", body).wants(t, http.StatusUnprocessableEntity, "validation_failed").problem(t)
		if len(refused.Errors) != 1 || refused.Errors[0].Pointer != "/success/"+condition {
			t.Errorf("%s %q: %+v", condition, wrong, refused.Errors)
		}
	}
	body := signUp(1)
	body["success"] = map[string]string{"url_matches": `^https?://[^/]+/`, "selector_visible": "main > :not(.gone)", "text_visible": "thank you"}
	c.create(t, body)
}

// Nobody makes a mistake where nobody has to, and then nothing tells how well one
// recovers from one.
func TestConformanceAGateWithoutEvidenceFails(t *testing.T) {
	t.Parallel()
	c := running(t).sandbox()
	body := signUp(1)
	body["task"], body["criteria"] = "give up", []string{"error_recovery"}
	id := c.completed(t, c.create(t, body).ID, time.Minute).ID
	type gate struct {
		Passed bool
		Failed []string `json:"failed_criteria"`
		Reason string
	}
	type judged struct {
		Scores map[string]*float64 `json:"aggregate_scores"`
		Gate   gate                `json:"quality_gate"`
	}
	for _, path := range []string{"/tests/" + id, "/tests/" + id + "/report"} {
		got := get[judged](t, c, path)
		if overall, there := got.Scores["overall"]; !there || overall != nil {
			t.Errorf("%s: overall %v, there %v", path, overall, there)
		}
		if g := got.Gate; g.Passed || g.Reason != "no_evidence" || !slices.Equal(g.Failed, []string{"error_recovery"}) {
			t.Errorf("%s: %+v", path, g)
		}
	}
	type event struct {
		Type string
		Data json.RawMessage
	}
	for _, e := range all[event](t, c, "/tests/"+id+"/events") {
		if e.Type == "testrun.gate_judged.v1" {
			t.Logf("%s", e.Data)
			return
		}
	}
	t.Error("no verdict was recorded")
}
