package projections_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/account"
	"understudy/domain/address"
	"understudy/domain/apikey"
	"understudy/domain/grant"
	"understudy/domain/oauthclient"
	"understudy/domain/user"
)

// verifier proves the challenge of every grant of a history.
var verifier = strings.Repeat("v", 43)

// ofAccess gives an API key its next event, and an OAuth client or what somebody has granted one.
func (d *draw) ofAccess() {
	people := &draw{world: d.world, chances: d.aside}
	people.ofAnOrganization()
	people.ofAPerson()
	m := owner(d.up(4))
	d.ofAKey(m)
	client, secret := fmt.Sprintf("oac_%d", d.up(2)), fmt.Sprintf("hash-%d", d.up(1000))
	uris := []string{"https://app.example/back"}
	stream := oauthclient.Stream(client)
	d.tell(stream, oauthclient.Register{Client: oauthclient.Registered{
		ClientID: client, OrganizationID: m.OrganizationID, Name: "App", RedirectURIs: uris,
		SecretHash: secret, SecretLastFour: "wxyz", CreatedBy: "usr_1", At: d.at(),
	}}, m)
	switch d.up(8) {
	case 0, 3:
		name := fmt.Sprintf("App %d", d.up(9))
		d.tell(stream, oauthclient.Change{Name: &name, Now: d.at()}, m)
	case 1:
		d.tell(stream, oauthclient.RotateSecret{SecretHash: secret, SecretLastFour: "abcd", Overlap: time.Hour, Now: d.at()}, m)
	case 2:
		if d.chance(50) {
			d.tell(stream, oauthclient.Delete{Now: d.at()}, m)
		}
	default:
		d.ofAGrant(m)
	}
}

func (d *draw) ofAGrant(m domain.Meta) {
	const client, code, back = "oac_0", "code", "https://app.example/back"
	n := d.up(3)
	stream, tokens := grant.Stream(fmt.Sprintf("grt_%d", n)), fmt.Sprint(d.up(1000))
	sum := sha256.Sum256([]byte(verifier))
	d.tell(stream, grant.Issue{Grant: grant.Issued{
		GrantID: fmt.Sprintf("grt_%d", n), OrganizationID: m.OrganizationID, Environment: m.Environment, UserID: "usr_1", ClientID: client,
		Scopes: []string{access.Scopes[0]}, RedirectURI: back, Challenge: base64.RawURLEncoding.EncodeToString(sum[:]), CodeHash: code,
		CodeExpiresAt: domain.At(d.now.Add(grant.CodeLifetime)), EndsAt: domain.At(d.now.Add(grant.Lifetime)), At: d.at(),
	}}, m)
	d.tell(stream, grant.Redeem{ClientID: client, RedirectURI: back, CodeHash: code, Verifier: verifier, AccessHash: "a" + tokens, NewRefresh: "first", Now: d.at()}, m)
	d.tell(stream, grant.Refresh{ClientID: client, RefreshHash: "first", AccessHash: "b" + tokens, NewRefresh: "r" + tokens, Now: d.at()}, m)
	if d.chance(30) {
		d.tell(stream, grant.Revoke{Reason: "user", Now: d.at()}, m)
	}
}

// ofAKey gives a key of its own stream, or one that the organization came with, its next event.
func (d *draw) ofAKey(m domain.Meta) {
	n := d.up(4)
	key := apikey.Created{
		KeyID: fmt.Sprintf("key_%d", n), OrganizationID: m.OrganizationID, Environment: m.Environment, Name: "CI",
		Hash: fmt.Sprintf("hash-%d", n), LastFour: "wxyz", Scopes: access.Scopes[:1+d.up(4)], CreatedBy: "usr_1", At: d.at(),
	}
	adopting := func(c apikey.Command) apikey.Command { return c }
	if n == 1 { // founded(0) has made it
		m = owner(0)
		adopting = func(c apikey.Command) apikey.Command { return apikey.Adopt{Key: apikey.Adopted(key), Then: c} }
	} else {
		d.tell(apikey.Stream(key.KeyID), apikey.Create{Key: key}, m)
	}
	secret := fmt.Sprint(d.up(1000))
	switch d.up(6) {
	case 0, 1:
		name := "Key " + secret
		d.tell(apikey.Stream(key.KeyID), adopting(apikey.Change{Name: &name, Now: d.at()}), m)
	case 2, 3:
		rotate := apikey.Rotate{RotationID: "key_r" + secret, Hash: "hash-r" + secret, LastFour: "abcd", Overlap: time.Duration(d.up(3)) * time.Hour, Now: d.at()}
		d.tell(apikey.Stream(key.KeyID), adopting(rotate), m)
	case 4:
		if d.chance(30) {
			d.tell(apikey.Stream(key.KeyID), adopting(apikey.Revoke{Now: d.at()}), m)
		}
	}
}

// ofAnOrganization gives the people of an organization their next events.
func (d *draw) ofAnOrganization() {
	stream, m := account.Stream("org_9"), owner(0)
	m.OrganizationID = "org_9"
	who, invitation, role := fmt.Sprintf("usr_%d", 2+d.up(3)), fmt.Sprintf("inv_%d", d.up(1000)), access.Roles[d.up(4)]
	d.tell(stream, account.Found{
		Organization: account.OrganizationCreated{OrganizationID: "org_9", Name: "Ours", Plan: account.Free, At: d.at()},
		Owner:        account.UserAdded{UserID: "usr_1", Role: string(access.Owner), At: d.at()},
	}, m)
	d.tell(stream, account.Invite{Invitation: account.Invited{
		InvitationID: invitation, Email: "ciphertext", Role: role, TokenHash: "t", InvitedBy: "usr_1",
		ExpiresAt: domain.At(d.now.Add(time.Hour)), At: d.at(),
	}, Now: d.at()}, m)
	if d.chance(30) {
		d.tell(stream, account.RevokeInvitation{InvitationID: invitation, By: "usr_1", Now: d.at()}, m)
	}
	d.tell(stream, account.Join{InvitationID: invitation, TokenHash: "t", UserID: who, Now: d.at()}, m)
	d.tell(stream, account.ChangeRole{UserID: who, By: "usr_1", Role: access.Roles[d.up(4)], Now: d.at()}, m)
	if d.chance(30) {
		d.tell(stream, account.Transfer{To: who, By: "usr_1", Now: d.at()}, m)
		d.tell(stream, account.Transfer{To: "usr_1", By: who, Now: d.at()}, m)
	}
	if d.chance(30) {
		d.tell(stream, account.Remove{UserID: who, By: who, Now: d.at()}, m)
	}
	if d.chance(10) {
		d.tell(stream, account.Delete{By: "usr_1", Now: d.at()}, m)
	}
}

// ofAPerson gives a person and their address the next events.
func (d *draw) ofAPerson() {
	id := fmt.Sprintf("usr_%d", d.up(6))
	stream, m, session := user.Stream(id), owner(0), fmt.Sprintf("ssn_%d", d.up(1000))
	m.Address = "ciphertext"
	later := domain.At(d.now.Add(time.Hour))
	d.tell(stream, user.Register{User: user.Registered{UserID: id, Email: "ciphertext", Name: "ciphertext", PasswordHash: "h", At: d.at()}}, m)
	d.tell(stream, user.RequestVerification{TokenHash: session, ExpiresAt: later, Now: d.at()}, m)
	d.tell(stream, user.FailSignIn{AttemptID: session, Reason: "password", Now: d.at()}, m)
	for _, c := range []address.Command{address.Claim{UserID: id, Now: d.at()}, address.Confirm{UserID: id, Now: d.at()}} {
		d.tell(address.Stream("a"+id), c, m)
	}
	d.tell(stream, user.Vouch{Now: d.at()}, m)
	d.tell(stream, user.SignIn{SessionID: session, OrganizationID: "org_0", Checked: "h", Step: int64(d.up(1000)), RecoveryHash: []string{"", "r"}[d.up(2)], Agent: "ciphertext", Now: d.at()}, m)
	d.tell(stream, []user.Command{
		user.EnableFactor{Secret: "ciphertext", RecoveryHashes: []string{"r"}, Kept: session, Now: d.at()},
		user.EnableFactor{Secret: "ciphertext", RecoveryHashes: []string{"r"}, Kept: session, Now: d.at()},
		user.DisableFactor{Now: d.at()},
		user.Depart{OrganizationID: "org_0", Now: d.at()},
		user.ChooseOrganization{SessionID: session, OrganizationID: "org_1", Now: d.at()},
		user.RequestReset{TokenHash: session, ExpiresAt: later, Now: d.at()},
		user.ChangePassword{PasswordHash: []string{"h", "i"}[d.up(2)], Kept: session, Now: d.at()},
	}[d.up(7)], m)
	d.tell(stream, user.SignIn{SessionID: session + "r", OrganizationID: "org_0", Checked: "h", RecoveryHash: "r", Now: d.at()}, m)
	if d.chance(30) {
		d.tell(stream, user.DisableFactor{Now: d.at()}, m)
	}
	if d.chance(10) {
		d.tell(stream, user.Erase{Now: d.at()}, m)
		d.tell(address.Stream("a"+id), address.Release{UserID: id, Now: d.at()}, m)
	}
}
