package sites_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"understudy/test/sites"
)

func mayDay() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// bankCustomer is a guest who has logged in.
func bankCustomer(t *testing.T) *guest {
	t.Helper()
	g := visit(t, sites.Bank, sites.Options{Now: mayDay})
	status, body := g.post("/login", "email=demo@harrowpike.example&password=heron-quay-7")
	g.wants(status, body, 200, "Good to see you, Rowan")
	return g
}

func TestBankLetsNobodyInWithoutThePassword(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.Bank, sites.Options{Now: mayDay})
	for _, path := range []string{"/overview", "/accounts/saver/details", "/transfer/confirm", "/cards/debit", "/messages"} {
		status, body := g.get(path)
		g.wants(status, body, 200, "Log in to online banking")
	}
	status, body := g.post("/login", "email=demo@harrowpike.example&password=guess")
	g.wants(status, body, 422, "do not belong together")
	if !strings.Contains(body, `value="demo@harrowpike.example"`) || strings.Contains(body, "guess") {
		t.Error("the address is lost or the password shown after a mistake")
	}
	in := bankCustomer(t)
	in.post("/logout", "")
	status, body = in.get("/overview")
	in.wants(status, body, 200, "Log in to online banking")
	if in.reached("rate_seen") || !in.reached("logged_in") {
		t.Error("/_truth does not tell the login as it was")
	}
}

func TestBankTransfersMoneyInThreeSteps(t *testing.T) {
	t.Parallel()
	g := bankCustomer(t)
	status, body := g.get("/transfer/confirm")
	g.wants(status, body, 200, "Who would you like to pay?")
	status, body = g.post("/transfer", "")
	g.wants(status, body, 422, "Choose who you would like to pay")
	status, body = g.post("/transfer", "to=calder")
	g.wants(status, body, 200, "How much, and when?")
	for fields, complaint := range map[string]string{
		"amount=fifty&date=2026-05-01":   "such as 25 or 25.50",
		"amount=20000&date=2026-05-01":   "up to £10,000.00",
		"amount=5000&date=2026-05-01":    "£2,596.27 are available",
		"amount=50&date=2026-04-30":      "today or a later date",
		"amount=50&date=2026-12-24":      "next 90 days",
		"amount=50&date=the+first+of+it": "day, month and year",
	} {
		status, body = g.post("/transfer/amount", "from=current&reference=For+the+tent&"+fields)
		g.wants(status, body, 422, complaint)
		if !strings.Contains(body, `value="For the tent"`) {
			t.Error("what was typed is lost after a mistake")
		}
	}
	status, body = g.post("/transfer/amount", "from=current&amount=%C2%A350&date=2026-05-01&reference=For+the+tent")
	g.wants(status, body, 200, "£1,796.27 left afterwards")
	if g.reached("paid_ines_50") {
		t.Error("paid before it was confirmed")
	}
	status, body = g.post("/transfer/confirm", "")
	g.wants(status, body, 200, "£50.00 is on its way to Ines Calder")
	if !g.reached("paid_ines_50") {
		t.Error("/_truth does not tell the payment")
	}
	status, body = g.get("/accounts/current")
	g.wants(status, body, 200, "−£50.00")
	g.wants(status, body, 200, "£1,796.27")
	g.post("/transfer/confirm", "")
	if _, body = g.get("/overview"); !strings.Contains(body, "£1,796.27") {
		t.Error("confirming twice pays twice")
	}
}

func TestBankPaysSomebodyNewOnAnotherDay(t *testing.T) {
	t.Parallel()
	g := bankCustomer(t)
	status, body := g.post("/transfer/new", "name=Jo+Hart&sort=12&number=12345678")
	g.wants(status, body, 422, "sort code of six digits")
	g.wants(status, body, 422, `value="Jo Hart"`)
	status, body = g.post("/transfer/new", "name=Jo+Hart&sort=12+34+56&number=12345678")
	g.wants(status, body, 200, "<strong>Jo Hart</strong>")
	g.post("/transfer/amount", "from=saver&amount=1,250.5&date=2026-05-04")
	status, body = g.post("/transfer/confirm", "")
	g.wants(status, body, 200, "We send it on Monday 4 May 2026")
	status, body = g.get("/overview")
	g.wants(status, body, 200, "£6,230.18")
	if g.reached("paid_ines_50") || !g.reached("payment_sent") {
		t.Error("/_truth takes Jo for Ines")
	}
}

func TestBankAnswersQuestionsAboutTheAccounts(t *testing.T) {
	t.Parallel()
	g := bankCustomer(t)
	status, body := g.get("/accounts/saver")
	g.wants(status, body, 200, "Interest")
	if g.reached("rate_seen") || strings.Contains(body, "4.15%") {
		t.Error("the rate stands among the transactions")
	}
	status, body = g.get("/accounts/saver/details")
	g.wants(status, body, 200, "4.15% AER")
	if _, body = g.get("/accounts/current"); strings.Contains(body, "Penhale") || g.reached("garage_seen") {
		t.Error("the garage stands on the first page")
	}
	status, body = g.get("/accounts/current?q=garage")
	g.wants(status, body, 200, "−£184.60")
	status, body = g.get("/accounts/current?group=Leisure")
	g.wants(status, body, 200, "Millrace Cinema")
	status, body = g.get("/accounts/current?q=zeppelin")
	g.wants(status, body, 200, "Nothing matches")
	if !g.reached("rate_seen") || !g.reached("garage_seen") {
		t.Error("/_truth does not tell what was seen")
	}
}

func TestBankSendsStatementsAsFiles(t *testing.T) {
	t.Parallel()
	g := bankCustomer(t)
	status, body := g.get("/accounts/current/statements")
	g.wants(status, body, 200, "/accounts/current/statements/2026-04")
	a := send(t, g.c, http.MethodGet, g.base+"/accounts/current/statements/2026-04", nil)
	if d := a.header.Get("Content-Disposition"); d != `attachment; filename="statement-current-2026-04.csv"` {
		t.Errorf("sent as %q", d)
	}
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	if err != nil || len(rows) < 10 || strings.Join(rows[1], " ") != "2026-04-30 Tollgate Bakery -6.85" {
		t.Errorf("%v in %v", err, rows)
	}
	if status, _ = g.get("/accounts/current/statements/1999-01"); status != 404 || !g.reached("statement_downloaded") {
		t.Errorf("a month without a statement answers %d", status)
	}
}

func TestBankFreezesTheCardThatWasMeant(t *testing.T) {
	t.Parallel()
	g := bankCustomer(t)
	status, body := g.post("/cards/credit/freeze", "frozen=yes")
	g.wants(status, body, 200, "Your credit card is frozen")
	if g.reached("debit_card_frozen") {
		t.Error("the wrong card counts")
	}
	status, body = g.post("/cards/debit/freeze", "frozen=yes")
	g.wants(status, body, 200, "Your debit card is frozen")
	if !g.reached("debit_card_frozen") {
		t.Error("/_truth does not tell the frozen card")
	}
	status, body = g.post("/cards/debit/freeze", "frozen=no")
	g.wants(status, body, 200, "can be used again")
	status, body = g.post("/cards/debit", "abroad=yes&limit=100")
	g.wants(status, body, 200, "The settings are saved")
	g.wants(status, body, 200, `name="abroad" value="yes" checked`)
	if strings.Contains(body, `name="online" value="yes" checked`) {
		t.Error("an unticked setting is still on")
	}
}

func TestBankKeepsStandingOrdersAndMessages(t *testing.T) {
	t.Parallel()
	g := bankCustomer(t)
	status, body := g.post("/standing-orders/new", "to=choir&amount=5&every=week&first=2026-05-01")
	g.wants(status, body, 422, "from tomorrow on")
	g.wants(status, body, 422, `value="5"`)
	status, body = g.post("/standing-orders/new", "to=dental&amount=5&every=week&first=2026-05-08")
	g.wants(status, body, 200, "Every week, next on 8 May")
	status, body = g.post("/standing-orders/cancel", "order=new-1")
	g.wants(status, body, 200, "is cancelled")
	if strings.Contains(body, "Marlow Dental") {
		t.Error("the cancelled order is still there")
	}
	status, body = g.get("/messages/3")
	g.wants(status, body, 200, "Your new statement is ready")
	if strings.Contains(body, "unread") {
		t.Error("a message that was read is still unread")
	}
	status, body = g.post("/messages/new", "topic=mortgage&message=")
	g.wants(status, body, 422, "Write your message")
	status, body = g.post("/messages/new", "topic=mortgage&message=What+could+we+borrow%3F")
	g.wants(status, body, 200, "We have your message")
	if !g.reached("message_sent") {
		t.Error("/_truth does not tell the message")
	}
}

func TestEveryLinkOfACustomerLeadsToAPage(t *testing.T) {
	t.Parallel()
	g := bankCustomer(t)
	broken, seen := crawlAs(t, g.c, g.base, "/overview")
	if len(broken) > 0 || seen < 45 {
		t.Errorf("%d addresses seen; broken: %v", seen, broken)
	}
}
