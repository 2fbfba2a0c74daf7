package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"understudy/adapters/client"
)

// Forms of --report.
const formHTML, formMarkdown, formPDF, formJUnit, formJSON = "html", "md", "pdf", "junit", "json"

// asked are the forms as the service calls them. JSON is made here: a baseline needs
// the sessions, too.
var asked = map[string]client.GetTestReportParamsFormat{formHTML: "html", formMarkdown: "markdown", formPDF: "pdf", formJUnit: "junit"}

// reportFile is one report to write.
type reportFile struct{ form, path string }

// each is whether several tests have a file each in this form.
func (f reportFile) each() bool { return f.form == formHTML || f.form == formPDF }

// reportFiles reads --report.
func reportFiles(texts []string) (files []reportFile, err error) {
	for _, text := range texts {
		form, path, given := strings.Cut(text, "=")
		if !given || path == "" || (form != formJSON && asked[form] == "") {
			return nil, usage("--report: %q is not FORM=FILE with one of the forms html, md, pdf, junit, json", text)
		}
		files = append(files, reportFile{form, path})
	}
	return files, nil
}

// fetchForms keeps the report in each form that is asked for, while the service runs.
func (r *run) fetchForms(ctx context.Context, out *result) error {
	out.forms = map[string][]byte{}
	for _, f := range r.forms {
		if f.form == formJSON || out.forms[f.form] != nil {
			continue
		}
		got, err := r.client.GetTestReportWithResponse(ctx, out.Test.ID, &client.GetTestReportParams{Format: new(asked[f.form])})
		if err != nil {
			return fmt.Errorf("the report as %s: %w", f.form, err)
		}
		out.forms[f.form] = got.Body
	}
	return nil
}

// write writes each report that was asked for, whatever came of the tests.
func (r *run) write(results []*result) error {
	var faults []error
	for _, f := range r.forms {
		faults = append(faults, r.writeForm(f, results))
	}
	if file := r.env.Getenv("GITHUB_STEP_SUMMARY"); file != "" {
		text, err := summaryMarkdown(results)
		faults = append(faults, err, appendTo(file, text))
	}
	return errors.Join(faults...)
}

func (r *run) writeForm(f reportFile, results []*result) error {
	switch f.form {
	case formJSON:
		return r.put(f.path, documentOf(results))
	case formJUnit:
		body, err := junitOf(results)
		return errors.Join(err, r.put(f.path, body))
	case formMarkdown:
		var parts [][]byte
		for _, one := range results {
			parts = append(parts, one.form(f.form))
		}
		return r.put(f.path, bytes.Join(parts, []byte("\n\n---\n\n")))
	}
	var faults []error
	for i, one := range results {
		path := f.path
		if len(results) > 1 { // a file each
			ext := filepath.Ext(path)
			path = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), i+1, ext)
		}
		body := one.form(f.form)
		if body == nil {
			say(r.told, "%s is not written: %s", path, one.Reason)
			continue
		}
		faults = append(faults, r.put(path, body))
	}
	return errors.Join(faults...)
}

// put writes a report to a file, or to standard output.
func (r *run) put(path string, body []byte) error {
	if path == "-" {
		_, err := r.out.Write(append(bytes.TrimRight(body, "\n"), '\n'))
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a report is for others, too
		return err
	}
	return os.WriteFile(path, body, 0o644) //nolint:gosec // likewise
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // the pipeline's own
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

var unjudgedPage = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Not judged</title>
<h1>{{.Title}}</h1><p><strong>There is no report.</strong> {{.Reason}}</p></html>
`))

// form is a result in a form; where there is no report, one that says why, and nil
// where that form cannot.
func (o *result) form(form string) []byte {
	if body := o.forms[form]; body != nil {
		return body
	}
	switch form {
	case formMarkdown:
		return fmt.Appendf(nil, "# %s\n\n**There is no report.** %s\n", markdown(o.plan.title()), markdown(o.Reason))
	case formHTML:
		var b bytes.Buffer
		_ = unjudgedPage.Execute(&b, struct{ Title, Reason string }{o.plan.title(), o.Reason}) // into memory
		return b.Bytes()
	}
	return nil
}

// suites is JUnit XML as far as it has to be understood to put several into one.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	Suites  []struct {
		Attrs []xml.Attr `xml:",any,attr"`
		Inner string     `xml:",innerxml"`
	} `xml:"testsuite"`
}

// junitOf is one JUnit document of all results: the suites of each report, and one
// with the verdict on each test.
func junitOf(results []*result) ([]byte, error) {
	all := suites{Name: "understudy"}
	verdicts := struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Cases    []any    `xml:"testcase"`
	}{Name: "Verdicts", Tests: len(results)}
	type reason struct {
		Message string `xml:"message,attr"`
	}
	for _, o := range results {
		var c struct {
			ClassName string  `xml:"classname,attr"`
			Name      string  `xml:"name,attr"`
			Failure   *reason `xml:"failure,omitempty"`
			Error     *reason `xml:"error,omitempty"`
			Out       string  `xml:"system-out"`
		}
		c.ClassName, c.Name, c.Out = "understudy", o.plan.title(), o.Reason
		switch o.Status {
		case ExitPassed:
		case ExitGateFailed:
			verdicts.Failures++
			c.Failure = &reason{o.Reason}
		default:
			verdicts.Errors++
			c.Error = &reason{o.Reason}
		}
		verdicts.Cases = append(verdicts.Cases, c)
		if o.forms[formJUnit] == nil {
			continue
		}
		var one suites
		if err := xml.Unmarshal(o.forms[formJUnit], &one); err != nil {
			return nil, fmt.Errorf("the JUnit report of %s: %w", o.Test.ID, err)
		}
		all.Suites = append(all.Suites, one.Suites...)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	encoder := xml.NewEncoder(&b)
	encoder.Indent("", "  ")
	err := errors.Join(encoder.Encode(struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Verdicts any
		Suites   any `xml:"testsuite"`
	}{Name: all.Name, Verdicts: verdicts, Suites: all.Suites}), encoder.Close())
	return b.Bytes(), err
}

// document is what --report json= writes and --baseline reads.
type document struct {
	Format int      `json:"format"`
	Tests  []stored `json:"tests"`
}

// documentFormat is the version of document; a later one is not read.
const documentFormat = 1

// stored is one test's result. Test, Report and Comparison are as the service gave them.
type stored struct {
	Status     int             `json:"exit_status"`
	Reason     string          `json:"reason"`
	Title      string          `json:"title"`
	Test       json.RawMessage `json:"test,omitempty"`
	Report     json.RawMessage `json:"report,omitempty"`
	Comparison json.RawMessage `json:"comparison,omitempty"`
	Page       string          `json:"comparison_url,omitempty"`
	Sessions   []walked        `json:"sessions,omitempty"`
}

// walked is what a comparison needs of a session.
type walked struct {
	ID       string          `json:"id"`
	Index    int             `json:"index"`
	Persona  map[string]any  `json:"persona"`
	Viewport client.Viewport `json:"viewport"`
	Seed     int64           `json:"seed"`
	Status   string          `json:"status"`
	Outcome  string          `json:"outcome"`
	Seconds  float64         `json:"simulated_seconds"`
	Scores   client.Scores   `json:"scores"`
}

func documentOf(results []*result) []byte {
	d := document{Format: documentFormat, Tests: make([]stored, len(results))}
	for i, o := range results {
		d.Tests[i] = stored{
			Status: o.Status, Reason: o.Reason, Title: o.plan.title(), Test: o.rawTest, Report: o.rawReport, Comparison: o.rawComparison,
			Page: o.ComparisonURL, Sessions: o.sessions,
		}
	}
	raw, _ := json.MarshalIndent(d, "", "  ") // of plain values and what was JSON
	return raw
}

// of is the stored test of a plan; nil: there is none.
func (d *document) of(p plan) *stored {
	i := slices.IndexFunc(d.Tests, func(s stored) bool { return s.Test != nil && (len(d.Tests) == 1 || s.Title == p.title()) })
	if i < 0 {
		return nil
	}
	return &d.Tests[i]
}
