package httpapi

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"understudy/domain/gate"
	"understudy/domain/walk"
	"understudy/projections/reports"
)

// The elements of JUnit XML that CI systems read (the form of Ant's and
// Surefire's reports, as Jenkins and GitLab take it).
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		ClassName string        `xml:"classname,attr"`
		Name      string        `xml:"name,attr"`
		Time      string        `xml:"time,attr"`
		Failure   *junitFailure `xml:"failure"`
		Skipped   *junitSkipped `xml:"skipped"`
		Out       string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

// junitOf writes a report as JUnit XML: a suite of the quality gate with a case
// for overall and each criterion, and a suite of the issues with a case for
// each, failed from severity 3 on.
func junitOf(r reportOf) ([]byte, error) {
	took := 0.0
	if r.Test.DurationSeconds != nil {
		took = float64(*r.Test.DurationSeconds)
	}
	all := junitSuites{Name: "Understudy: " + r.Test.Task, Time: junitTime(took)}
	for _, s := range []junitSuite{gateSuite(r.Report), issueSuite(r.Report)} {
		s.Timestamp = r.Report.CreatedAt.UTC().Format("2006-01-02T15:04:05")
		s.Properties = []junitProperty{
			{"url", r.Test.URL}, {"task", r.Test.Task}, {"test_id", r.Report.TestID}, {"report_id", r.Report.ID}, {"report_url", r.Report.ReportURL},
		}
		if summary := r.Report.QualityGate.Summary; summary != "" { // reports of before it was kept have none
			s.Properties = append(s.Properties, junitProperty{"quality_gate", summary})
		}
		for i := range s.Cases {
			s.Cases[i].Time = junitTime(0) // it is the test as a whole that takes time
			s.Tests++
			if s.Cases[i].Failure != nil {
				s.Failures++
			}
			if s.Cases[i].Skipped != nil {
				s.Skipped++
			}
		}
		s.Time = junitTime(took)
		took = 0
		all.Tests, all.Failures, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Skipped+s.Skipped
		all.Suites = append(all.Suites, s)
	}
	body, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report %s as JUnit XML: %w", r.Report.ID, err)
	}
	return append([]byte(xml.Header), append(body, '\n')...), nil
}

func junitTime(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }

// gateSuite is the verdict. Reports of before margins were recorded have the
// names of what failed only.
func gateSuite(r reports.Document) junitSuite {
	s := junitSuite{Name: "quality gate"}
	failed := map[string]bool{}
	for _, name := range r.QualityGate.FailedCriteria {
		failed[name] = true
	}
	for _, row := range scoreRows(r) {
		c := junitCase{ClassName: "understudy.quality_gate", Name: row.Criterion}
		words := fmt.Sprintf("threshold %s", percent(r.QualityGate.Threshold))
		if row.Margin != nil {
			words = marginWords(*row.Margin)
		}
		switch {
		case failed[row.Criterion] && row.Score == nil:
			c.Failure = &junitFailure{Message: plain(row.Criterion) + ": no session had evidence", Type: gate.NoEvidence}
		case failed[row.Criterion]:
			c.Failure = &junitFailure{Message: plain(row.Criterion) + ": " + words, Type: "below_threshold", Text: row.Formula}
		case row.Score == nil:
			c.Skipped = &junitSkipped{Message: "no session had evidence for it"}
			if row.Reason != "" {
				c.Skipped.Message = "no evidence: " + row.Reason
			}
		default:
			c.Out = words
		}
		delete(failed, row.Criterion)
		s.Cases = append(s.Cases, c)
	}
	for _, name := range r.QualityGate.FailedCriteria {
		if failed[name] {
			s.Cases = append(s.Cases, junitCase{ClassName: "understudy.quality_gate", Name: name,
				Failure: &junitFailure{Message: plain(name) + ": no session had evidence", Type: gate.NoEvidence}})
		}
	}
	return s
}

func issueSuite(r reports.Document) junitSuite {
	s := junitSuite{Name: "issues"}
	for _, issue := range r.Issues {
		c := junitCase{ClassName: "understudy.issues." + issue.Kind, Name: fmt.Sprintf("%s [%s]", issue.Title, bare(withoutQuery(issue.PageURL)))}
		if issue.Element != nil && issue.Element.Selector != "" { // two links of one name are two cases
			c.Name += " " + issue.Element.Selector
		}
		var text strings.Builder
		fmt.Fprintf(&text, "%s\n\n%s %s.\n", issue.Description, metWords(issue), issue.PageURL)
		if cost := costWords(issue.Cost, r.Sessions.Completed); cost != "" {
			fmt.Fprintf(&text, "%s.\n", cost)
		}
		fmt.Fprintf(&text, "What to do: %s %s\n", issue.Suggestion, issue.Standard)
		for _, e := range issue.Evidence[:min(len(issue.Evidence), 3)] {
			fmt.Fprintf(&text, "%s (step %d) %s\n", walk.Quote(e.Quote), e.Step+1, e.SessionURL)
		}
		if issue.Severity >= severe {
			c.Failure = &junitFailure{Message: fmt.Sprintf("%s (%s, %d of 4)", issue.Title, issue.SeverityLabel, issue.Severity), Type: issue.Kind, Text: text.String()}
		} else {
			c.Out = issue.SeverityLabel + "\n" + text.String()
		}
		s.Cases = append(s.Cases, c)
	}
	return s
}
