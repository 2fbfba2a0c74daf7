package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// fieldsOf are the names of a JSON object's fields, sorted.
func fieldsOf(t *testing.T, raw []byte) []string {
	t.Helper()
	var o map[string]json.RawMessage
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatalf("not an object: %s", raw)
	}
	return slices.Sorted(maps.Keys(o))
}

// dataFields are the fields of data by event, sorted, as spec.md and, for what
// it leaves open, api.md have them.
var dataFields = map[string][]string{
	"test.started":  {"sessions_total", "task", "url"},
	"test.progress": {"percent", "sessions_completed", "sessions_total"},
	"test.completed": {
		"aggregate_scores", "duration_seconds", "quality_gate", "report_id", "report_url", "sessions_completed", "sessions_total", "task", "url",
	},
	"test.failed":         {"reason", "sessions_completed", "sessions_total"},
	"quality_gate.passed": {"report_url", "score", "threshold"},
	"quality_gate.failed": {"failed_criteria", "report_url", "score", "threshold"},
}

var utc = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)

// wellFormed checks a delivery's body and headers field by field.
func wellFormed(t *testing.T, got harness.Received) {
	t.Helper()
	if fields := fieldsOf(t, got.Body); !slices.Equal(fields, []string{"data", "event", "test_id", "timestamp"}) {
		t.Errorf("the envelope of %s has the fields %v", got.Event, fields)
	}
	var raw struct{ Timestamp string }
	if err := json.Unmarshal(got.Body, &raw); err != nil || !utc.MatchString(raw.Timestamp) {
		t.Errorf("the timestamp of %s is %q", got.Event, raw.Timestamp)
	}
	if fields := fieldsOf(t, got.Data); !slices.Equal(fields, dataFields[got.Event]) {
		t.Errorf("the data of %s has the fields %v, want %v", got.Event, fields, dataFields[got.Event])
	}
	if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("X-Service-Event") != got.Event {
		t.Errorf("%s came as %q with X-Service-Event %q", got.Event, got.Header.Get("Content-Type"), got.Header.Get("X-Service-Event"))
	}
}

// deliveredAll checks that a receiver got everything about a completed test,
// once each.
func deliveredAll(t *testing.T, hook *receiver, done harness.Test, report reportResource) {
	t.Helper()
	verdict := "quality_gate.failed"
	if done.QualityGate.Passed {
		verdict = "quality_gate.passed"
	}
	hook.await(t, done.ID, 10*time.Second, "test.completed")
	hook.await(t, done.ID, 10*time.Second, verdict)
	patience.Eventually(t, 10*time.Second, "ten messages of progress", func() bool { return len(hook.Of(done.ID, "test.progress")) >= 10 })
	n, deliveries := map[string]int{}, map[string]bool{}
	for _, got := range hook.Of(done.ID) {
		wellFormed(t, got)
		n[got.Event]++
		deliveries[got.ID] = true
	}
	if want := map[string]int{"test.started": 1, "test.progress": 10, "test.completed": 1, verdict: 1}; !maps.Equal(n, want) || len(deliveries) != 13 {
		t.Errorf("received %v with %d different ids, want %v", n, len(deliveries), want)
	}

	percents := map[int]int{}
	for _, got := range hook.Of(done.ID, "test.progress") {
		var p struct {
			Percent           int
			SessionsCompleted int `json:"sessions_completed"`
		}
		if err := json.Unmarshal(got.Data, &p); err != nil || p.Percent != 10*p.SessionsCompleted {
			t.Errorf("progress %s", got.Data)
		}
		percents[p.Percent]++
	}
	for percent := 10; percent <= 100; percent += 10 {
		if percents[percent] != 1 {
			t.Errorf("%d %% was told %d times", percent, percents[percent])
		}
	}

	var completed struct {
		Scores   map[string]float64 `json:"aggregate_scores"`
		ReportID string             `json:"report_id"`
		Total    int                `json:"sessions_total"`
		Gate     struct {
			Passed    bool
			Threshold float64
		} `json:"quality_gate"`
	}
	got := hook.Of(done.ID, "test.completed")[0]
	if err := json.Unmarshal(got.Data, &completed); err != nil {
		t.Fatalf("test.completed: %v: %s", err, got.Data)
	}
	if !reflect.DeepEqual(completed.Scores, report.Scores) || completed.ReportID != report.ID || completed.Total != 10 ||
		completed.Gate.Passed != done.QualityGate.Passed || completed.Gate.Threshold != done.QualityGate.Threshold {
		t.Errorf("test.completed says %s, the report %+v", got.Data, report.Scores)
	}
	verifiedByNode(t, got)
}

// verifiedByNode has another language's library verify a signature, written as
// spec.md words it.
func verifiedByNode(t *testing.T, got harness.Received) {
	t.Helper()
	const script = `
const crypto = require('crypto')
const body = require('fs').readFileSync(0)
const [secret, header] = process.argv.slice(1)
const want = Buffer.from('sha256=' + crypto.createHmac('sha256', secret).update(body).digest('hex'))
const given = Buffer.from(header)
process.exit(want.length === given.length && crypto.timingSafeEqual(want, given) ? 0 : 1)`
	check := func(body []byte) error {
		node := exec.CommandContext(t.Context(), "node", "-e", script, webhookSecret, got.Header.Get("X-Service-Signature"))
		node.Stdin = bytes.NewReader(body)
		return node.Run()
	}
	if err := check(got.Body); err != nil {
		t.Errorf("node finds the signature of %s wrong: %v", got.Event, err)
	}
	if check(append(slices.Clone(got.Body), ' ')) == nil {
		t.Error("node takes a signature for another body")
	}
}
