package oauth

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/oauthclient"
)

// request is an authorization request that may be answered at its redirect URI.
type request struct {
	client      oauthclient.State
	redirectURI string
	state       string
	scopes      []string
	challenge   string
	environment domain.Environment
}

// The errors of RFC 6749, 4.1.2.1 and 5.2.
const (
	invalidRequest          = "invalid_request"
	invalidClient           = "invalid_client"
	invalidGrant            = "invalid_grant"
	invalidScope            = "invalid_scope"
	accessDenied            = "access_denied"
	unsupportedResponseType = "unsupported_response_type"
	unsupportedGrantType    = "unsupported_grant_type"
	serverError             = "server_error"
	temporarilyUnavailable  = "temporarily_unavailable"
)

// failure is an error that a client is told.
type failure struct{ code, description string }

// maxState is how long a state may be: it comes back in an address.
const maxState = 2000

// unnamed is a request that cannot be answered at its redirect URI, because nobody
// knows that it is the client's: the person is told.
type unnamed struct{ what string }

func (u *unnamed) Error() string { return u.what }

var challenges = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// read reads an authorization request. With an error, the client cannot be told;
// with a failure, it can.
func (d *door) read(r *http.Request) (request, *failure, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return request{}, nil, &unnamed{"the address cannot be read"}
	}
	for _, name := range []string{"client_id", "redirect_uri"} {
		if len(query[name]) != 1 {
			return request{}, nil, &unnamed{"the address must have " + name + " once"}
		}
	}
	req := request{redirectURI: query.Get("redirect_uri")}
	req.client, err = d.Grants.OAuthClient(r.Context(), query.Get("client_id"))
	if domain.CodeOf(err) == domain.CodeNotFound {
		return request{}, nil, &unnamed{"no application is registered under this client_id"}
	} else if err != nil {
		return request{}, nil, err
	}
	if !oauthclient.Redirects(req.client.Client.RedirectURIs, req.client.Public(), req.redirectURI) {
		return request{}, nil, &unnamed{"redirect_uri is not one that the application has registered"}
	}
	return req, req.fill(query), nil
}

// fill reads what the client can be told about.
func (r *request) fill(query url.Values) *failure {
	if state := query["state"]; len(state) == 1 && len(state[0]) <= maxState {
		r.state = state[0]
	} else if len(state) > 0 {
		return &failure{invalidRequest, "there may be one state of at most 2000 characters"}
	}
	for name, values := range query {
		if len(values) > 1 {
			return &failure{invalidRequest, "a parameter is there twice: " + printable(name)}
		}
	}
	switch responseType := query.Get("response_type"); {
	case query.Has("request") || query.Has("request_uri"):
		return &failure{"request_not_supported", "request objects are not supported"}
	case responseType == "":
		return &failure{invalidRequest, "response_type is missing"}
	case responseType != "code":
		return &failure{unsupportedResponseType, "response_type must be code"}
	case query.Has("response_mode") && query.Get("response_mode") != "query":
		return &failure{invalidRequest, "response_mode must be query"}
	}
	if fault := r.fillChallenge(query); fault != nil {
		return fault
	}
	r.environment = domain.Live
	switch env := domain.Environment(query.Get("environment")); env {
	case "", domain.Live:
	case domain.Sandbox:
		r.environment = env
	default:
		return &failure{invalidRequest, "environment must be live or test"}
	}
	return r.fillScopes(query.Get("scope"))
}

func (r *request) fillChallenge(query url.Values) *failure {
	r.challenge = query.Get("code_challenge")
	method := query.Get("code_challenge_method")
	switch {
	case r.challenge == "" && method != "":
		return &failure{invalidRequest, "code_challenge is missing"}
	case r.challenge == "" && r.client.Public():
		return &failure{invalidRequest, "a public client must send a code_challenge (PKCE)"}
	case r.challenge == "":
		return nil
	case method != "S256":
		return &failure{invalidRequest, "code_challenge_method must be S256"}
	case !challenges.MatchString(r.challenge):
		return &failure{invalidRequest, "code_challenge must be the base64url of a SHA-256"}
	}
	return nil
}

func (r *request) fillScopes(given string) *failure {
	scopes, fault := scopesOf(given)
	if fault == nil && len(scopes) == 0 {
		fault = &failure{invalidScope, "scope is missing"}
	}
	r.scopes = scopes
	return fault
}

// scopesOf reads a list of scopes, in the order of the specification's table.
func scopesOf(given string) ([]string, *failure) {
	asked := strings.Fields(given)
	for _, scope := range asked {
		if !slices.Contains(access.Scopes, scope) {
			return nil, &failure{invalidScope, "there is no scope " + printable(scope)}
		}
	}
	var scopes []string
	for _, scope := range access.Scopes {
		if slices.Contains(asked, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}

// printable is a text with what an error_description may have of it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, s[:min(len(s), 64)])
}

// answerAt is the redirect URI with an answer. It tells the state and who answers
// (RFC 9207).
func (d *door) answerAt(req request, answer url.Values) string {
	answer.Set("iss", d.Issuer)
	if req.state != "" {
		answer.Set("state", req.state)
	}
	joint := "?"
	if strings.Contains(req.redirectURI, "?") {
		joint = "&"
	}
	return req.redirectURI + joint + answer.Encode()
}

func (d *door) failAt(req request, f failure) string {
	return d.answerAt(req, url.Values{"error": {f.code}, "error_description": {f.description}})
}
