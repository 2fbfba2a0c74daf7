package oauthclient

import (
	"time"

	"understudy/domain"
)

// CommandLine is the public client by which the program's own commands act for a
// person. Every installation has it, and it belongs to no organization.
var CommandLine = Registered{
	ClientID: domain.DeriveID(domain.PrefixClient, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), "command line"),
	Name:     "Understudy’s command line", RedirectURIs: []string{"http://127.0.0.1/callback"},
}
