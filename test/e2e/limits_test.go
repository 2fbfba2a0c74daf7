package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestALimitIsToldAndNoIssue: what a task needs and stands on a canvas is told by the
// traces and by the report as a limit of the simulation, and not held against the page.
func TestALimitIsToldAndNoIssue(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>Budget</title><canvas id="sheet" width="1100" height="560" tabindex="0" aria-label="Sheet"></canvas>`+
			`<script>const pen = sheet.getContext('2d'); pen.font = '16px sans-serif'; pen.fillText('B2: 140 pounds', 20, 40)</script>`)
	}))
	t.Cleanup(server.Close)
	c := running(t).live()
	created := c.create(t, map[string]any{
		"url": server.URL, "task": "Find out what stands in cell B2", "sessions": 3, "viewport": []string{"desktop"}, "seed": 11, "criteria": []string{"task_completion"},
	})
	c.completed(t, created.ID, liveLimit)
	for _, s := range c.sessions(t, created.ID) {
		steps := get[struct {
			Steps []struct {
				Signals []struct{ Kind, Detail string }
			}
		}](t, c, "/sessions/"+s.ID+"/trace").Steps
		last := steps[len(steps)-1].Signals
		if n := len(last); s.outcome() != "blocked" || s.Completion.Status != "not_reached" || n == 0 || last[0].Kind != "limit_page" || last[0].Detail != "canvas: Sheet" {
			t.Errorf("%s, %s, %+v", s.outcome(), s.Completion.Status, last)
		}
	}
	report := get[struct {
		Issues     []struct{ Title string }
		Confidence struct {
			Level, Explanation string
			Limits             []struct {
				Kind     string
				Sessions int
			}
		} `json:"simulation_confidence"`
	}](t, c, "/tests/"+created.ID+"/report")
	told := report.Confidence
	if len(report.Issues) > 0 || told.Level != "low" || len(told.Limits) != 1 || told.Limits[0].Kind != "limit_page" || told.Limits[0].Sessions != 3 ||
		!strings.Contains(told.Explanation, "all 3 walks ended for reasons that lie with the simulation") {
		t.Errorf("%+v", report)
	}
}
