package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
)

// CreateOAuthClient registers a client.
func (a *api) CreateOAuthClient(c echo.Context) error {
	request := NewOAuthClient{Type: NewOAuthClientType(service.ConfidentialClient)}
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.onceWitnessed(c, func(ctx context.Context, id string, command service.Call) (answer, error) {
		doc, err := a.Commands.RegisterClient(ctx, command, id, service.NewClient{
			Name: request.Name, RedirectURIs: request.RedirectUris, Type: service.ClientType(request.Type),
		})
		if err != nil {
			return answer{}, err
		}
		return a.created("/oauth/clients/"+id, revision(doc.Revision), doc.JSON), nil
	})
}

// ListOAuthClients lists clients.
func (a *api) ListOAuthClients(c echo.Context, params ListOAuthClientsParams) error {
	return list(a, c, a.Reads.Clients, service.Query{}, params.Limit, params.Cursor, nil)
}

// GetOAuthClient answers with a client.
func (a *api) GetOAuthClient(c echo.Context, id string) error {
	doc, err := find(c, a.Reads.Client, domain.PrefixClient, id)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}

// ChangeOAuthClient merges a patch into a client.
func (a *api) ChangeOAuthClient(c echo.Context, id string) error {
	if !domain.ValidID(domain.PrefixClient, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	var asked patch
	if err := json.Unmarshal(callOf(c).body, &asked); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	var name *string
	var redirectURIs []string
	if err := asked.decode("name", &name); err != nil {
		return err
	}
	if err := asked.decode("redirect_uris", &redirectURIs); err != nil {
		return err
	}
	command, err := a.change(c)
	if err != nil {
		return err
	}
	doc, err := a.Commands.ChangeClient(c.Request().Context(), command, id, name, redirectURIs)
	if err != nil {
		return err
	}
	return write(c, clientAnswer(doc))
}

func clientAnswer(doc projections.Document[service.ClientDocument]) answer {
	return answer{status: http.StatusOK, headers: map[string]string{"ETag": revision(doc.Revision)}, body: doc.JSON}
}

// RotateOAuthClientSecret replaces the secret of a client.
func (a *api) RotateOAuthClientSecret(c echo.Context, id string) error {
	if !domain.ValidID(domain.PrefixClient, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	var request OAuthSecretRotation
	if body := callOf(c).body; len(body) > 0 {
		if err := json.Unmarshal(body, &request); err != nil {
			return fmt.Errorf("a body that its schema takes: %w", err)
		}
	}
	return a.onceWitnessed(c, func(ctx context.Context, _ string, command service.Call) (answer, error) {
		doc, err := a.Commands.RotateClientSecret(ctx, command, id, time.Duration(request.OverlapSeconds)*time.Second)
		if err != nil {
			return answer{}, err
		}
		return clientAnswer(doc), nil
	})
}

// DeleteOAuthClient ends a client.
func (a *api) DeleteOAuthClient(c echo.Context, id string) error {
	return a.ends(c, domain.PrefixClient, id, a.Commands.DeleteClient)
}

// ListOAuthGrants lists what the person behind the credential has granted.
func (a *api) ListOAuthGrants(c echo.Context, params ListOAuthGrantsParams) error {
	return list(a, c, a.Reads.Grants, service.Query{}, params.Limit, params.Cursor, nil)
}

// RevokeOAuthGrant takes back what was granted.
func (a *api) RevokeOAuthGrant(c echo.Context, id string) error {
	return a.ends(c, domain.PrefixGrant, id, a.Commands.RevokeGrant)
}
