package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
)

// authorize asks the person who has signed in whether the client may act for them.
func (d *door) authorize(w http.ResponseWriter, r *http.Request) {
	req, visitor, ok := d.asked(w, r)
	if !ok {
		return
	}
	d.consentPage(w, r, req, visitor)
}

// decide takes the person's answer. Whatever it is, the browser goes on by a GET: a
// redirect that keeps the method would hand the form on (RFC 9700, 4.12).
func (d *door) decide(w http.ResponseWriter, r *http.Request) {
	if err := d.origins.Check(r); err != nil {
		d.tellPage(w, r, http.StatusForbidden, "This was not sent from here", "The answer came from another site and was not taken.")
		return
	}
	if err := r.ParseForm(); err != nil {
		d.tellPage(w, r, http.StatusBadRequest, "The answer cannot be read", "Go back and try again.")
		return
	}
	req, visitor, ok := d.asked(w, r)
	if !ok {
		return
	}
	// What was allowed is what the page showed: whoever has signed in anew since sees
	// the page again.
	if r.PostForm.Get("visitor") != visitor.UserID+" "+visitor.OrganizationID {
		d.consentPage(w, r, req, visitor)
		return
	}
	if r.PostForm.Get("decision") != "allow" {
		http.Redirect(w, r, d.failAt(req, failure{accessDenied, "the person did not allow it"}), http.StatusSeeOther) //nolint:gosec // registered by the client
		return
	}
	env := domain.Environment(r.PostForm.Get("environment"))
	if env != domain.Live && env != domain.Sandbox {
		env = req.environment
	}
	call, err := d.Visitors.Call(r, visitor, requestID(r))
	if err != nil {
		d.brokenPage(w, r, err)
		return
	}
	code, err := d.Grants.Allow(r.Context(), call, service.Consent{
		Client: req.client.Client, Scopes: req.scopes, Environment: env, RedirectURI: req.redirectURI, Challenge: req.challenge,
	})
	if err != nil {
		d.Logger.Error("grant not issued", "error", err, "request_id", requestID(r))
		http.Redirect(w, r, d.failAt(req, d.broken(err)), http.StatusSeeOther) //nolint:gosec // as above
		return
	}
	http.Redirect(w, r, d.answerAt(req, url.Values{"code": {code}}), http.StatusSeeOther) //nolint:gosec // as above
}

// asked is an authorization request and who is asked. Otherwise it has answered.
func (d *door) asked(w http.ResponseWriter, r *http.Request) (request, Visitor, bool) {
	req, fault, err := d.read(r)
	var told *unnamed
	switch {
	case errors.As(err, &told):
		d.tellPage(w, r, http.StatusBadRequest, "This link to sign in does not work", "The application that sent you here made a mistake: "+told.what+".")
		return req, Visitor{}, false
	case err != nil:
		d.brokenPage(w, r, err)
		return req, Visitor{}, false
	}
	// Who signs in comes first: nobody is led on by a link alone (RFC 9700, 4.11.2).
	visitor, signedIn, err := d.Visitors.Current(r)
	switch {
	case err != nil:
		d.brokenPage(w, r, err)
	case !signedIn:
		http.Redirect(w, r, d.Visitors.SignInURL(authorizePath+"?"+r.URL.RawQuery), http.StatusSeeOther)
	case req.client.Client.OrganizationID != "" && visitor.OrganizationID != req.client.Client.OrganizationID:
		d.tellPage(w, r, http.StatusForbidden, "This application is not for you", "It was registered by another organization than the one you have signed in to.")
	case fault != nil:
		http.Redirect(w, r, d.failAt(req, *fault), http.StatusSeeOther) //nolint:gosec // registered by the client
	case len(access.Within(req.scopes, visitor.Role)) == 0:
		http.Redirect(w, r, d.failAt(req, failure{accessDenied, "the role of who has signed in permits none of these scopes"}), http.StatusSeeOther) //nolint:gosec // as above
	default:
		return req, visitor, true
	}
	return req, visitor, false
}

// broken is what a client is told of an error that is not its own.
func (d *door) broken(err error) failure {
	if d.down(err) {
		return failure{temporarilyUnavailable, "try again in a moment"}
	}
	return failure{serverError, "something went wrong here"}
}

func (d *door) down(err error) bool {
	code := domain.CodeOf(err)
	return code == domain.CodeUnavailable || code == domain.CodeConflict || d.Unavailable(err)
}

func (d *door) brokenPage(w http.ResponseWriter, r *http.Request, err error) {
	d.Logger.Error("authorization request failed", "error", err, "request_id", requestID(r))
	if d.down(err) {
		w.Header().Set("Retry-After", strconv.Itoa(domain.RetryUnavailable))
		d.tellPage(w, r, http.StatusServiceUnavailable, "A part of the service is down for the moment", "Try again in a moment.")
		return
	}
	d.tellPage(w, r, http.StatusInternalServerError, "Something went wrong here", "It is noted in the service's log.")
}
