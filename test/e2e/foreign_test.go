package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"understudy/test/harness"
)

// Pages that nobody here wrote. What counts as a sensible walk is judged by
// hand-made lists of where the answer stands.

func TestSomebodyElsesManual(t *testing.T) {
	t.Parallel()
	walkForeign(t, foreign{
		folder: filepath.Join("git-doc"), start: "/index.html", task: "Find out how to undo the last commit",
		// The pages of git's manual that say how.
		answers: regexp.MustCompile(`/(git-(reset|revert|commit|restore|checkout)|gitfaq|giteveryday|gittutorial|user-manual|gitcore-tutorial)\.html`),
	})
}

func TestSomebodyElsesLandingPage(t *testing.T) {
	t.Parallel()
	walkForeign(t, foreign{
		folder: filepath.Join("startbootstrap-creative", "dist"), start: "/", task: "Find out how to contact the company",
		answers: regexp.MustCompile(`#contact$`),
	})
}

type foreign struct {
	folder, start, task string
	answers             *regexp.Regexp
}

// walkForeign runs a test on a folder of pages. Most sessions must succeed or
// come to a page with the answer.
func walkForeign(t *testing.T, f foreign) {
	t.Helper()
	folder := filepath.Join(harness.Root(), ".cache", "sites", f.folder)
	if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
		t.Fatalf("%v: run `make setup-test`", err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	c := running(t).live()
	created := c.create(t, map[string]any{
		"url": server.URL + f.start, "task": f.task, "sessions": 6, "viewport": []string{"desktop", "mobile"}, "seed": 11,
		"criteria": []string{"task_completion", "navigation", "readability", "accessibility"},
	})
	done := c.completed(t, created.ID, liveLimit)
	sessions := c.sessions(t, created.ID)
	countedOnce(t, done, sessions)
	sensible := 0
	for _, s := range sessions {
		came := s.outcome() == "succeeded"
		for _, step := range logWalk(t, c, s).Steps {
			came = came || f.answers.MatchString(step.URL)
		}
		if came {
			sensible++
		}
	}
	if sensible <= len(sessions)/2 {
		t.Errorf("only %d of %d people came to where the answer is", sensible, len(sessions))
	}
	report := get[reportResource](t, c, "/tests/"+created.ID+"/report")
	if report.Sessions.Total != 6 || len(report.Scores) == 0 || len(report.Highlights) == 0 {
		t.Errorf("the report: %+v", report)
	}
	t.Logf("scores %v", report.Scores)
	for _, issue := range report.Issues {
		t.Logf("issue %d, severity %d, %d of %d: %s", issue.Rank, issue.Severity, issue.Frequency.Affected, issue.Frequency.Total, issue.Title)
	}
}
