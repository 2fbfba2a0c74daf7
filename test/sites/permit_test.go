package sites_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy/test/sites"
)

// fridayNoon is the day on which dated sites are tested.
func fridayNoon() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// attach posts a proof of address, or none when its name is "".
func (g *guest) attach(name, content string) (int, string) {
	g.t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	if name != "" {
		part, err := m.CreateFormFile("proof", name)
		if err != nil {
			g.t.Fatal(err)
		}
		if _, err := io.WriteString(part, content); err != nil {
			g.t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		g.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.base+"/parking/apply/proof", &b)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Content-Type", m.FormDataContentType())
	res, err := g.c.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestPermitIsAppliedForInSixSteps(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.Permit, sites.Options{Now: fridayNoon})
	status, body := g.get("/parking/apply/vehicle")
	g.wants(status, body, 200, "Can you have a resident permit?")
	status, body = g.post("/parking/apply/eligibility", "")
	g.wants(status, body, 422, "Say what you need the permit for")
	status, body = g.post("/parking/apply/eligibility", "resident=visit")
	g.wants(status, body, 200, "A resident permit is not for you")
	status, body = g.post("/parking/apply/eligibility", "resident=yes")
	g.wants(status, body, 200, "About you")
	for born, complaint := range map[string]string{
		"":                             "Enter your date of birth",
		"&born-day=31&born-month=2":    "as numbers for day, month and year",
		"&born-month=4&born-year=1985": "as numbers for day, month and year",
		"&born-day=1&born-month=1&born-year=2030": "in the past",
		"&born-day=2&born-month=5&born-year=2009": "17 or older",
	} {
		status, body = g.post("/parking/apply/about-you", "name=Ann+Lee&email=ann@example.org"+born)
		g.wants(status, body, 422, complaint)
		if year := `value="1985"`; !strings.Contains(body, "Ann Lee") || strings.Contains(born, "1985") && !strings.Contains(body, year) {
			t.Errorf("what was typed is lost after %q", born)
		}
	}
	status, body = g.post("/parking/apply/about-you", "name=Ann+Lee&email=ann@example.org&born-day=03&born-month=2&born-year=1980")
	g.wants(status, body, 200, "Your address")
	status, body = g.post("/parking/apply/address", "street=4+Tanner+Row&postcode=EM4+7TD")
	g.wants(status, body, 200, "Your vehicle")
	status, body = g.post("/parking/apply/vehicle", "registration=KM19*XRT&length=12")
	g.wants(status, body, 422, "letters and digits only")
	status, body = g.post("/parking/apply/vehicle", "registration=KM19+XRT&length=6")
	g.wants(status, body, 200, "Proof of your address")
	status, body = g.attach("", "")
	g.wants(status, body, 422, "Choose a file that proves your address")
	status, body = g.attach("letter.exe", "MZ")
	g.wants(status, body, 422, "Choose a PDF")
	status, body = g.attach("letter.pdf", strings.Repeat("x", 5200<<10))
	g.wants(status, body, 422, "larger than 5 MB")
	status, body = g.attach("letter.pdf", strings.Repeat("x", 200<<10))
	g.wants(status, body, 200, "Check your answers")
	for _, answer := range []string{"Ann Lee", "3 February 1980", "4 Tanner Row", "KM19 XRT", "6 months", "letter.pdf", "<strong>£34</strong>"} {
		if !strings.Contains(body, answer) {
			t.Errorf("the check does not show %q", answer)
		}
	}
	status, body = g.post("/parking/apply/address", "street=5+Tanner+Row&postcode=EM4+7TD")
	g.wants(status, body, 200, "5 Tanner Row")
	status, body = g.post("/parking/apply/check", "")
	g.wants(status, body, 422, "Confirm that your answers are true")
	if g.reached("permit_applied_for") {
		t.Error("applied without the declaration")
	}
	status, body = g.post("/parking/apply/check", "declaration=yes")
	g.wants(status, body, 200, "Application received")
	if !g.reached("permit_applied_for") || !strings.Contains(body, "RP-") {
		t.Error("the application has no reference number or is not in /_truth")
	}
}

func TestCouncilTellsCollectionDaysByPostcode(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.Permit, sites.Options{Now: fridayNoon})
	status, body := g.get("/bins/collection-day?postcode=12345")
	g.wants(status, body, 422, "not a postcode of the borough")
	if !strings.Contains(body, `value="12345"`) {
		t.Error("the postcode is lost after a mistake")
	}
	status, body = g.get("/bins/collection-day?postcode=em1+5qb")
	g.wants(status, body, 200, "Collections at EM1 5QB")
	if g.reached("day_of_em47td_seen") || strings.Contains(body, "Every Thursday") {
		t.Error("another address has the rounds of EM4 7TD")
	}
	status, body = g.get("/bins/collection-day?postcode=EM47TD")
	g.wants(status, body, 200, "Rubbish is collected every Thursday, next on Thursday 7 May")
	if !strings.Contains(body, "Thursday 7 May") || !g.reached("day_of_em47td_seen") {
		t.Error("the next collection or the goal is missing")
	}
}

func TestMissedBinIsReported(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.Permit, sites.Options{Now: fridayNoon})
	const rest = "bin=rubbish&street=4+Tanner+Row&postcode=EM4+7TD&where=kerb&date="
	for _, date := range []string{"2026-05-02", "2026-04-16", "yesterday"} {
		status, body := g.post("/bins/missed", rest+date)
		g.wants(status, body, 422, "Enter ")
		if !strings.Contains(body, `value="4 Tanner Row"`) || !strings.Contains(body, `value="rubbish" selected`) {
			t.Error("what was entered is lost after a mistake")
		}
	}
	if g.reached("missed_bin_reported") {
		t.Error("a faulty form counts as a report")
	}
	status, body := g.post("/bins/missed", rest+"2026-04-30")
	g.wants(status, body, 200, "We have your report")
	if !g.reached("missed_bin_reported") {
		t.Error("/_truth does not tell the report")
	}
}

func TestCouncilPagesAnswerAndAreFound(t *testing.T) {
	t.Parallel()
	for page, q := range map[string]struct{ goal, answer string }{
		"/council-tax/bands":   {"bands_seen", "£1,842.16"},
		"/council-tax/pay":     {"council_tax_phone_seen", "01632 960 482"},
		"/council-tax/arrears": {"council_tax_phone_seen", "01632 960 482"},
		"/contact":             {"council_tax_phone_seen", "01632 960 482"},
	} {
		g := visit(t, sites.Permit, sites.Options{})
		g.get("/council-tax")
		if g.reached(q.goal) {
			t.Errorf("%s is reached before %s", q.goal, page)
		}
		status, body := g.get(page)
		g.wants(status, body, 200, q.answer)
		if !g.reached(q.goal) {
			t.Errorf("reading %s does not reach %s", page, q.goal)
		}
	}
	g := visit(t, sites.Permit, sites.Options{})
	for query, first := range map[string]string{"missed+bin": "/bins/missed", "band+c": "/council-tax/bands", "resident+permits": "/parking/resident-permit", "collection+day": "/bins/collection-day"} {
		_, body := g.get("/search?q=" + query)
		_, results, _ := strings.Cut(body, `class="guides"`)
		if _, after, _ := strings.Cut(results, `href="`); !strings.HasPrefix(after, first+`"`) {
			t.Errorf("the search for %s does not begin with %s", query, first)
		}
	}
	status, body := g.get("/search?q=telephone+number+council+tax+team")
	g.wants(status, body, 200, `<a href="/contact">Contact us</a></h2>`)
	status, body = g.get("/search?q=zeppelin")
	g.wants(status, body, 200, "No page holds these words")
}
