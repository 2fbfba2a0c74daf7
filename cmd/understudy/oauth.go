package main

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/google/uuid"

	"understudy/adapters/dashboard"
	"understudy/adapters/oauth"
	"understudy/adapters/service"
)

// visitors are who has signed in on the dashboard's pages.
type visitors struct {
	pages     *dashboard.Dashboard
	people    *service.People
	addressOf func(r *http.Request) string
}

// Current is who has signed in, with what the consent page calls them.
func (v visitors) Current(r *http.Request) (oauth.Visitor, bool, error) {
	who, err := v.pages.SignedIn(r)
	if errors.Is(err, service.ErrUnauthenticated) {
		return oauth.Visitor{}, false, nil
	} else if err != nil {
		return oauth.Visitor{}, false, err
	}
	profile, err := v.people.Profile(r.Context(), who.UserID)
	if err != nil {
		return oauth.Visitor{}, false, err
	}
	homes, err := v.people.Homes(r.Context(), who)
	if err != nil {
		return oauth.Visitor{}, false, err
	}
	visitor := oauth.Visitor{Principal: who, Name: profile.Email}
	for _, home := range homes {
		if home.Current {
			visitor.Organization = home.Name
		}
	}
	return visitor, true, nil
}

// SignInURL is the dashboard's page.
func (v visitors) SignInURL(back string) string { return v.pages.SignInURL(back) }

// Call is a request of who has signed in; its metadata says where from.
func (v visitors) Call(r *http.Request, who oauth.Visitor, requestID string) (service.Call, error) {
	address := v.addressOf(r)
	visit := service.Visit{Address: address, Agent: r.UserAgent(), RequestID: requestID, CommandID: uuid.New()}
	return v.people.CallOf(r.Context(), visit, who.Principal)
}

// oauthDoor is the endpoints of OAuth, at the address of the dashboard.
func oauthDoor(cfg config, uses *service.Service, who visitors, log *slog.Logger) http.Handler {
	return oauth.New(oauth.Deps{
		Issuer: cfg.appURL, Grants: uses, Visitors: who, Logger: log,
		Unavailable: isOutage,
	})
}
