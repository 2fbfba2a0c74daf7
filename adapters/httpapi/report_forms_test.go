package httpapi_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"image/color"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"understudy/adapters/httpapi"
	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/gate"
	"understudy/domain/report"
	"understudy/domain/walk"
)

// hostile is what a page may call its things.
const hostile = "<script>alert(1)</script> [win](http://evil.example/) ![x](y) *b* | `c` &amp; <img src=//evil.example> www.evil.example"

// aReport stores a report of four sessions on a hostile page, one of which
// failed, and the test that it is about.
func (s *served) aReport(t *testing.T) (reportID, testID, artifact string) {
	t.Helper()
	artifact, _ = s.anArtifact(aPicture(t, 1600, 1000, color.White))
	g := s.send("POST", "/tests", "all", `{"url":"https://example.com/","task":"Find the prices & [terms](http://evil.example/)"}`).wants(t, 201, "")
	testID, _ = g.object(t)["id"].(string)
	reportID = newID("rep")
	in := report.Input{
		ReportID: reportID, TestID: testID, CreatedAt: domain.At(noon), Criteria: []string{"task_completion", "trust"},
		Gate: gate.Config{Threshold: 0.8}, Total: 4,
	}
	for i := range 4 {
		won := i > 0
		session := report.Session{
			ID: newID("ses"), Persona: "Ada B.", Traits: report.Traits{AgeBand: "35-44", Zoom: 1}, Viewport: []string{"desktop", "mobile"}[i%2],
			Outcome: walk.Succeeded, SimulatedSeconds: 10 * float64(i+1), Scores: map[string]float64{"task_completion": float64(min(i, 1))},
			Reasons:  map[string]string{"trust": "nobody came that far"},
			Findings: findings.Session{Succeeded: won, Templates: []string{"example.com"}, Visits: []string{"example.com|" + hostile}},
			Steps:    []report.Step{{Thought: string(rune('A'+i)) + " " + hostile, ScreenshotID: artifact}},
		}
		session.Findings.SessionID = session.ID
		if !won {
			session.Outcome, session.Findings.Outcome = walk.GaveUp, walk.GaveUp
		}
		session.Findings.Observations = []findings.Observation{
			{Kind: findings.BrokenLink, Channel: findings.Observed, Template: "example.com", PageURL: "https://example.com/", Quote: hostile, Deterministic: true,
				Element: &findings.Element{Role: "link", Name: hostile, Selector: "a.terms", Box: walk.Box{X: 10, Y: 10, W: 100, H: 30}}, Viewport: walk.Size{Width: 1280, Height: 800},
				Consequence: findings.ConsequenceBlocked},
			{Kind: findings.SlowPage, Channel: findings.Observed, Template: "example.com", PageURL: "https://example.com/", Quote: "It takes long.", Consequence: findings.ConsequenceRecovered},
		}
		in.Sessions = append(in.Sessions, session)
	}
	built, err := json.Marshal(report.Build(in).Document)
	if err != nil {
		t.Fatal(err)
	}
	s.reports.put(s.keys["all"], reportID, 0, string(built))
	doc := strings.Replace(string(s.tests.rows[testID].doc.JSON), `"report_id":null`, `"report_id":"`+reportID+`"`, 1)
	s.tests.put(s.keys["all"], testID, 9, doc)
	return reportID, testID, artifact
}

// press prints by keeping what it was given.
type press struct {
	html []byte
	// until is when printing has to be done, and left how long that is.
	until time.Time
	left  time.Duration
}

func (p *press) PDF(ctx context.Context, html []byte) ([]byte, error) {
	p.until, _ = ctx.Deadline()
	p.left = time.Until(p.until)
	p.html = html
	return []byte("%PDF-1.4 printed"), nil
}

func TestReportsHaveFiveForms(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, test, _ := s.aReport(t)
	for _, path := range []string{"/reports/" + id, "/tests/" + test + "/report"} {
		for _, c := range []struct{ query, accept, contentType, begins string }{
			{"", "", "application/json", `{"id":"rep_`},
			{"", "*/*", "application/json", `{"id":"rep_`},
			{"", "text/markdown", "text/markdown; charset=utf-8", "# Report: Find the prices \\& "},
			{"", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=UTF-8", "<!DOCTYPE html>"},
			{"", "application/json;q=0.5, text/markdown;q=0.6, application/pdf;q=0", "text/markdown; charset=utf-8", "# Report"},
			{"", "application/pdf", "application/pdf", "%PDF-"},
			{"", "application/junit+xml", "application/junit+xml", "<?xml"},
			{"", "application/xml", "application/xml", "<?xml"},
			{"?format=json", "text/html", "application/json", `{"id":"rep_`},
			{"?format=markdown", "", "text/markdown; charset=utf-8", "# Report"},
			{"?format=html", "image/png", "text/html; charset=UTF-8", "<!DOCTYPE html>"},
			{"?format=pdf", "*/*", "application/pdf", "%PDF-"},
			{"?format=junit", "*/*", "application/junit+xml", "<?xml"},
		} {
			g := s.send("GET", path+c.query, "all", "", "Accept", c.accept).wants(t, 200, "")
			if got := g.Header.Get("Content-Type"); got != c.contentType || !bytes.HasPrefix(g.body, []byte(c.begins)) {
				t.Errorf("%s with Accept %q: %s %.60q", c.query, c.accept, got, g.body)
			}
			again := s.send("GET", path+c.query, "all", "", "Accept", c.accept, "If-None-Match", g.Header.Get("ETag"))
			if again.StatusCode != 304 {
				t.Errorf("%s with Accept %q: the same again is %d", c.query, c.accept, again.StatusCode)
			}
		}
		s.send("GET", path, "all", "", "Accept", "image/png").wants(t, 406, "not_acceptable")
		s.send("GET", path+"?format=doc", "all", "").wants(t, 422, "validation_failed")
		s.send("GET", path+"?format=pdf", "other", "").wants(t, 404, "not_found")
	}
	etags := map[string]bool{}
	for _, format := range []string{"json", "markdown", "html", "pdf", "junit"} {
		etags[strings.TrimPrefix(s.send("GET", "/reports/"+id+"?format="+format, "all", "").Header.Get("ETag"), "W/")] = true
	}
	if len(etags) != 5 {
		t.Errorf("five forms have the ETags %v", etags)
	}
}

func TestAProcessWithoutABrowserPrintsNothing(t *testing.T) {
	t.Parallel()
	s := newServiceWith(t, nil)
	id, _, _ := s.aReport(t)
	g := s.send("GET", "/reports/"+id, "all", "", "Accept", "application/pdf").wants(t, 503, "unavailable")
	if p := s.isProblem(g); !strings.Contains(p.Detail, "text/html") || g.Header.Get("Retry-After") == "" {
		t.Errorf("no way out in %+v", p)
	}
	s.send("GET", "/reports/"+id, "all", "", "Accept", "text/html").wants(t, 200, "")
}

// loads names what makes a browser ask for something when a page is shown.
func loads(page []byte) (found []string) {
	if bytes.Contains(page, []byte("url(")) || bytes.Contains(page, []byte("@import")) {
		found = append(found, "a style")
	}
	eachTag(page, func(tag html.Token) {
		if slices.Contains([]string{"link", "script", "iframe"}, tag.Data) {
			found = append(found, tag.Data)
		}
		for _, name := range []string{"src", "srcset", "poster", "data", "action"} {
			if v := attribute(tag, name); v != "" && !strings.HasPrefix(v, "data:") {
				found = append(found, tag.String())
			}
		}
	})
	return found
}

func TestAReportAsAFileStandsAlone(t *testing.T) {
	t.Parallel()
	printed := &press{}
	s := newServiceWith(t, printed)
	id, _, _ := s.aReport(t)
	g := s.send("GET", "/reports/"+id+"?format=html", "all", "").wants(t, 200, "")
	if found := loads(g.body); found != nil {
		t.Errorf("the file asks for something: %q", found)
	}
	if n := bytes.Count(g.body, []byte(`src="data:image/jpeg;base64,`)); n < 4 {
		t.Errorf("%d pictures in it", n)
	}
	if len(g.body) > 1<<20 {
		t.Errorf("%d bytes of a white picture of 1600 pixels' width", len(g.body))
	}
	for _, want := range []string{"How far they came", "Who struggles", "What was not tested", "&lt;script&gt;alert(1)", "Quality gate",
		"task completion 0.75 is 0.05 below 0.80; overall", "no evidence: nobody came that far (4 of 4 sessions)"} {
		if !bytes.Contains(g.body, []byte(want)) {
			t.Errorf("the file lacks %q", want)
		}
	}
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindSubmatch(g.body)
	if style == nil {
		t.Fatal("the file has no style")
	}
	sum := sha256.Sum256(style[1])
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:"
	if csp := g.Header.Get("Content-Security-Policy"); csp != policy+"; frame-ancestors 'none'" || !strings.Contains(html.UnescapeString(string(g.body)), `content="`+policy+`"`) {
		t.Errorf("CSP %q, not %q as in the file as well", csp, policy)
	}
	asked := time.Now()
	s.send("GET", "/reports/"+id+"?format=pdf", "all", "").wants(t, 200, "")
	if !bytes.Contains(printed.html, []byte("<details open>")) || loads(printed.html) != nil {
		t.Error("what is printed is folded, or asks for something")
	}
	if printed.until.Sub(asked) < 30*time.Second || printed.left > time.Minute {
		t.Errorf("whoever waits for the printer has %s", printed.left)
	}
}

// TestPicturesInAReportAreBounded: however often a report shows a picture.
func TestPicturesInAReportAreBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _, artifact := s.aReport(t)
	var doc map[string]any
	if err := json.Unmarshal(s.reports.rows[id].doc.JSON, &doc); err != nil {
		t.Fatal(err)
	}
	issues, _ := doc["issues"].([]any)
	issue, _ := issues[0].(map[string]any)
	evidence, _ := issue["evidence"].([]any)
	for range 6 {
		places, _ := issue["places"].([]any)
		issue["places"] = append(places, map[string]any{"page_url": "https://example.com/", "sessions": 1, "shown": evidence[0]})
	}
	for range 9 {
		issues = append(issues, issue)
	}
	doc["issues"] = issues
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	s.reports.put(s.keys["all"], id, 0, string(raw))
	g := s.send("GET", "/reports/"+id+"?format=html", "all", "").wants(t, 200, "")
	// What is to be fixed is shown above the list as well.
	if n := bytes.Count(g.body, []byte("data:image/jpeg;base64,")); n != 40+3 {
		t.Errorf("%d pictures of %s in a report that shows 80", n, artifact)
	}
}

func TestPicturesOfOthersAreNotInAReport(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _, artifact := s.aReport(t)
	other := s.artifacts[artifact]
	other.OrganizationID = "org_b"
	s.artifacts[artifact] = other
	if g := s.send("GET", "/reports/"+id+"?format=html", "all", "").wants(t, 200, ""); bytes.Contains(g.body, []byte("data:image")) {
		t.Error("another organization's picture is in the report")
	}
	delete(s.artifacts, artifact)
	s.send("GET", "/reports/"+id+"?format=html", "all", "").wants(t, 200, "")
}

func TestMarkdownShowsForeignTextAsItIs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _, _ := s.aReport(t)
	g := s.send("GET", "/reports/"+id+"?format=markdown", "all", "").wants(t, 200, "")
	text := string(g.body)
	for _, raw := range []string{"<script", "<img", "[win]", "![x]", "*b*", " | `c`", "&amp;", "www.evil", "](http://evil", "[terms]"} {
		for rest := text; ; {
			i := strings.Index(rest, raw)
			if i < 0 {
				break
			}
			if i == 0 || rest[i-1] != '\\' {
				t.Errorf("%q stands there unescaped: %.80q", raw, rest[max(0, i-20):])
			}
			rest = rest[i+len(raw):]
		}
	}
	for _, want := range []string{"\n## Scores\n", "\\<script\\>alert(1)", "**Quality gate failed** (threshold 80 %): task completion 0.75 is 0.05 below 0.80; overall", "no evidence: nobody came that far (4 of 4 sessions)", "- task completion: ", "| overall | 75 % |", "## Who struggles", "## What was not tested"} {
		if want = strings.ReplaceAll(want, `\>`, ">"); !strings.Contains(text, want) {
			t.Errorf("the Markdown lacks %q", want)
		}
	}
	columns := 0
	for line := range strings.Lines(text) { // every row of a table has as many cells as its head
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") {
			if columns != 0 && n != columns {
				t.Errorf("a row with %d bars among rows with %d: %s", n, columns, line)
			}
			columns = n
		} else {
			columns = 0
		}
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _, _ := s.aReport(t)
	g := s.send("GET", "/reports/"+id+"?format=junit", "all", "").wants(t, 200, "")
	var all struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []struct {
			Name      string `xml:"name,attr"`
			Tests     int    `xml:"tests,attr"`
			Failures  int    `xml:"failures,attr"`
			Timestamp string `xml:"timestamp,attr"`
			Cases     []struct {
				Class   string `xml:"classname,attr"`
				Name    string `xml:"name,attr"`
				Time    string `xml:"time,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Type    string `xml:"type,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
				Skipped *struct {
					Message string `xml:"message,attr"`
				} `xml:"skipped"`
				Out string `xml:"system-out"`
			} `xml:"testcase"`
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(g.body, &all); err != nil {
		t.Fatal(err)
	}
	// overall and task_completion fall short of 0.8, trust has no evidence; the
	// broken link is severe, the slow page is not.
	if all.Tests != 5 || all.Failures != 3 || all.Skipped != 1 || len(all.Suites) != 2 {
		t.Fatalf("%d tests, %d failures, %d skipped: %s", all.Tests, all.Failures, all.Skipped, g.body)
	}
	names := map[string]bool{}
	for _, suite := range all.Suites {
		failed := 0
		for _, c := range suite.Cases {
			names[c.Class+c.Name] = true
			if c.Failure != nil {
				failed++
			}
			if c.Name == "" || c.Class == "" || c.Time == "" {
				t.Errorf("%+v", c)
			}
		}
		if _, err := time.Parse("2006-01-02T15:04:05", suite.Timestamp); err != nil || suite.Tests != len(suite.Cases) || suite.Failures != failed {
			t.Errorf("%s: %d tests, %d failures, %v", suite.Name, suite.Tests, suite.Failures, err)
		}
	}
	if len(names) != all.Tests {
		t.Errorf("cases share names: %v", names)
	}
	overall := all.Suites[0].Cases[0]
	for _, want := range []string{"75 %", "5 points below its threshold of 80 %", "95 % interval 0 % to 100 %", "might have passed"} {
		if !strings.Contains(overall.Failure.Message, want) {
			t.Errorf("%q lacks %q", overall.Failure.Message, want)
		}
	}
	if trust := all.Suites[0].Cases[2].Skipped; trust == nil || trust.Message != "no evidence: nobody came that far (4 of 4 sessions)" {
		t.Errorf("trust: %+v", trust)
	}
	for _, suite := range all.Suites {
		if p := suite.Properties[len(suite.Properties)-1]; p.Name != "quality_gate" || !strings.HasPrefix(p.Value, "failed: task_completion 0.75 is 0.05 below 0.80; ") {
			t.Errorf("%s: %+v", suite.Name, p)
		}
	}
	broken := all.Suites[1].Cases[0].Failure
	if broken == nil || broken.Type != findings.BrokenLink || !strings.Contains(broken.Message, hostile[:20]) || !strings.Contains(broken.Text, "What to do: ") {
		t.Errorf("%+v", broken)
	}
	if slow := all.Suites[1].Cases[1]; slow.Failure != nil || !strings.Contains(slow.Out, "It takes long.") {
		t.Errorf("%+v", slow)
	}
}

var _ httpapi.Printer = (*press)(nil)
