package sites_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/test/sites"
)

func TestShopTakesAnOrder(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.Shop, sites.Options{})
	status, body := g.get("/search?q=mugs")
	g.wants(status, body, 200, "Tidepool Mug")
	status, body = g.post("/basket/add", "product=tidepool-mug&quantity=2")
	g.wants(status, body, 200, "£48.00")
	status, body = g.post("/checkout", "name=Ann+Lee&email=nonsense&delivery=standard")
	g.wants(status, body, 422, "name@example.com")
	if !strings.Contains(body, `value="Ann Lee"`) {
		t.Error("what was typed is lost after a mistake")
	}
	if g.reached("order_placed") {
		t.Error("a faulty form counts as an order")
	}
	status, body = g.post("/checkout", "name=Ann+Lee&email=ann@example.org&address=1+Quay+Street&city=Whitby&postcode=YO21+3PU&country=GB&delivery=standard&terms=yes")
	g.wants(status, body, 200, "Thank you for your order")
	if !g.reached("order_placed") || !g.reached("item_in_basket") || g.reached("vase_in_basket") {
		t.Error("/_truth does not tell the order as it was")
	}
	status, body = g.get("/basket")
	g.wants(status, body, 200, "nothing in it yet")
}

func TestShopKeepsVisitsApart(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.Shop, sites.Options{})
	g.post("/basket/add", "product=bracken-bud-vase&quantity=1")
	status, body := g.post("/basket/add", "product=drift-hanging-planter&quantity=1")
	g.wants(status, body, 400, "cannot be added")
	other := &guest{t, g.base, visit(t, sites.Shop, sites.Options{}).c}
	status, body = other.get("/basket")
	other.wants(status, body, 200, "nothing in it yet")
	if !g.reached("vase_in_basket") || other.reached("vase_in_basket") {
		t.Error("one visitor's vase is in another's basket")
	}
	status, body = g.post("/contact", "name=Ann&email=ann@example.org&topic=broken&message=It+is+in+two")
	g.wants(status, body, 200, "we have your message")
	g.get("/returns")
	if !g.reached("message_sent") || !g.reached("returns_read") {
		t.Error("the message or the reading of the returns page is not in /_truth")
	}
}

func TestSaaSSignsUpAndLogsIn(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.SaaS, sites.Options{})
	status, body := g.post("/signup", "email=ann@example.org&password=short&plan=harbour&terms=yes")
	g.wants(status, body, 422, "at least 8 characters")
	status, body = g.post("/signup", "email=Ann@example.org&password=longenough&plan=harbour&terms=yes")
	g.wants(status, body, 200, "Welcome aboard")
	if !g.reached("signed_up") || g.reached("logged_in") {
		t.Error("/_truth does not tell the sign-up as it was")
	}
	g.post("/logout", "")
	status, body = g.post("/login", "email=ann@example.org&password=wrong-one")
	g.wants(status, body, 422, "do not belong together")
	status, body = g.post("/login", "email=ann@example.org&password=longenough")
	g.wants(status, body, 200, "Logged in as ann@example.org")
	demo := visit(t, sites.SaaS, sites.Options{})
	status, body = demo.post("/login", "email=demo@tidewater.example&password=tideline-demo")
	demo.wants(status, body, 200, "Logged in as demo@tidewater.example")
	if !g.reached("logged_in") || !demo.reached("logged_in") {
		t.Error("/_truth misses a login")
	}
}

func TestDocsAreFoundAndRated(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.Docs, sites.Options{})
	status, body := g.get("/search?q=deleted+file")
	g.wants(status, body, 200, "Restore a deleted file")
	status, body = g.get("/search?q=zeppelin")
	g.wants(status, body, 200, "No page holds")
	status, body = g.get("/search-index.json")
	g.wants(status, body, 200, `"slug":"restore-files"`)
	g.get("/restore-files")
	status, body = g.post("/feedback", "helpful=yes")
	g.wants(status, body, 200, "Thank you for your feedback")
	if !g.reached("read_restore-files") || !g.reached("feedback_sent") || g.reached("read_schedule") {
		t.Error("/_truth does not tell what was read")
	}
}

func TestClinicBooksInFiveSteps(t *testing.T) {
	t.Parallel()
	friday := func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
	g := visit(t, sites.Clinic, sites.Options{Now: friday})
	status, body := g.get("/book/details")
	g.wants(status, body, 200, "What do you need?")
	status, body = g.post("/book/service", "")
	g.wants(status, body, 422, "Choose a service")
	status, body = g.post("/book/service", "service=physio")
	g.wants(status, body, 200, "Hannah Marsh")
	if strings.Contains(body, "Bianchi") {
		t.Error("a dentist is offered for physiotherapy")
	}
	status, body = g.post("/book/clinician", "clinician=marsh&visit=first")
	g.wants(status, body, 200, "Saturday 2 May")
	for date, complaint := range map[string]string{"2026-05-03": "closed on Sundays", "2026-04-30": "from 2 May", "2026-09-01": "next 60 days", "soon": "day, month and year"} {
		status, body = g.post("/book/time", "time=09:00&date="+date)
		g.wants(status, body, 422, complaint)
	}
	status, body = g.post("/book/time", "date=2026-05-05&time=10:20")
	g.wants(status, body, 200, "Who is the appointment for?")
	status, body = g.post("/book/details", "name=Ann+Lee&born=1980-02-03&phone=01632+960001&email=ann@example.org&consent=yes")
	g.wants(status, body, 200, "Tuesday 5 May 2026 at 10:20")
	if g.reached("physiotherapy_booked") {
		t.Error("booked before it was confirmed")
	}
	status, body = g.post("/book/review", "")
	g.wants(status, body, 200, "Your appointment is booked")
	if !g.reached("physiotherapy_booked") {
		t.Error("/_truth does not tell the appointment")
	}
	status, body = g.post("/book/cancel", "")
	g.wants(status, body, 200, "Your appointment is cancelled")
}

var control = regexp.MustCompile(`<(?:input|select|textarea)[^>]*>`)

func TestEveryControlHasALabel(t *testing.T) {
	t.Parallel()
	for site, page := range map[string]string{sites.Shop: "/contact", sites.SaaS: "/signup", sites.Docs: "/", sites.Clinic: "/book/service", sites.Bank: "/login", sites.News: "/letters/write", sites.Permit: "/bins/missed", sites.App: "/you/details"} {
		g := visit(t, site, sites.Options{})
		_, body := g.get(page)
		for _, c := range control.FindAllString(body, -1) {
			if strings.Contains(c, `type="hidden"`) {
				continue
			}
			id := regexp.MustCompile(` id="([^"]*)"`).FindStringSubmatch(c)
			wrapped := strings.Contains(c, `type="radio"`) && strings.Contains(body, `<label class="choice">`+c)
			if !wrapped && (id == nil || !strings.Contains(body, `for="`+id[1]+`"`) && !strings.Contains(body, "<label>"+c)) {
				t.Errorf("%s%s: no label for %s", site, page, c)
			}
		}
	}
}
