package oauth

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/oauthclient"
)

// tokenAnswer is the answer of RFC 6749, 5.1.
type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// preflight lets pages of other origins ask for tokens. Nothing here reads cookies.
func preflight(w http.ResponseWriter, _ *http.Request) {
	allowOrigins(w)
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", http.MethodPost)
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}

func allowOrigins(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, WWW-Authenticate")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// token exchanges a code or a refresh token.
func (d *door) token(w http.ResponseWriter, r *http.Request) {
	allowOrigins(w)
	in, client, ok := d.fromClient(w, r)
	if !ok {
		return
	}
	var tokens service.TokenPair
	var err error
	switch in["grant_type"] {
	case "authorization_code":
		for _, name := range []string{"code", "redirect_uri"} {
			if in[name] == "" {
				d.refuse(w, failure{invalidRequest, name + " is missing"})
				return
			}
		}
		tokens, err = d.Grants.Redeem(r.Context(), client, requestID(r), service.Redemption{
			Code: in["code"], RedirectURI: in["redirect_uri"], Verifier: in["code_verifier"],
		})
	case "refresh_token":
		if in["refresh_token"] == "" {
			d.refuse(w, failure{invalidRequest, "refresh_token is missing"})
			return
		}
		scopes, fault := scopesOf(in["scope"])
		if fault != nil {
			d.refuse(w, *fault)
			return
		}
		tokens, err = d.Grants.Refresh(r.Context(), client, requestID(r), in["refresh_token"], scopes)
	case "":
		d.refuse(w, failure{invalidRequest, "grant_type is missing"})
		return
	default:
		d.refuse(w, failure{unsupportedGrantType, "grant_type must be authorization_code or refresh_token"})
		return
	}
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.send(w, http.StatusOK, tokenAnswer{
		AccessToken: tokens.Access, TokenType: "Bearer", ExpiresIn: int(tokens.Expires.Round(time.Second) / time.Second),
		RefreshToken: tokens.Refresh, Scope: strings.Join(tokens.Scopes, " "),
	})
}

// revoke ends the grant of a token (RFC 7009). A token that is none of the client's
// is answered like one that was: what others have is not told.
func (d *door) revoke(w http.ResponseWriter, r *http.Request) {
	in, client, ok := d.fromClient(w, r)
	if !ok {
		return
	}
	if in["token"] == "" {
		d.refuse(w, failure{invalidRequest, "token is missing"})
		return
	}
	if err := d.Grants.RevokeToken(r.Context(), client, requestID(r), in["token"]); err != nil {
		d.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// fromClient is what a client has sent and who it is. Otherwise it has answered.
func (d *door) fromClient(w http.ResponseWriter, r *http.Request) (map[string]string, oauthclient.State, bool) {
	in, fault := bodyOf(r)
	if fault != nil {
		d.refuse(w, *fault)
		return nil, oauthclient.State{}, false
	}
	id, secret, fault := credentials(r, in)
	if fault != nil {
		d.refuseClient(w, r, *fault)
		return nil, oauthclient.State{}, false
	}
	client, err := d.Grants.AuthenticateClient(r.Context(), id, secret)
	switch {
	case domain.CodeOf(err) == domain.CodeForbidden:
		d.refuseClient(w, r, failure{invalidClient, "the client is not known, or its authentication failed"})
	case err != nil:
		d.fail(w, r, err)
	}
	return in, client, err == nil
}

// fail answers an error of a use case.
func (d *door) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch domain.CodeOf(err) {
	case domain.CodeNotFound, domain.CodeWrongState:
		// Which of the reasons it is helps only who has stolen something.
		d.Logger.Info("grant refused", "reason", err.Error(), "request_id", requestID(r))
		d.refuse(w, failure{invalidGrant, "it is unknown, was used, has expired, was revoked, or belongs to another client, redirect_uri or code_verifier"})
		return
	case domain.CodeValidationFailed:
		d.refuse(w, failure{invalidScope, "more scopes than were granted"})
		return
	default:
	}
	d.Logger.Error("token request failed", "error", err, "request_id", requestID(r))
	if d.down(err) {
		w.Header().Set("Retry-After", strconv.Itoa(domain.RetryUnavailable))
		d.sendError(w, http.StatusServiceUnavailable, d.broken(err))
		return
	}
	d.sendError(w, http.StatusInternalServerError, d.broken(err))
}

func (d *door) refuse(w http.ResponseWriter, f failure) {
	d.sendError(w, http.StatusBadRequest, f)
}

// refuseClient refuses who the client is. Who has tried with a header is told of it.
func (d *door) refuseClient(w http.ResponseWriter, r *http.Request, f failure) {
	status := http.StatusBadRequest
	if f.code == invalidClient {
		status = http.StatusUnauthorized
		if r.Header.Get("Authorization") != "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="understudy", charset="UTF-8"`)
		}
	}
	d.sendError(w, status, f)
}

func (d *door) sendError(w http.ResponseWriter, status int, f failure) {
	d.send(w, status, map[string]string{"error": f.code, "error_description": f.description})
}

func (d *door) send(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // the client has gone
}
