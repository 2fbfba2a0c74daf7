package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"understudy/domain"
	"understudy/domain/access"
	"understudy/domain/grant"
	"understudy/domain/oauthclient"
	"understudy/eventstore"
	"understudy/projections"
	"understudy/projections/grants"
)

// Why grants are revoked.
const (
	// ByPerson: the person has taken back what it allowed.
	ByPerson = "person"
	// ByClient: the client has revoked a token.
	ByClient = "client"
	// ClientDeleted: there is no such client any longer.
	ClientDeleted = "client_deleted"
)

// What codes and tokens begin with. The grant's id comes next: it is why each can be
// found without a look-up by its hash.
const (
	codePrefix    = "ac_"
	accessPrefix  = "at_"
	refreshPrefix = "rt_"
)

// GrantDocument is what a person has allowed a client, as it is shown.
type GrantDocument struct {
	Client      GrantedClient      `json:"client"`
	CreatedAt   domain.Time        `json:"created_at"`
	Environment domain.Environment `json:"environment"`
	ExpiresAt   domain.Time        `json:"expires_at"`
	ID          string             `json:"id"`
	// RefreshedAt is when the client got its newest tokens.
	RefreshedAt *domain.Time `json:"refreshed_at"`
	Scopes      []string     `json:"scopes"`
}

// GrantedClient is the client of a grant.
type GrantedClient struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Grants lists what the principal's person has allowed clients, newest first.
func (r Reads) Grants(ctx context.Context, p Principal, q Query) (Page[GrantDocument], error) {
	if p.UserID == "" {
		return Page[GrantDocument]{}, nil
	}
	docs, more, err := grants.List(ctx, r.Pool, p.owner(), p.UserID, time.Now(), q.After, q.Limit)
	if err != nil {
		return Page[GrantDocument]{}, err
	}
	var found []grants.Grant
	var ids []string
	for _, d := range docs {
		g, err := d.Decode()
		if err != nil {
			return Page[GrantDocument]{}, err
		}
		found, ids = append(found, g), append(ids, g.ClientID)
	}
	names, err := grants.ClientNames(ctx, r.Pool, ids)
	if err != nil {
		return Page[GrantDocument]{}, err
	}
	names[oauthclient.CommandLine.ClientID] = oauthclient.CommandLine.Name
	shown := make([]projections.Document[GrantDocument], len(docs))
	for i, g := range found {
		if shown[i], err = projections.Made(g.ID, GrantDocument{
			Client: GrantedClient{ID: g.ClientID, Name: names[g.ClientID]}, CreatedAt: g.CreatedAt, Environment: g.Environment,
			ExpiresAt: g.EndsAt, ID: g.ID, RefreshedAt: g.RefreshedAt, Scopes: g.Scopes,
		}, docs[i].Revision); err != nil {
			return Page[GrantDocument]{}, err
		}
	}
	return byID(shown, more, nil)
}

// RevokeGrant takes back what the principal's person has allowed a client.
func (s *Service) RevokeGrant(ctx context.Context, call Call, grantID string) error {
	p := call.Principal
	if p.UserID == "" {
		return projections.NotFound(grantID)
	}
	if _, err := grants.Get(ctx, s.Pool, grantID, p.UserID, p.owner()); err != nil {
		return err
	}
	return s.revoke(ctx, call.about(grantID), grantID, ByPerson)
}

func (s *Service) revoke(ctx context.Context, call Call, grantID, reason string) error {
	_, err := handle(ctx, s, s.Streams.Grants, call, grant.Stream(grantID), grant.Command(grant.Revoke{Reason: reason, Now: now()}),
		[]string{grants.Projection.Name}, func(grant.State) (struct{}, error) {
			s.Tokens.end(grantID)
			return struct{}{}, nil
		})
	return err
}

// Consent is what a person allows a client.
type Consent struct {
	Client      oauthclient.Registered
	Scopes      []string
	Environment domain.Environment
	RedirectURI string
	// Challenge is the S256 code challenge, "" for none.
	Challenge string
}

// Allow records a person's consent and answers with the code that tells the client
// of it. Scopes beyond the person's role are not granted.
func (s *Service) Allow(ctx context.Context, call Call, in Consent) (code string, err error) {
	p, at, id := call.Principal, time.Now(), uuid.Must(uuid.NewV7())
	grantID := domain.FormatID(domain.PrefixGrant, id)
	code = tokenOf(codePrefix, grantID)
	call = call.about(grantID)
	call.Meta.Environment = in.Environment
	issue := grant.Issue{Grant: grant.Issued{
		GrantID: grantID, OrganizationID: p.OrganizationID, Environment: in.Environment, UserID: p.UserID, ClientID: in.Client.ClientID,
		Scopes: access.Within(in.Scopes, p.Role), RedirectURI: in.RedirectURI, Challenge: in.Challenge, CodeHash: hashToken(code),
		CodeExpiresAt: domain.At(at.Add(grant.CodeLifetime)), EndsAt: domain.At(at.Add(grant.Lifetime)), At: domain.At(at),
	}}
	_, err = s.Streams.Grants.Handle(ctx, call.CommandID, grant.Stream(grantID), issue, call.Meta)
	return code, err
}

// TokenPair is what a client gets.
type TokenPair struct {
	Access, Refresh string
	// Expires is how long the access token counts from now.
	Expires time.Duration
	Scopes  []string
}

// tokenOf makes a code or a token of a grant.
func tokenOf(prefix, grantID string) string {
	return prefix + strings.TrimPrefix(grantID, domain.PrefixGrant+"_") + "_" + newToken()
}

// grantOf is the grant that a code or token names, "" for what is none.
func grantOf(prefix, token string) string {
	rest, ok := strings.CutPrefix(token, prefix)
	id, secret, whole := strings.Cut(rest, "_")
	if id = domain.PrefixGrant + "_" + id; ok && whole && secret != "" && domain.ValidID(domain.PrefixGrant, id) {
		return id
	}
	return ""
}

// Redemption is how a client presents a code.
type Redemption struct{ Code, RedirectURI, Verifier string }

// Redeem exchanges a code for tokens. The client is one that was authenticated.
func (s *Service) Redeem(ctx context.Context, client oauthclient.State, requestID string, in Redemption) (TokenPair, error) {
	grantID := grantOf(codePrefix, in.Code)
	return s.exchange(ctx, client, requestID, grantID, func(accessHash, refreshHash string) grant.Command {
		return grant.Redeem{
			ClientID: client.Client.ClientID, RedirectURI: in.RedirectURI, CodeHash: hashToken(in.Code), Verifier: in.Verifier,
			AccessHash: accessHash, NewRefresh: refreshHash, Now: now(),
		}
	})
}

// Refresh exchanges a refresh token for new tokens with these scopes, none for all
// that were granted. The client is one that was authenticated.
func (s *Service) Refresh(ctx context.Context, client oauthclient.State, requestID, token string, scopes []string) (TokenPair, error) {
	return s.exchange(ctx, client, requestID, grantOf(refreshPrefix, token), func(accessHash, refreshHash string) grant.Command {
		return grant.Refresh{
			ClientID: client.Client.ClientID, RefreshHash: hashToken(token), Scopes: scopes, AccessHash: accessHash, NewRefresh: refreshHash, Now: now(),
		}
	})
}

// exchange gives tokens for what a command to a grant presents. That what is
// presented was used before ends the grant, and is recorded.
func (s *Service) exchange(ctx context.Context, client oauthclient.State, requestID, grantID string, command func(accessHash, refreshHash string) grant.Command) (TokenPair, error) {
	if grantID == "" {
		return TokenPair{}, projections.NotFound("grant")
	}
	before, err := s.Streams.Grants.Load(ctx, grant.Stream(grantID))
	if errors.Is(err, eventstore.ErrStreamNotFound) {
		return TokenPair{}, projections.NotFound("grant")
	} else if err != nil {
		return TokenPair{}, err
	}
	given := before.State.Grant
	if role, _, err := s.Directory.standing(ctx, given.OrganizationID, given.UserID); err != nil {
		return TokenPair{}, err
	} else if !role.Known() {
		return TokenPair{}, domain.Refuse(domain.CodeWrongState, "who allowed it is no member of the organization any longer")
	}
	out := TokenPair{Access: tokenOf(accessPrefix, grantID), Refresh: tokenOf(refreshPrefix, grantID)}
	accessHash := hashToken(out.Access)
	call := byClient(client, given, requestID)
	return handle(ctx, s, s.Streams.Grants, call, grant.Stream(grantID), command(accessHash, hashToken(out.Refresh)), []string{grants.Projection.Name},
		func(after grant.State) (TokenPair, error) {
			if after.Revoked {
				s.Tokens.end(grantID)
			}
			if after.Revoked || after.Tokens.AccessHash != accessHash {
				return TokenPair{}, domain.Refuse(domain.CodeWrongState, "this was used before; the grant has ended")
			}
			out.Expires, out.Scopes = time.Until(after.Tokens.AccessExpiresAt.Time), after.Tokens.Scopes
			return out, nil
		})
}

// byClient is a request of a client about a grant.
func byClient(client oauthclient.State, g grant.Issued, requestID string) Call {
	return Call{CommandID: uuid.New(), Meta: domain.Meta{
		CorrelationID: g.GrantID, Actor: client.Client.ClientID, KeyID: g.GrantID, OrganizationID: g.OrganizationID, Environment: g.Environment, RequestID: requestID,
	}}
}

// RevokeToken ends the grant that a token of a client's belongs to. What is no token
// of the client's changes nothing.
func (s *Service) RevokeToken(ctx context.Context, client oauthclient.State, requestID, token string) error {
	hash := hashToken(token)
	for _, prefix := range []string{refreshPrefix, accessPrefix} {
		grantID := grantOf(prefix, token)
		if grantID == "" {
			continue
		}
		result, err := s.Streams.Grants.Load(ctx, grant.Stream(grantID))
		if errors.Is(err, eventstore.ErrStreamNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		state := result.State
		known := state.Redeemed() && (hash == state.Tokens.RefreshHash || hash == state.Tokens.AccessHash || slices.Contains(state.Spent, hash))
		if !known && prefix == accessPrefix {
			g, err := grants.Find(ctx, s.Pool, grantID)
			if err != nil && domain.CodeOf(err) != domain.CodeNotFound {
				return err
			}
			_, known = g.Token(hash, time.Now())
		}
		if known && !state.Revoked && state.Grant.ClientID == client.Client.ClientID {
			return s.revoke(ctx, byClient(client, state.Grant, requestID), grantID, ByClient)
		}
	}
	return nil
}
