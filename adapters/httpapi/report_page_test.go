package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"understudy/domain"
	"understudy/domain/findings"
	"understudy/domain/gate"
	"understudy/domain/report"
	"understudy/domain/walk"
)

// walkers are five simulated users; the first two reach the goal.
var walkers = []string{"Ada L.", "Ben K.", "Cleo M.", "Dan P.", "Eve S."}

// aFullReport stores a report of five sessions with ten issues of the main list
// and one below it, and all that belongs to them.
func (s *served) aFullReport(t *testing.T) (reportID string, doc report.Document) {
	t.Helper()
	shot, _ := s.anArtifact(aPicture(t, 1280, 800, color.White))
	g := s.send("POST", "/tests", "all", `{"url":"https://shop.example/","task":"Order a mug"}`).wants(t, 201, "")
	testID, _ := g.object(t)["id"].(string)
	reportID = newID("rep")
	in := report.Input{
		ReportID: reportID, TestID: testID, CreatedAt: domain.At(noon), Criteria: []string{"task_completion", "trust", "cta_findability"},
		Gate: gate.Config{Threshold: 0.8}, Total: 5,
	}
	element := &report.Element{Role: "button", Name: "Add to basket", Selector: "#add", Box: report.Box{X: 600, Y: 300, W: 120, H: 40}}
	for i, name := range walkers {
		session := report.Session{
			ID: newID("ses"), Persona: name, Viewport: "desktop", Outcome: walk.GaveUp, SimulatedSeconds: 30 + 10*float64(i),
			Traits:   report.Traits{AgeBand: []string{"18-24", "75+"}[i%2], LearningStyle: []string{"process", "tinkering"}[i%2], Zoom: float64(1 + i%2)},
			Scores:   map[string]float64{"task_completion": 0, "cta_findability": 0.5},
			Findings: findings.Session{Succeeded: i < 2, Visits: []string{"shop.example|Shop", "shop.example/mugs|Mugs", "shop.example/basket|Basket"}},
		}
		if i < 2 {
			session.Outcome, session.Scores["task_completion"] = walk.Succeeded, 1
		}
		for j := range 4 {
			session.Steps = append(session.Steps, report.Step{
				Index: j, URL: "https://shop.example/mugs", Title: "Mugs", Thought: fmt.Sprintf("%s thinks thought %d of what is here.", name, j), Frustration: float64(j) / 5,
				Action: "click", Target: element, ViewportWidth: 1280, ScreenshotID: shot,
			})
		}
		in.Sessions = append(in.Sessions, session)
	}
	doc = report.Build(in).Document
	shown := func(session, step int) report.Evidence {
		box := element.Box
		return report.Evidence{
			SessionID: in.Sessions[session].ID, Step: step, Quote: `I look for "Basket", „Korb“ or “Cart”.`, Box: &box, ViewportWidth: 1280, ScreenshotID: shot,
		}
	}
	for i := range 11 {
		issue := report.Issue{
			ID: fmt.Sprintf("iss_%d", i), Rank: i + 1, Kind: "unlabelled_field", Title: fmt.Sprintf("Cause %d stands in the way", i+1),
			Description: "Four fields of the form have words beside them, but no name that a program could find. Whoever hears the page is not told what they ask for.",
			Severity:    2, SeverityLabel: "minor", Frequency: report.Frequency{Affected: 2, Total: 5}, Cost: &report.Cost{Slowed: 2, Seconds: 12.4},
			PageURL: "https://shop.example/mugs?from=home", Element: element, Suggestion: "Give each field a label that is tied to it.", Standard: "WCAG 2.2 1.3.1",
			Evidence: []report.Evidence{shown(2, 2), shown(3, 1), shown(4, 0)},
			Places:   []report.Place{{PageURL: "https://shop.example/mugs", Element: element, Detail: "pale", Sessions: 2, Shown: shown(2, 2)}},
		}
		doc.Issues = append(doc.Issues, issue)
	}
	turned := &doc.Issues[0]
	turned.Severity, turned.SeverityLabel, turned.Cost = 4, "critical", &report.Cost{Ended: 3, Slowed: 1, Seconds: 5}
	turned.Frequency = report.Frequency{Affected: 5, Total: 5}
	turned.Turn = &report.Turn{
		Expected: []string{"mug", "order"}, KnownBy: "sessions",
		Taken:    []report.Offer{{Role: "link", Name: "Help", Sessions: 3}},
		NotTaken: []report.Offer{{Role: "button", Noticed: "unseen"}, {Role: "link", Name: "Plates", Noticed: "seen"}},
		Ways:     []report.Offer{{Role: "button", Name: "Add to basket", Sessions: 2, Noticed: "unread"}},
	}
	for i := range 7 {
		field := &report.Element{Role: "textbox", Name: fmt.Sprintf("Line %d", i+1), Selector: "input", Box: element.Box}
		doc.Issues[1].Places = append(doc.Issues[1].Places, report.Place{PageURL: "https://shop.example/basket", Element: field, Sessions: 1, Shown: shown(4, 3)})
	}
	doc.Issues[10].Folded, doc.Issues[10].Severity, doc.Issues[10].Title = true, 1, "A note of no weight"
	stored, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	s.reports.put(s.keys["all"], reportID, 0, string(stored))
	return reportID, doc
}

// plainText is what a page says, without its marks.
func plainText(page []byte) string {
	var out strings.Builder
	z := html.NewTokenizer(bytes.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if kind == html.TextToken {
			out.Write(z.Text())
			out.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

func TestAReportSaysFirstWhatHappenedAndWhatToFix(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, doc := s.aFullReport(t)
	page := s.look(s.links.ReportURL("org_a", domain.Live, id, noon))
	page.wants(t, 200, "")
	markdown := s.send("GET", "/reports/"+id+"?format=markdown", "all", "").wants(t, 200, "")
	said := html.UnescapeString(plainText(page.body))
	for _, want := range []string{
		"Reached the goal 2 of 5", "Who did not Cleo M. , Dan P. , Eve S.", "Quality gate Failed", "The three things to fix", "Ended 3 of 5 walks, cost 1 more 5.0 s.",
		"Cost 2 walks 12 s each.", "Met by all 5 who came to shop.example/mugs", "Met by 2 of the 5 who came to shop.example/mugs",
		"They looked for “mug”, “order”", "Took in vain “Help” (3 of 5)", "Did not take a button without a name (never on their screen), “Plates”",
		"Would have led on “Add to basket” (taken by 2 sessions that succeeded; of the others on the screen, but not to be read)",
		"“I look for ‘Basket’, ‘Korb’ or ‘Cart’.” step 3 of Cleo M.", "1 note", "The textbox “Line 7” on shop.example/basket", "2 more places",
		"Ada L. succeeded desktop, 30 s, 4 steps / → /mugs → /basket", "Eve S. gave up", "20 clicks of 5 sessions on “Mugs” as it is seen from its top", "5 took it, 2 of them reached the goal",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	at := -1
	for _, next := range []string{"The three things to fix", "Telling moments", "Issues 1. Cause 1", "A note of no weight", "Sessions Ada", "Where they went", "Appendix", "Scores, and how they are computed"} {
		i := strings.Index(said, next)
		if i <= at {
			t.Errorf("%q stands at %d, before what it should follow", next, i)
		}
		at = i
	}
	for _, lost := range []string{"none of none", "0 of 5", "step 0", "“I look for \""} {
		if strings.Contains(said, lost) || strings.Contains(string(markdown.body), lost) {
			t.Errorf("the report says %q", lost)
		}
	}
	for _, want := range []string{
		"**2 of 5 simulated users reached the goal**", "1. **Cause 1 stands in the way** (critical). Ended 3 of 5 walks", "- They looked for: “mug”, “order”",
		"“I look for ‘Basket’, ‘Korb’ or ‘Cart’.” [step 3 of Cleo M.](", "| [Ada L.](", "/ → /mugs → /basket |", "on “Mugs”: “Add to basket” 20 times",
	} {
		if !strings.Contains(string(markdown.body), want) {
			t.Errorf("the Markdown lacks %q:\n%.3000s", want, markdown.body)
		}
	}
	if len(doc.SessionList) != 5 || !strings.Contains(string(page.body), app+"/sessions/"+doc.SessionList[4].SessionID) {
		t.Error("no way to the last session")
	}
	if moment := `<time datetime="2026-11-21T12:00:00Z">21 November 2026, 12:00 UTC</time>`; strings.Count(string(page.body), moment) != 2 {
		t.Errorf("no %s at the beginning and the end", moment)
	}
}

func TestPicturesOfAReportAreToldToWhoDoesNotSeeThem(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id, _ := s.aFullReport(t)
	page := s.look(s.links.ReportURL("org_a", domain.Live, id, noon))
	alts := map[string]int{}
	eachTag(page.body, func(tag html.Token) {
		if tag.Data != "img" {
			return
		}
		shown := attribute(tag, "src")
		alts[attribute(tag, "alt")]++
		s.send("GET", strings.TrimPrefix(shown, base), "", "").wants(t, 200, "")
	})
	for want, least := range map[string]int{
		"shop.example/mugs as Cleo M. saw it at step 3; the button “Add to basket” is in a red frame": 13, // of ten issues, three of them twice
		"shop.example/basket as Eve S. saw it at step 4; the textbox “Line 1” is in a red frame":      1,
		"“Mugs” with circles where 5 sessions clicked: “Add to basket” 20 times":                      1,
		"“Mugs” as Eve S. saw it at step 4":                                                           1,
	} {
		if alts[want] < least {
			t.Errorf("%d pictures show %q among %v", alts[want], want, alts)
		}
	}
}

// TestAReportOfBefore: what earlier versions recorded has neither costs nor
// places nor a list of sessions.
func TestAReportOfBefore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := newID("rep")
	s.reports.put(s.keys["all"], id, 0, reportJSON(id, s.aTest()))
	said := html.UnescapeString(plainText(s.look(s.links.ReportURL("org_a", domain.Live, id, noon)).body))
	for _, want := range []string{"Reached the goal 9 of 10", "The thing to fix", "Met by 4 of the 10 who came to example.com .", "step 4 of a simulated user"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
	if strings.Contains(said, "Who did not") || strings.Contains(said, "Sessions") || strings.Contains(said, "Ended") {
		t.Errorf("what is unknown is told: %s", said)
	}
}

// eachTag calls fn with every tag that opens something.
func eachTag(page []byte, fn func(html.Token)) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			fn(z.Token())
		}
	}
}

func attribute(tag html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// TestFiveSessionsFitOnSixPages prints as the service does: A4, with the margins
// of the page's own style.
func TestFiveSessionsFitOnSixPages(t *testing.T) {
	t.Parallel()
	printed := &press{}
	s := newServiceWith(t, printed)
	id, _ := s.aFullReport(t)
	s.send("GET", "/reports/"+id+"?format=pdf", "all", "").wants(t, 200, "")
	folder, err := os.MkdirTemp("", "understudy-print-") //nolint:usetesting // Chromium's helpers may still write when it is removed, which t.TempDir takes for a failure
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	page, paper := filepath.Join(folder, "report.html"), filepath.Join(folder, "report.pdf")
	if err := os.WriteFile(page, printed.html, 0o600); err != nil {
		t.Fatal(err)
	}
	var browser string
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			browser = found
			break
		}
	}
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
		"--user-data-dir="+filepath.Join(folder, "profile"), "--print-to-pdf="+paper, "file://"+page)
	said, err := os.Create(filepath.Join(folder, "said")) // a pipe would be waited for until the last helper ends
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = said.Close() }()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		out, _ := os.ReadFile(said.Name())
		t.Fatalf("%s: %v: %s", browser, err, out)
	}
	pdf, err := os.ReadFile(paper)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(pdf, []byte("/Type /Page\n")); n < 2 || n > 6 {
		t.Errorf("five sessions with ten issues take %d pages", n)
	}
}
