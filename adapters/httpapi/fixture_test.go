package httpapi_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/uuid"
	"golang.org/x/net/html"

	"understudy/adapters/httpapi"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/persona"
	"understudy/domain/session"
	"understudy/domain/testrun"
	"understudy/projections/comparisons"
	"understudy/projections/deliveries"
	"understudy/projections/personas"
	"understudy/projections/reports"
	"understudy/projections/sessions"
	"understudy/projections/tests"
	"understudy/projections/webhooks"
)

const (
	base = "http://understudy.test/v1"
	app  = "http://app.test"
)

// noon is the time of every service here until a test moves it.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// errDown is what the ports say while their store is down.
var errDown = errors.New("connection refused")

// signingKeys are those of a service; the first one signs.
type signingKeys [][]byte

// served is an API over ports in memory, with the document that it serves.
type served struct {
	t       testing.TB
	handler http.Handler
	links   *httpapi.Links
	signing *signingKeys
	router  routers.Router
	log     *safeBuffer
	// lookUps counts keys that had to be looked up.
	lookUps atomic.Int64

	mu        sync.Mutex
	now       time.Time
	keys      map[string]service.Principal
	tests     *documents[tests.Document]
	sessions  *documents[sessions.Document]
	traces    *documents[sessions.Trace]
	records   *documents[sessions.Recording]
	shots     *documents[sessions.Screenshot]
	found     map[string]*session.Findings
	reports   *documents[reports.Document]
	compared  *documents[comparisons.Document]
	webhooks  *documents[webhooks.Document]
	deliver   *documents[deliveries.Document]
	personas  *documents[personas.Document]
	made      *documents[service.KeyDocument]
	clients   *documents[service.ClientDocument]
	grants    *documents[service.GrantDocument]
	histories *histories
	requests  *requests
	artifacts map[string]service.Artifact
	commands  *commands
	changes   *organizations
	ledger    *ledger
	changed   []service.WebhookChange // of endpoints
	replayed  []service.NewReplay
	stream    *stream
	notReady  []httpapi.NotReady
	starting  bool
	folk      *folk
}

func newService(t testing.TB) *served { return newServiceWith(t, &press{}) }

// newServiceWith has a printer of the test's choice, nil for none.
func newServiceWith(t testing.TB, printer httpapi.Printer) *served {
	t.Helper()
	signing := &signingKeys{bytes.Repeat([]byte{7}, 32)}
	signer, err := httpapi.NewSigner(func() [][]byte { return *signing })
	if err != nil {
		t.Fatal(err)
	}
	links, err := httpapi.NewLinks(base, app, signer)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{
		t: t, links: links, signing: signing, log: &safeBuffer{}, now: noon,
		keys: map[string]service.Principal{
			"all":     {KeyID: "key_all", OrganizationID: "org_a", Environment: domain.Live, Scopes: []string{"admin"}, Role: access.Owner, Actor: "key_all", RateLimit: 1000},
			"sandbox": {KeyID: "key_sandbox", OrganizationID: "org_a", Environment: domain.Sandbox, Scopes: []string{"admin"}, Role: access.Owner, Actor: "key_sandbox", RateLimit: 1000},
			"other":   {KeyID: "key_other", OrganizationID: "org_b", Environment: domain.Live, Scopes: []string{"admin"}, Role: access.Owner, Actor: "key_other", RateLimit: 1000},
			"read":    {KeyID: "key_read", OrganizationID: "org_a", Environment: domain.Live, Scopes: []string{"tests:read"}, Role: access.Owner, Actor: "key_read", RateLimit: 60},
			"slow":    {KeyID: "key_slow", OrganizationID: "org_a", Environment: domain.Live, Scopes: []string{"tests:read"}, Role: access.Owner, Actor: "key_slow", RateLimit: 2, Plan: account.Free},
			"admin":   {KeyID: "key_admin", OrganizationID: "org_a", Environment: domain.Live, Scopes: []string{"admin"}, Role: access.Admin, Actor: "key_admin", RateLimit: 1000},
		},
		tests: &documents[tests.Document]{}, sessions: &documents[sessions.Document]{}, traces: &documents[sessions.Trace]{}, records: &documents[sessions.Recording]{}, shots: &documents[sessions.Screenshot]{},
		reports: &documents[reports.Document]{}, compared: &documents[comparisons.Document]{}, webhooks: &documents[webhooks.Document]{}, deliver: &documents[deliveries.Document]{}, personas: &documents[personas.Document]{}, requests: &requests{}, histories: &histories{},
		artifacts: map[string]service.Artifact{},
		changes:   &organizations{},
		ledger:    &ledger{},
		stream:    &stream{},
		made:      &documents[service.KeyDocument]{},
		folk:      &folk{},
		clients:   &documents[service.ClientDocument]{},
		grants:    &documents[service.GrantDocument]{},
	}
	s.commands = &commands{on: s}
	aead := newSealer(t)
	s.handler, err = httpapi.New(httpapi.Deps{
		Unavailable: func(err error) bool { return errors.Is(err, errDown) || errors.Is(err, context.DeadlineExceeded) },
		Links:       links, Logger: slog.New(slog.NewJSONHandler(s.log, nil)), Now: s.time,
		Auth: s, Rates: &rates{used: map[string]int{}}, Limits: s.ledger, Plans: account.Specified(), Requests: s.requests, Sealer: aead,
		Commands: struct {
			*commands
			webhookCommands
			personaCommands
			keyCommands
			oauthCommands
			*organizations
		}{s.commands, webhookCommands{s}, personaCommands{s}, keyCommands{s}, oauthCommands{s}, s.changes},
		Reads: reads{s}, Audit: sealed{}, Histories: s.histories, Models: s, People: s.folk, Artifacts: s, Stream: s.stream, Readiness: s, Printer: printer,
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "up 1") }),
		Pages:   elsewhere(), Visitors: everybody,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.router = loadRouter(t)
	return s
}

// elsewhere are pages of another front door, which say by what the request is named.
func elsewhere() *http.ServeMux {
	mux := http.NewServeMux()
	for _, pattern := range []string{"GET /sign-in", "POST /oauth/token", "GET /assets/style.css"} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", "its own")
			fmt.Fprint(w, "elsewhere ", r.Header.Get("X-Request-Id"))
		})
	}
	return mux
}

var routerOnce = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	doc.Servers = openapi3.Servers{{URL: base}}
	return gorillamux.NewRouter(doc)
})

func loadRouter(t testing.TB) routers.Router {
	t.Helper()
	r, err := routerOnce()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (s *served) time() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *served) travel(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *served) Knows(token string) bool {
	_, known := s.keys[token]
	return known
}

func (s *served) Authenticate(_ context.Context, token string) (service.Principal, error) {
	if !s.Knows(token) {
		s.lookUps.Add(1)
	}
	if token == "broken" {
		return service.Principal{}, fmt.Errorf("key look-up: %w", domain.Refuse(domain.CodeUnavailable, "the keys cannot be read"))
	}
	p, ok := s.keys[token]
	if !ok {
		return p, fmt.Errorf("look up: %w", service.ErrUnauthenticated)
	}
	return p, nil
}

func (s *served) PersonaPacks() []service.Pack {
	return []service.Pack{
		{ID: "pack_general", Name: "General consumers", Description: "Everybody.", Personas: []persona.Sheet{}},
		{ID: "pack_mobile", Slug: "mobile-first", Name: "Mobile first", Description: "On the go.", Personas: []persona.Sheet{}},
		{ID: "pack_dev", Name: "Developers", Description: "At the desk.", Personas: []persona.Sheet{}},
	}
}

func (s *served) Models() []service.Model {
	return []service.Model{{Name: "forager-2", Provider: "embedded"}}
}

func (s *served) OpenArtifact(_ context.Context, id string) (service.Artifact, error) {
	a, ok := s.artifacts[id]
	if !ok {
		return a, domain.Refuse(domain.CodeNotFound, "there is no such artifact")
	}
	return a, nil
}

func (s *served) Starting() bool { return s.starting }

func (s *served) Ready(context.Context) []httpapi.NotReady { return s.notReady }

func (s *served) Followers(context.Context) (httpapi.Followers, error) {
	return httpapi.Followers{LogPosition: 12, ReadModels: []httpapi.Follower{{Name: "tests", Position: 9, LagEvents: 3, LagSeconds: 1.5}}}, nil
}

// got is an answer.
type got struct {
	*http.Response
	body []byte
}

// send sends a request to base and checks that the answer, whatever it is, is
// one that the document tells.
func (s *served) send(method, path, key, body string, header ...string) got {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, base+path, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.1:1234"
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i+1] == "" {
			r.Header.Del(header[i])
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	return s.serve(r)
}

func (s *served) serve(r *http.Request) got {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	g := got{Response: w.Result()}
	g.body = w.Body.Bytes()
	s.conforms(r, g)
	s.isStrict(g)
	return g
}

// isStrict checks that a page looks and acts by files of the service alone; one that is
// itself a file has its style in it.
func (s *served) isStrict(g got) {
	s.t.Helper()
	if !strings.HasPrefix(g.Header.Get("Content-Type"), "text/html") {
		return
	}
	csp, file := g.Header.Get("Content-Security-Policy"), g.Header.Get("Content-Disposition") != ""
	if !strings.HasPrefix(csp, "default-src 'none'; style-src 'self'; ") && !file || strings.Contains(csp, "unsafe") {
		s.t.Errorf("CSP %q", csp)
	}
	eachTag(g.body, func(tag html.Token) {
		if tag.Data == "style" && !file || attribute(tag, "style") != "" || tag.Data == "script" && attribute(tag, "src") == "" {
			s.t.Errorf("%s within the page", tag)
		}
	})
}

// conforms checks what every answer under /v1 has, and its body and headers
// against the document.
func (s *served) conforms(r *http.Request, g got) {
	s.t.Helper()
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		return
	}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if _, err := strconv.Atoi(g.Header.Get(name)); err != nil {
			s.t.Errorf("%s %s → %d: header %s is %q", r.Method, r.URL.Path, g.StatusCode, name, g.Header.Get(name))
		}
	}
	if g.Header.Get("X-Request-Id") == "" {
		s.t.Errorf("%s %s: no X-Request-Id", r.Method, r.URL.Path)
	}
	if g.StatusCode >= 400 {
		s.isProblem(g)
	}
	route, params, err := s.router.FindRoute(r)
	if err != nil {
		return // the router's own 404 and 405, and HEAD
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 g.StatusCode, Header: g.Header, Body: io.NopCloser(bytes.NewReader(g.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: strings.Contains(r.URL.Path, "/artifacts/") && g.StatusCode < 400},
	})
	if err != nil {
		s.t.Errorf("%s %s → %d does not conform: %v\n%s", r.Method, r.URL.Path, g.StatusCode, err, g.body)
	}
}

// problem is a problem document as a client reads it.
type problem struct {
	Type, Title, Detail, Instance, Code string
	Status                              int
	RequestID                           string `json:"request_id"`
	Errors                              []struct{ Pointer, Parameter, Code, Message string }
}

func (s *served) isProblem(g got) problem {
	s.t.Helper()
	var p problem
	if ct := g.Header.Get("Content-Type"); ct != "application/problem+json" {
		s.t.Errorf("status %d has Content-Type %q", g.StatusCode, ct)
	}
	if err := json.Unmarshal(g.body, &p); err != nil {
		s.t.Errorf("status %d: not a problem: %v: %q", g.StatusCode, err, g.body)
		return p
	}
	if p.Status != g.StatusCode || p.Type != "urn:understudy:problem:"+p.Code || p.Title == "" || p.Detail == "" || p.RequestID != g.Header.Get("X-Request-Id") {
		s.t.Errorf("incomplete problem: %s", g.body)
	}
	return p
}

// wants checks status and, from 400 on, the code.
func (g got) wants(t testing.TB, status int, code string) got {
	t.Helper()
	var p problem
	if status >= 400 {
		if err := json.Unmarshal(g.body, &p); err != nil {
			t.Fatalf("status %d: %v: %s", g.StatusCode, err, g.body)
		}
	}
	if g.StatusCode != status || p.Code != code {
		t.Fatalf("got %d %s, want %d %s: %s", g.StatusCode, p.Code, status, code, g.body)
	}
	return g
}

func (g got) object(t testing.TB) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(g.body, &o); err != nil {
		t.Fatalf("%v: %s", err, g.body)
	}
	return o
}

type sealer struct{ cipher.AEAD }

func newSealer(t testing.TB) sealer {
	t.Helper()
	block, err := aes.NewCipher(bytes.Repeat([]byte{3}, 32))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return sealer{aead}
}

func (s sealer) Seal(plain, associated []byte) ([]byte, error) {
	nonce := make([]byte, s.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return s.AEAD.Seal(nonce, nonce, plain, associated), nil
}

func (s sealer) Open(sealed, associated []byte) ([]byte, error) {
	return s.AEAD.Open(nil, sealed[:s.NonceSize()], sealed[s.NonceSize():], associated)
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newID(prefix string) string { return domain.FormatID(prefix, uuid.Must(uuid.NewV7())) }

// testJSON is a test as the read model has it once it was created.
func testJSON(id string, in service.NewTest) string {
	row := tests.Fold(tests.Row{}, domain.Recorded{Event: testrun.Created{
		TestID: id, Environment: domain.Live, URL: in.URL, Task: in.Task, Sessions: in.Sessions, Model: in.Model, Personas: in.Personas,
		Criteria: in.Criteria, Viewports: in.Viewports, Seed: 4711, MaxSteps: 25,
		CreatedAt: domain.At(noon), EstimatedCompletion: domain.At(noon.Add(time.Minute)),
	}})
	raw, err := json.Marshal(row.Doc)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// aTest asks for a test with the key that may do everything.
func (s *served) aTest() string {
	s.t.Helper()
	g := s.send("POST", "/tests", "all", `{"url":"https://example.com/","task":"Find the prices"}`).wants(s.t, 201, "")
	id, _ := g.object(s.t)["id"].(string)
	return id
}

func reportJSON(id, testID string) string {
	return `{"id":"` + id + `","test_id":"` + testID + `","created_at":"2026-11-21T12:00:00.000Z",
"aggregate_scores":{"overall":0.825,"task_completion":0.9},"intervals":{"task_completion":{"low":0.7,"high":0.97}},
"sessions":{"total":10,"completed":10,"succeeded":9,"failed":0},
"highlights":[{"session_id":"ses_1","step":2,"quote":"Where <b>is</b> it?","tone":"negative","moment":"worst","why":"gave up","screenshot_id":"art_01kaj8h2v4e6tvn2f3m9q0w7xz"}],
"issues":[{"id":"iss_1","rank":1,"kind":"dead_click","title":"A dead button","description":"Nothing happens.","severity":3,
"severity_label":"major","frequency":{"affected":4,"total":10,"low":0.17,"high":0.69},"criteria":["trust"],"page_url":"https://example.com/",
"element":{"role":"button","name":"Buy","selector":"main button","box":{"x":1,"y":2,"w":3,"h":4}},
"evidence":[{"session_id":"ses_1","step":3,"quote":"Hm.","screenshot_id":"art_01kaj8h2v4e6tvn2f3m9q0w7xz"}],
"suggestion":"Make it do something.","standard":""}],
"criteria_without_evidence":["trust"],"formulas":{},"formulas_version":1,"distributions":{},"facets":[],
"funnel":{"basis":"successful_way","sessions":9,"pages":[],"ended_elsewhere":0},"paths":{"distinct":0,"common":[]},
"time":{"unit":"simulated_seconds","all":null,"succeeded":null,"not_succeeded":null},"lostness":{"fewest_pages":null,"l":null,"fine":0,"lost":0},
"issues_left_out":0,"positive_findings":[],"not_tested":[],"accessibility_appendix":[],
"quality_gate":{"passed":true,"threshold":0.7,"score":0.825,"failed_criteria":[],"margins":[]},"simulation_confidence":{"level":"medium","explanation":"So so.","limits":[],"transfer_to_people":"none yet"}}`
}
