package reports_test

import (
	"encoding/json"
	"strings"
	"testing"

	"understudy/domain/domaintest"
	"understudy/domain/report"
	"understudy/projections/reports"
)

// The API's form is the recorded one: the same fields in the same order, and
// addresses behind them.
func TestAReportIsAnsweredAsItWasRecorded(t *testing.T) {
	t.Parallel()
	recorded, err := json.Marshal(domaintest.Full[report.Document]())
	if err != nil {
		t.Fatal(err)
	}
	var d reports.Document
	if err := json.Unmarshal(recorded, &d); err != nil {
		t.Fatal(err)
	}
	if answered, err := json.Marshal(d); err != nil || string(answered) != string(recorded) {
		t.Fatalf("answered as\n%s (%v)\nand recorded as\n%s", answered, err, recorded)
	}
	links := reports.Links{ScreenshotURL: "https://x/shot", SessionURL: "https://x/session#step-1"}
	d.ReportURL, d.Highlights[0].Links, d.Positives[0].Evidence[0].Links = "https://x/report", links, links
	d.SessionList[0].SessionURL, d.Clicks[0].ScreenshotURL = "https://x/session", "https://x/page"
	for _, i := range []reports.Issue{d.Issues[0], d.Notes[0]} {
		i.Evidence[0].Links, i.Places[0].Shown.Links = links, links
	}
	answered, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	const added = `"a screenshot_id","screenshot_url":"https://x/shot","session_url":"https://x/session#step-1"}`
	want := strings.ReplaceAll(strings.TrimSuffix(string(recorded), "}"), `"a screenshot_id"}`, added) + `,"report_url":"https://x/report"}`
	want = strings.Replace(want, `}],"clicks":`, `,"session_url":"https://x/session"}],"clicks":`, 1)
	want = strings.Replace(want, `}],"highlights":`, `,"screenshot_url":"https://x/page"}],"highlights":`, 1)
	if string(answered) != want {
		t.Errorf("answered as\n%s\nwant\n%s", answered, want)
	}
}
