package e2e

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"

	"understudy/test/harness"
	"understudy/test/patience"
)

// scraped are the labels of each metric by its name, as far as it has series.
func (s *service) scraped(t *testing.T) map[string]map[string]bool {
	t.Helper()
	var body string
	patience.Eventually(t, 30*time.Second, "/metrics tells of the log, as a busy machine does not at first", func() bool {
		status, text := s.probe(t, "/metrics")
		body = text
		return status == http.StatusOK && strings.Contains(body, "\nunderstudy_log_position ")
	})
	series, label := regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? `), regexp.MustCompile(`([a-z_]+)="`)
	metrics := map[string]map[string]bool{}
	for _, m := range series.FindAllStringSubmatch(body, -1) {
		if metrics[m[1]] == nil {
			metrics[m[1]] = map[string]bool{}
		}
		for _, l := range label.FindAllStringSubmatch(m[2], -1) {
			metrics[m[1]][l[1]] = true
		}
	}
	return metrics
}

// ofPrometheus are the labels that Prometheus itself adds.
var ofPrometheus = map[string]bool{"job": true, "instance": true, model.MetricNameLabel: true}

// names checks that an expression reads what is served, with labels that it has.
func names(t *testing.T, where, expr string, metrics map[string]map[string]bool) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(strings.ReplaceAll(expr, "$__rate_interval", "5m"))
	if err != nil {
		t.Errorf("%s: %v\n%s", where, err, expr)
		return
	}
	parser.Inspect(parsed, func(node parser.Node, path []parser.Node) error {
		read, is := node.(*parser.VectorSelector)
		if !is || read.Name == "up" { // Prometheus's own
			return nil
		}
		has, served := metrics[read.Name]
		if !served {
			t.Errorf("%s reads %s, which /metrics does not serve", where, read.Name)
			return nil
		}
		for _, m := range read.LabelMatchers {
			if !has[m.Name] && !ofPrometheus[m.Name] {
				t.Errorf("%s: %s has no label %s", where, read.Name, m.Name)
			}
		}
		for _, above := range path {
			by, is := above.(*parser.AggregateExpr)
			if !is {
				continue
			}
			for _, name := range by.Grouping {
				if !has[name] && !ofPrometheus[name] {
					t.Errorf("%s groups %s by %s, which it has not", where, read.Name, name)
				}
			}
		}
		return nil
	})
}

// worked has a service do of everything something, so that every metric has series.
func (s *service) worked(t *testing.T) {
	t.Helper()
	c := s.sandbox()
	hook := receive(t, c, nil, "test.completed")
	created := c.create(t, signUp(2))
	c.completed(t, created.ID, time.Minute)
	got := hook.await(t, created.ID, 30*time.Second, "test.completed")
	if trace := got[0].Header.Get("Traceparent"); trace != "" {
		t.Errorf("nobody traces, and a delivery came with traceparent %q", trace)
	}
	s.shows(t, "/metrics", http.StatusOK, `understudy_delivery_attempt_duration_seconds_count{environment="test",result="delivered"}`,
		`understudy_session_duration_seconds_count{environment="test"`, `understudy_http_request_duration_seconds_count{method="POST",route="/v1/tests",status="2xx"}`)
}

// operations is a file for operators.
func operations(t *testing.T, path ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(append([]string{harness.Root(), "docs"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTheDashboardShowsWhatIsServed(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.worked(t)
	metrics := s.scraped(t)
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, Query string }
		}
	}
	if err := json.Unmarshal(operations(t, "operations", "grafana.json"), &dashboard); err != nil {
		t.Fatal(err)
	}
	ids, targets := map[int]bool{}, 0
	for _, panel := range dashboard.Panels {
		if ids[panel.ID] || panel.Title == "" {
			t.Errorf("panel %d %q: its number is another's, or it has no title", panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			targets++
			names(t, panel.Title, target.Expr, metrics)
		}
	}
	if targets < 20 {
		t.Errorf("%d targets", targets)
	}
	of := regexp.MustCompile(`^label_values\((.*), \w+\)$`)
	for _, variable := range dashboard.Templating.List {
		if m := of.FindStringSubmatch(variable.Query); m != nil {
			names(t, "the variable "+variable.Name, m[1], metrics)
		}
	}
}

// Prometheus's own parser reads the alerts; each has its line in the runbook.
func TestAlertsAreAboutWhatIsServedAndHaveARunbook(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.worked(t)
	metrics := s.scraped(t)
	rules, errs := rulefmt.Parse(operations(t, "operations", "alerts.yaml"), false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 || len(rules.Groups) == 0 {
		t.Fatalf("the alerts: %v", errs)
	}
	runbook := string(operations(t, "operations.md"))
	severities := map[string]bool{"page": true, "ticket": true}
	heading := regexp.MustCompile(`(?m)^## (.*)$`)
	anchors := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(runbook, -1) {
		anchors["docs/operations.md#"+strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")] = true
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			names(t, rule.Alert, rule.Expr, metrics)
			if !strings.Contains(runbook, "\n| `"+rule.Alert+"` | ") {
				t.Errorf("docs/operations.md has no line about %s", rule.Alert)
			}
			if !severities[rule.Labels["severity"]] || rule.Annotations["summary"] == "" || !anchors[rule.Annotations["runbook"]] {
				t.Errorf("%s: severity %q, runbook %q, or it has no summary", rule.Alert, rule.Labels["severity"], rule.Annotations["runbook"])
			}
		}
	}
	// What this program serves of its own is in the document.
	for metric := range metrics {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(metric, "")
		if strings.HasPrefix(base, "understudy_") && !strings.Contains(runbook, base) && !regexp.MustCompile(`_lag_(events|seconds)$`).MatchString(base) {
			t.Errorf("docs/operations.md does not tell of %s", base)
		}
	}
}
