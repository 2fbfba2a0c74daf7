// Package dashboard is the pages that people use with a browser: signing up and in,
// their account, who belongs to their organization, which applications act for them
// there, and who had access. Pages are made on the server and
// work on phones and on desks, in light and in dark, most of them without their scripts.
package dashboard

import (
	"context"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/account"
)

// Door is the use cases of who comes and goes.
type Door interface {
	SignUp(ctx context.Context, v service.Visit, in service.NewPerson) error
	Verify(ctx context.Context, v service.Visit, token, password string) (service.Entry, error)
	SignIn(ctx context.Context, v service.Visit, email, password string) (service.Entry, error)
	SignedIn(ctx context.Context, sessionID string) (service.Principal, error)
	SignOut(ctx context.Context, v service.Visit, who service.Principal) error
}

// Accounts is what somebody who is signed in sees and does of their own.
type Accounts interface {
	Profile(ctx context.Context, userID string) (service.Profile, error)
	Homes(ctx context.Context, who service.Principal) ([]service.Home, error)
	ChooseOrganization(ctx context.Context, v service.Visit, who service.Principal, organizationID string) error
	BrowserSessions(ctx context.Context, who service.Principal) ([]service.BrowserSession, error)
	EndSession(ctx context.Context, v service.Visit, who service.Principal, sessionID string) error
}

// Deps is what the dashboard stands on.
type Deps struct {
	Door      Door
	Accounts  Accounts
	Team      Team
	Passwords Passwords
	Factors   Factors
	Leaving   Leaving
	Grants    Grants
	Clients   Clients
	Log       Log
	Tests     Tests
	Personas  Personas
	Histories Histories
	Proofs    Proofs
	// Document is the interface as OpenAPI has it.
	Document []byte
	Results  Results
	// Links makes the addresses of streams, pictures and reports.
	Links    Links
	Keys     Keys
	Webhooks Webhooks
	Usage    Usage
	// Organizations is what an organization is called and demands.
	Organizations Organizations
	// Plans are what plans allow, Caps what an organization may have at once.
	Plans account.Plans
	Caps  service.Caps
	// API is the address of the interface for programs.
	API      string
	Starting Starting
	// Models are those that walk here.
	Models []service.Model
	// Asked reads what a test is asked for with, in the form of a POST /tests.
	Asked func(body map[string]any) (service.NewTest, error)
	// Once remembers what is made for a key of who is signed in: the first id that was
	// given for it, for a day.
	Once func(ctx context.Context, who service.Principal, key, id string) (string, error)
	// Targets looks at addresses that are to be tested.
	Targets Targets
	// Store keeps browser sessions, and ends those that nobody uses.
	Store scs.Store
	// Invited: nobody signs up but by an invitation.
	Invited bool
	// Secure: people reach the pages over https.
	Secure bool
	// Styles are those of the product's pages; look.css is that of all.
	Styles fs.FS
	// Interface are the origins of pictures, films and streams, where they are not the
	// dashboard's own.
	Interface []string
	// Visitor tells a request's network address, and the bucket it counts in.
	Visitor func(r *http.Request) (address, bucket string)
	// Meaning tells a refusal's status and a title for people; of what it does not know
	// those of a mistake of our own.
	Meaning func(domain.Code) (status int, title string)
	// Unavailable reports that an error means a dependency is down.
	Unavailable func(error) bool
	Logger      *slog.Logger
}

// Dashboard serves the pages.
type Dashboard struct {
	Deps
	sessions  *scs.SessionManager
	protect   *http.CrossOriginProtection
	assets    map[string]asset
	pages     map[string]*template.Template
	reference func() (*reference, error)
	// policy is the Content-Security-Policy of all pages.
	policy string
	// looks has a seat for every address that may be looked at at once.
	looks chan struct{}
}

// New makes the dashboard.
func New(deps Deps) *Dashboard {
	d := &Dashboard{Deps: deps, sessions: scs.New(), protect: http.NewCrossOriginProtection(), assets: assetsWith(deps.Styles), looks: make(chan struct{}, looksAtOnce)}
	d.pages = d.parse()
	d.reference = sync.OnceValues(func() (*reference, error) {
		return readReference(deps.Document)
	})
	files := origins(deps.Interface...)
	d.policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: " + files + "; media-src " + files + "; connect-src " + files +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	s := d.sessions
	s.Store, s.HashTokenInStore = deps.Store, true
	s.Lifetime = service.SessionLifetime // and the store ends what nobody uses
	s.Cookie.Name, s.Cookie.HttpOnly, s.Cookie.SameSite, s.Cookie.Path = "understudy", true, http.SameSiteLaxMode, "/"
	if s.Cookie.Secure = deps.Secure; deps.Secure {
		s.Cookie.Name = "__Host-understudy" // which no other host can set
	}
	s.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) { d.fail(w, r, err) }
	return d
}

// Register lets a mux serve the pages.
func (d *Dashboard) Register(mux *http.ServeMux) {
	open := map[string]http.HandlerFunc{
		"GET /{$}":     d.front,
		"GET /sign-up": d.signUpPage, "POST /sign-up": d.signUp,
		"GET /verify": d.verifyPage, "POST /verify": d.verify,
		"GET /sign-in": d.signInPage, "POST /sign-in": d.signIn,
		"GET /sign-in/code": d.codePage, "POST /sign-in/code": d.code,
		"GET /forgot": d.forgotPage, "POST /forgot": d.forgot,
		"GET /reset": d.resetPage, "POST /reset": d.reset,
		"GET /docs": d.docs, "GET /docs/{operation}": d.docs, "GET /invitation": d.invitationPage, "POST /invitation": d.joinAnew,
	}
	for pattern, handler := range open {
		mux.Handle(pattern, d.page(handler, limit))
	}
	for _, section := range []map[string]signedIn{d.ownRoutes(), d.teamRoutes(), d.testRoutes(), d.resultRoutes(), d.keyRoutes(), d.webhookRoutes(), d.usageRoutes(), d.organizationRoutes(), d.personaRoutes(), d.historyRoutes()} {
		for pattern, handler := range section {
			within := limit
			if pattern == triesOut {
				within = service.TryLimit + limit
			}
			mux.Handle(pattern, d.page(d.withWho(handler), within))
		}
	}
	d.serveAssets(mux)
}

// limit bounds the work of a page, maxForm what is sent with it.
const (
	limit   = 15 * time.Second
	maxForm = 64 << 10
)

// triesOut is a page that waits for another one in a browser.
const triesOut = "POST /tests/new/page"

// page is around every page: it refuses forms of other sites, knows the browser's
// session, bounds its work, and says what browsers should know.
func (d *Dashboard) page(next http.HandlerFunc, within time.Duration) http.Handler {
	inner := d.sessions.LoadAndSave(next)
	guarded := compress(d.protect.Handler(inner))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", d.policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if d.Secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		guarded.ServeHTTP(w, r.WithContext(ctx))
	})
}

// visit is a request as the use cases know it.
func (d *Dashboard) visit(r *http.Request) service.Visit {
	address, bucket := d.Visitor(r)
	return service.Visit{Address: address, Bucket: bucket, Agent: r.UserAgent(), RequestID: r.Header.Get("X-Request-Id"), CommandID: uuid.New()}
}

// What the browser's session remembers.
const (
	keySession = "session"
	keyNote    = "note"
)

// SignedIn is who is signed in on a request; service.ErrUnauthenticated for nobody.
// It is for requests that do not come through the dashboard, too.
func (d *Dashboard) SignedIn(r *http.Request) (service.Principal, error) {
	ctx := r.Context()
	cookie, err := r.Cookie(d.sessions.Cookie.Name)
	if err != nil {
		return service.Principal{}, service.ErrUnauthenticated
	}
	if ctx, err = d.sessions.Load(ctx, cookie.Value); err != nil {
		return service.Principal{}, err
	}
	return d.who(ctx)
}

func (d *Dashboard) who(ctx context.Context) (service.Principal, error) {
	id := d.sessions.GetString(ctx, keySession)
	if id == "" {
		return service.Principal{}, service.ErrUnauthenticated
	}
	who, err := d.Door.SignedIn(ctx, id)
	if chosen := d.sessions.GetString(ctx, keyEnvironment); err == nil && chosen != "" {
		who.Environment = domain.Environment(chosen)
	}
	return who, err
}

// local is a path of this service to go on to, "" when next is none.
func local(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return ""
	}
	return next
}
