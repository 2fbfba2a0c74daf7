package oauth_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"understudy/adapters/oauth"
	"understudy/adapters/postgres/pgtest"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/process"
	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/projections"
	"understudy/projections/clients"
	"understudy/projections/grants"
	"understudy/projections/keys"
	"understudy/test/patience"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// limit bounds what a test waits for, on an idle machine.
const limit = 30 * time.Second

// The addresses of the clients.
const (
	board    = "https://board.example/callback?from=understudy"
	loopback = "http://127.0.0.1/callback"
)

// world is the door over a real log and database, served over HTTP.
type world struct {
	*service.Service
	t      *testing.T
	ctx    context.Context
	server *httptest.Server
	// people are who has signed in, by the value of the cookie.
	people map[string]oauth.Visitor
	// web and native are two clients, web's secret is secret.
	web, native, secret string
}

// everything is ready.
type everything struct{}

func (everything) Accepts(...string) error { return nil }

// visitors know people by a cookie.
type visitors struct{ people map[string]oauth.Visitor }

func (v visitors) Current(r *http.Request) (oauth.Visitor, bool, error) {
	c, err := r.Cookie("session")
	if err != nil {
		return oauth.Visitor{}, false, nil //nolint:nilerr // nobody
	}
	if c.Value == "broken" {
		return oauth.Visitor{}, false, errors.New("the sessions cannot be read")
	}
	who, ok := v.people[c.Value]
	return who, ok, nil
}

func (visitors) SignInURL(back string) string {
	return "/sign-in?" + url.Values{"next": {back}}.Encode()
}

func (visitors) Call(_ *http.Request, who oauth.Visitor, requestID string) (service.Call, error) {
	return service.Call{Principal: who.Principal, CommandID: uuid.New(), Meta: domain.Meta{Actor: who.UserID, KeyID: who.KeyID, OrganizationID: who.OrganizationID, RequestID: requestID}}, nil
}

func person(id, organizationID string, role access.Role) oauth.Visitor {
	return oauth.Visitor{Name: "P. of " + id, Organization: "Acme", Principal: service.Principal{
		UserID: id, OrganizationID: organizationID, Role: role, SignedIn: true, KeyID: "uss_" + id, Actor: id, Environment: domain.Live, Scopes: role.Scopes(),
	}}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), 2*limit)
	w := &world{t: t, ctx: ctx}
	dir := t.TempDir()
	n, err := node.Start(ctx, node.Options{Dir: filepath.Join(dir, "log"), Socket: filepath.Join(dir, "es.sock")})
	w.must(err)
	store, err := eventstore.Open(eventstore.Config{Socket: filepath.Join(dir, "es.sock"), Codec: eventstore.NewCodec(process.Catalogue()), CallTimeout: patience.Scaled(limit)})
	w.must(err)
	pool, positions, models := pgtest.Pool(t), projections.NewPositions(), []projections.Projection{clients.Projection, grants.Projection, keys.Projection}
	ended := make(chan error)
	for _, p := range models {
		w.must(projections.Prepare(ctx, pool, p))
		projector := &projections.Projector{Projection: p, Pool: pool, Log: store, Positions: positions, Logger: slog.New(slog.DiscardHandler)}
		go func() { ended <- projector.Run(ctx) }()
	}
	quiet := slog.New(slog.DiscardHandler)
	directory := &service.Directory{Pool: pool, Log: store, Uses: uses{}, Plans: account.Specified(), Logger: quiet}
	known := &service.Tokens{Pool: pool, Log: store, Logger: quiet}
	for _, run := range []func(context.Context) error{directory.Run, known.Run} {
		go func() { ended <- run(ctx) }()
	}
	w.Service = service.New(service.Deps{Reads: service.NewReads(pool, positions, nil), Streams: service.NewStreams(store), Ready: everything{}, Directory: directory, Tokens: known, Plans: account.Specified(), Caps: service.DefaultCaps()})
	w.people = map[string]oauth.Visitor{
		"ada": person("usr_ada", "org_a", access.Admin), "vic": person("usr_vic", "org_a", access.Viewer), "mal": person("usr_mal", "org_m", access.Owner),
	}
	w.serve()
	t.Cleanup(func() {
		w.server.Close()
		cancel()
		for range len(models) + 2 {
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		w.must(errors.Join(store.Close(), n.Close()))
	})
	w.found(store)
	w.register()
	return w
}

// found makes the organizations that people are in.
func (w *world) found(store *eventstore.Store) {
	at := domain.At(time.Now())
	for _, id := range []string{"org_a", "org_m"} {
		events := []eventstore.Pending{{ID: uuid.New(), Event: account.OrganizationCreated{OrganizationID: id, Name: "Acme", Plan: account.Team, At: at}}}
		for _, who := range w.people {
			if who.OrganizationID == id {
				events = append(events, eventstore.Pending{ID: uuid.New(), Event: account.UserAdded{UserID: who.UserID, Role: string(who.Role), At: at}})
			}
		}
		appended, err := store.Append(w.ctx, account.Stream(id), eventstore.NoStream(), events)
		w.must(err)
		w.must(w.Positions.Wait(w.ctx, keys.Projection.Name, appended.Position))
	}
}

// uses are nobody's.
type uses struct{}

func (uses) Record(context.Context, map[string]time.Time) error { return nil }

func (uses) Read(context.Context, []string) (map[string]time.Time, error) { return nil, nil }

func (w *world) serve() {
	w.server = httptest.NewUnstartedServer(nil)
	w.server.Config.Handler = oauth.New(oauth.Deps{
		Issuer: "http://" + w.server.Listener.Addr().String(), Grants: w.Service, Visitors: visitors{w.people}, Logger: slog.New(slog.DiscardHandler),
		Unavailable: func(error) bool { return false },
	})
	w.server.Start()
}

func (w *world) register() {
	native, err := w.RegisterClient(w.ctx, w.call(), newID(), service.NewClient{Name: "Native", Type: service.PublicClient, RedirectURIs: []string{loopback, "com.example.app:/back"}})
	w.must(err)
	web, err := w.RegisterClient(w.ctx, w.call(), newID(), service.NewClient{Name: "Board", Type: service.ConfidentialClient, RedirectURIs: []string{board}})
	w.must(err)
	w.native, w.web = native.ID, web.ID
	shown, err := web.Decode()
	w.must(err)
	w.secret = shown.ClientSecret
}

// call is a request of Ada's.
func (w *world) call() service.Call {
	return service.Call{Principal: w.people["ada"].Principal, CommandID: uuid.New(), Meta: domain.Meta{Actor: "usr_ada", OrganizationID: "org_a", Environment: domain.Live}}
}

func newID() string { return domain.FormatID(domain.PrefixClient, uuid.Must(uuid.NewV7())) }

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// answer is what came of a request.
type answer struct {
	*http.Response
	body string
}

// do sends a request and follows no redirect.
func (w *world) do(method, path, who, body string, header ...string) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.ctx, method, w.server.URL+path, strings.NewReader(body))
	w.must(err)
	if who != "" {
		r.AddCookie(&http.Cookie{Name: "session", Value: who})
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	w.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	w.must(err)
	return answer{resp, string(text)}
}

// proof is a code verifier with its challenge.
type proof struct{ verifier, challenge string }

func newProof() proof {
	verifier := strings.ReplaceAll(uuid.NewString()+uuid.NewString(), "-", "")
	sum := sha256.Sum256([]byte(verifier))
	return proof{verifier, base64.RawURLEncoding.EncodeToString(sum[:])}
}

// query is an authorization request of the native client's, with changes: a name
// and a value each, "" leaves the parameter away.
func (w *world) query(p proof, changes ...string) string {
	q := url.Values{
		"client_id": {w.native}, "redirect_uri": {loopback}, "response_type": {"code"}, "scope": {"tests:read reports:read"}, "state": {"xyz"},
		"code_challenge": {p.challenge}, "code_challenge_method": {"S256"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			q.Del(changes[i])
		} else {
			q.Set(changes[i], changes[i+1])
		}
	}
	return "/oauth/authorize?" + q.Encode()
}

// consent lets a person allow a request, as a browser sends it.
func (w *world) consent(who, query string) answer {
	w.t.Helper()
	v := w.people[who]
	form := url.Values{"visitor": {v.UserID + " " + v.OrganizationID}, "decision": {"allow"}, "environment": {"live"}}
	return w.do(http.MethodPost, query, who, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin")
}

// code is the code that Ada's consent to a request gives.
func (w *world) code(query string) string {
	w.t.Helper()
	got := w.consent("ada", query).location(w.t)
	if got.Get("code") == "" {
		w.t.Fatalf("no code: %v", got)
	}
	return got.Get("code")
}

// location is the query of the address that an answer leads to.
func (a answer) location(t *testing.T) url.Values {
	t.Helper()
	u, err := url.Parse(a.Header.Get("Location"))
	if err != nil || a.StatusCode != http.StatusSeeOther {
		t.Fatalf("%d %s %v\n%s", a.StatusCode, a.Header.Get("Location"), err, a.body)
	}
	return u.Query()
}

// tokens is the answer of the token endpoint.
type tokens struct {
	Access      string `json:"access_token"`
	Refresh     string `json:"refresh_token"`
	Type        string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
	Scope       string `json:"scope"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
	status      int
	header      http.Header
}

// post sends a form of names and values to the token endpoint, or to another.
func (w *world) post(path string, fields []string, header ...string) tokens {
	w.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	got := w.do(http.MethodPost, path, "", form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
	out := tokens{status: got.StatusCode, header: got.Header}
	if got.body != "" {
		w.must(json.Unmarshal([]byte(got.body), &out))
	}
	return out
}

func (w *world) redeem(code string, p proof, changes ...string) tokens {
	w.t.Helper()
	fields := map[string]string{"grant_type": "authorization_code", "client_id": w.native, "redirect_uri": loopback, "code": code, "code_verifier": p.verifier}
	for i := 0; i+1 < len(changes); i += 2 {
		fields[changes[i]] = changes[i+1]
	}
	var list []string
	for name, value := range fields {
		if value != "" {
			list = append(list, name, value)
		}
	}
	return w.post("/oauth/token", list)
}

// granted is what the native client gets of Ada's consent.
func (w *world) granted() tokens {
	w.t.Helper()
	p := newProof()
	got := w.redeem(w.code(w.query(p)), p)
	if got.status != http.StatusOK {
		w.t.Fatalf("no tokens: %+v", got)
	}
	return got
}

func (w *world) refresh(token string, more ...string) tokens {
	w.t.Helper()
	return w.post("/oauth/token", append([]string{"grant_type", "refresh_token", "client_id", w.native, "refresh_token", token}, more...))
}

// refused checks an error of the token endpoint.
func (w *world) refused(got tokens, status int, code string) {
	w.t.Helper()
	if got.status != status || got.Error != code || got.Access != "" {
		w.t.Errorf("got %d %q %q, want %d %q", got.status, got.Error, got.Description, status, code)
	}
}
