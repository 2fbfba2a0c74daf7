// Package oauth is the front door of OAuth 2.0: the authorization code flow with
// PKCE, refresh tokens that rotate, revocation and metadata (RFC 6749, 7009, 7636,
// 8252, 8414, 9207, and what RFC 9700 asks for).
package oauth

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"understudy/adapters/service"
	"understudy/domain/oauthclient"
)

// Visitor is a person who has signed in with a browser.
type Visitor struct {
	service.Principal
	// Name is what the page calls the person, and Organization the organization
	// that the session is in.
	Name, Organization string
}

// Visitors tells who looks at a page.
type Visitors interface {
	// Current is who has signed in on the browser that a request comes from, false
	// for nobody.
	Current(r *http.Request) (Visitor, bool, error)
	// SignInURL is where to sign in. It leads back to a path of this service.
	SignInURL(back string) string
	// Call is what a visitor asks of the use cases by a request.
	Call(r *http.Request, who Visitor, requestID string) (service.Call, error)
}

// Grants are the use cases of clients and what is granted to them.
type Grants interface {
	OAuthClient(ctx context.Context, clientID string) (oauthclient.State, error)
	AuthenticateClient(ctx context.Context, clientID, secret string) (oauthclient.State, error)
	Allow(ctx context.Context, call service.Call, in service.Consent) (code string, err error)
	Redeem(ctx context.Context, client oauthclient.State, requestID string, in service.Redemption) (service.TokenPair, error)
	Refresh(ctx context.Context, client oauthclient.State, requestID, token string, scopes []string) (service.TokenPair, error)
	RevokeToken(ctx context.Context, client oauthclient.State, requestID, token string) error
}

// Deps is everything the door needs.
type Deps struct {
	// Issuer is {auth_url}: an absolute http or https address without a trailing
	// slash.
	Issuer   string
	Grants   Grants
	Visitors Visitors
	// Unavailable reports that an error means a dependency is down.
	Unavailable func(error) bool
	Logger      *slog.Logger
}

// The door's addresses below the issuer.
const (
	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token" //nolint:gosec // no secret
	revokePath    = "/oauth/revoke"
	metadataPath  = "/.well-known/oauth-authorization-server"
)

// maxBody is how many bytes a request may have.
const maxBody = 64 << 10

type door struct {
	Deps
	secure http.Header
	// origins keeps other sites from sending the form of the consent page.
	origins *http.CrossOriginProtection
}

// Paths are the patterns that New's handler serves.
var Paths = []string{"/oauth/", metadataPath}

// New serves the endpoints.
func New(deps Deps) http.Handler {
	d := &door{Deps: deps, secure: secureHeaders(deps.Issuer), origins: http.NewCrossOriginProtection()}
	// Behind a proxy that rewrites Host, the issuer's origin is still ours.
	if u, err := url.Parse(deps.Issuer); err == nil {
		_ = d.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host) // of the form that it takes
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+authorizePath, d.authorize)
	mux.HandleFunc("POST "+authorizePath, d.decide)
	mux.HandleFunc("POST "+tokenPath, d.token)
	mux.HandleFunc("OPTIONS "+tokenPath, preflight)
	mux.HandleFunc("POST "+revokePath, d.revoke)
	mux.HandleFunc("GET "+metadataPath, d.metadata)
	return d.around(mux)
}

// around is what every answer has.
func (d *door) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), d.secure)
		id := r.Header.Get("X-Request-Id")
		if !requestIDs.MatchString(id) {
			id = uuid.Must(uuid.NewV7()).String()
		}
		w.Header().Set("X-Request-Id", id)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// requestIDs are taken over when they are short and harmless in logs.
var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

type requestIDKey struct{}

// requestID names the request in logs and events.
func requestID(r *http.Request) string {
	id, _ := r.Context().Value(requestIDKey{}).(string)
	return id
}

// secureHeaders are what browsers should know: nothing here is to be framed, stored
// or guessed at, and no site that is led to learns of the address.
func secureHeaders(issuer string) http.Header {
	h := http.Header{
		"X-Content-Type-Options":       {"nosniff"},
		"X-Frame-Options":              {"DENY"},
		"Referrer-Policy":              {"same-origin"}, // no-referrer would make the form's Origin null
		"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
		"Cross-Origin-Opener-Policy":   {"same-origin"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Cache-Control":                {"no-store"},
		"Pragma":                       {"no-cache"},
	}
	if strings.HasPrefix(issuer, "https:") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	return h
}
