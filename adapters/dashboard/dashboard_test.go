package dashboard_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/alexedwards/scs/v2/memstore"

	"understudy/adapters/dashboard"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/projections"
	"understudy/projections/accounts"
	"understudy/projections/tests"
)

// errAway stands for a dependency that is down.
var errAway = errors.New("away")

// door lets ada in who has the right password.
type door struct {
	dashboard.Door
	dashboard.Accounts
	dashboard.Team
	dashboard.Organizations
	ended  map[string]bool
	broken error  // what the tests are answered with
	slow   func() // before the tests are answered
}

const password = "right & <b>proper</b>"

func (*door) SignIn(_ context.Context, v service.Visit, email, given string) (service.Entry, error) {
	if given != password || v.Bucket != "bucket" {
		return service.Entry{}, domain.Refuse(domain.CodeForbidden, "the address or the password is wrong")
	}
	return service.Entry{UserID: email, SessionID: "ssn_1"}, nil
}

func (*door) SignUp(_ context.Context, _ service.Visit, in service.NewPerson) error {
	if in.Name == "" {
		return domain.Invalid("name", "length", "a name is missing")
	}
	return nil
}

func (d *door) SignedIn(_ context.Context, id string) (service.Principal, error) {
	if d.ended[id] {
		return service.Principal{}, service.ErrUnauthenticated
	}
	return service.Principal{KeyID: id, UserID: "usr_1", OrganizationID: "org_1", Role: access.Owner, SignedIn: true}, nil
}

func (d *door) SignOut(_ context.Context, _ service.Visit, who service.Principal) error {
	d.ended[who.KeyID] = true
	return nil
}

func (*door) Homes(context.Context, service.Principal) ([]service.Home, error) {
	return []service.Home{{OrganizationID: "org_1", Name: "Acme <script>", Role: access.Owner, Current: true}}, nil
}

func (*door) OpenTests(context.Context, service.Principal) (tests.Open, error) {
	return tests.Open{}, nil
}

func (*door) TestScores(context.Context, service.Principal, []string, []string) ([]tests.Score, error) {
	return nil, nil
}

func (d *door) Tests(context.Context, service.Principal, service.Query) (service.Page[tests.Document], error) {
	if d.slow != nil {
		d.slow()
	}
	return service.Page[tests.Document]{}, d.broken
}

func (*door) Organization(context.Context, service.Principal) (projections.Document[accounts.Document], error) {
	return projections.Made("org_1", accounts.Document{ID: "org_1", Name: "Acme <script>", Plan: account.Team}, 0)
}

func (*door) Members(context.Context, service.Principal, service.Query) (service.Page[service.MemberDocument], error) {
	return service.Page[service.MemberDocument]{}, nil
}

// visitor is a browser at the pages.
type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
	header http.Header
}

// meaning stands in for the API's table.
func meaning(code domain.Code) (status int, title string) {
	status, known := map[domain.Code]int{
		domain.CodeNotFound: http.StatusNotFound, domain.CodeForbidden: http.StatusForbidden,
		domain.CodeValidationFailed: http.StatusUnprocessableEntity, domain.CodeUnavailable: http.StatusServiceUnavailable,
	}[code]
	if !known {
		status = http.StatusInternalServerError
	}
	return status, http.StatusText(status)
}

func newVisitor(t *testing.T) (*visitor, *door) {
	t.Helper()
	d := &door{ended: map[string]bool{}}
	mux := http.NewServeMux()
	dashboard.New(dashboard.Deps{
		Door: d, Accounts: d, Team: d, Tests: d, Organizations: d, Store: memstore.New(), Styles: fstest.MapFS{"look.css": {Data: []byte("body{}")}}, Logger: slog.New(slog.DiscardHandler),
		Visitor:     func(*http.Request) (string, string) { return "192.0.2.7", "bucket" },
		Meaning:     meaning,
		Unavailable: func(err error) bool { return errors.Is(err, errAway) },
	}).Register(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, base: server.URL, client: &http.Client{Jar: jar}, header: http.Header{}}, d
}

// answer is what a request was answered with, in the end.
type answer struct {
	URL        *url.URL
	StatusCode int
	Header     http.Header
}

// do sends a request and reads the page that it leads to.
func (v *visitor) do(method, path string, form url.Values) (answer, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header = v.header.Clone()
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer{res.Request.URL, res.StatusCode, res.Header}, string(page)
}

// token is what the cookie holds.
func (v *visitor) token() string {
	u, err := url.Parse(v.base)
	if err != nil {
		v.t.Fatal(err)
	}
	for _, c := range v.client.Jar.Cookies(u) {
		if c.Name == "understudy" {
			return c.Value
		}
	}
	return ""
}

// TestAPartThatCannotBeMadeSaysSo: in words alone, without a page around them.
func TestAPartThatCannotBeMadeSaysSo(t *testing.T) {
	t.Parallel()
	v, d := newVisitor(t)
	v.do(http.MethodPost, "/sign-in", url.Values{"email": {"ada@example.com"}, "password": {password}})
	d.broken = errors.New("the database is damaged")
	res, page := v.do(http.MethodGet, "/tests", nil)
	if res.StatusCode != http.StatusInternalServerError || !strings.Contains(page, "Try again in a moment.") || !strings.Contains(page, "<html") || strings.Contains(page, "database") {
		t.Errorf("the page is answered %d:\n%s", res.StatusCode, page)
	}
	v.header.Set("HX-Request", "true")
	res, page = v.do(http.MethodGet, "/tests", nil)
	if res.StatusCode != http.StatusInternalServerError || page != `<span class="fault">Something went wrong on our side. Try again in a moment.</span>` {
		t.Errorf("a part is answered %d:\n%s", res.StatusCode, page)
	}
	d.broken = errAway
	res, page = v.do(http.MethodGet, "/tests", nil)
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" || page != `<span class="fault">A part of the service is down. Try again in a moment.</span>` {
		t.Errorf("a part is answered %d while something is away:\n%s", res.StatusCode, page)
	}
}

// TestLookingTakesNothingBack: a page that is being answered while something is chosen does
// not write what the browser's session held before.
func TestLookingTakesNothingBack(t *testing.T) {
	t.Parallel()
	v, d := newVisitor(t)
	v.do(http.MethodPost, "/sign-in", url.Values{"email": {"ada@example.com"}, "password": {password}})
	v.do(http.MethodGet, "/tests", nil) // what the session has to say is said
	d.slow = func() {
		d.slow = nil
		v.do(http.MethodPost, "/environment", url.Values{"environment": {string(domain.Sandbox)}})
	}
	v.do(http.MethodGet, "/tests", nil)
	if _, page := v.do(http.MethodGet, "/tests", nil); !strings.Contains(page, "Sandbox: go to live") {
		t.Errorf("what was chosen is lost:\n%s", page)
	}
}

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	v, d := newVisitor(t)
	res, page := v.do(http.MethodGet, "/account?x=1", nil)
	if res.URL.Path != "/sign-in" || !strings.Contains(page, `name="next" value="/account?x=1"`) {
		t.Errorf("who is not signed in sees %s:\n%s", res.URL, page)
	}
	csp := res.Header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "eval") || strings.Contains(csp, "unsafe-inline") || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page comes with %v", res.Header)
	}
	form := url.Values{"email": {"ada@example.com"}, "password": {"wrong " + password}, "next": {"//evil.example/"}}
	res, page = v.do(http.MethodPost, "/sign-in", form)
	if res.StatusCode != http.StatusForbidden || !strings.Contains(page, "The address or the password is wrong.") || !strings.Contains(page, "ada@example.com") || strings.Contains(page, "proper") {
		t.Errorf("a wrong password is answered %d:\n%s", res.StatusCode, page)
	}
	planted := v.token()
	form.Set("password", password)
	res, page = v.do(http.MethodPost, "/sign-in", form)
	if res.URL.Path != "/tests" || res.URL.Host != strings.TrimPrefix(v.base, "http://") || !strings.Contains(page, "There is no test yet.") {
		t.Errorf("signed in one sees %s:\n%s", res.URL, page)
	}
	if _, page = v.do(http.MethodGet, "/organization", nil); !strings.Contains(page, "Acme &lt;script&gt;") || !strings.Contains(page, "You are Owner here") {
		t.Errorf("the organization is\n%s", page)
	}
	if v.token() == "" || v.token() == planted {
		t.Error("the token is the one of before")
	}
	_, page = v.do(http.MethodPost, "/sign-out", nil)
	if !d.ended["ssn_1"] || !strings.Contains(page, "You are signed out.") {
		t.Errorf("signing out shows\n%s", page)
	}
	if res, _ = v.do(http.MethodGet, "/", nil); res.URL.Path != "/" {
		t.Errorf("after that one sees %s", res.URL)
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	v, _ := newVisitor(t)
	form := url.Values{"email": {"ada@example.com"}, "password": {password}}
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		v.header = http.Header{name: {value}}
		if res, _ := v.do(http.MethodPost, "/sign-in", form); res.StatusCode != http.StatusForbidden || v.token() != "" {
			t.Errorf("with %s: %s it is answered %d", name, value, res.StatusCode)
		}
	}
}

func TestAFormSaysWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	v, _ := newVisitor(t)
	res, page := v.do(http.MethodPost, "/sign-up", url.Values{"email": {"ada@example.com"}, "password": {password}})
	if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page, `aria-invalid="true" aria-describedby="name-fault"`) || !strings.Contains(page, "A name is missing.") || !strings.Contains(page, "<title>Error: ") {
		t.Errorf("%d:\n%s", res.StatusCode, page)
	}
	_, page = v.do(http.MethodPost, "/sign-up", url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {password}})
	if !strings.Contains(page, "We have sent a link to ada@example.com") {
		t.Errorf("it shows\n%s", page)
	}
	if res, _ := v.do(http.MethodPost, "/sign-up", url.Values{"name": {strings.Repeat("x", 1<<20)}}); res.StatusCode != http.StatusForbidden {
		t.Errorf("a huge form is answered %d", res.StatusCode)
	}
}

func TestEveryPageHasAnIcon(t *testing.T) {
	t.Parallel()
	v, _ := newVisitor(t)
	if res, body := v.do(http.MethodGet, "/favicon.ico", nil); res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(body, "<svg") {
		t.Errorf("/favicon.ico is answered %d %s:\n%s", res.StatusCode, res.Header.Get("Content-Type"), body)
	}
}
