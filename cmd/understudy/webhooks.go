package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/egress"
	"understudy/adapters/httpapi"
	"understudy/adapters/keyring"
	"understudy/adapters/webhooksender"
	"understudy/domain"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/webhooks"
)

// webhookCommands makes, changes and deletes endpoints.
type webhookCommands struct {
	streams   *streams
	pool      *pgxpool.Pool
	positions *projections.Positions
	ready     *readiness
	egress    *egress.Policy
	keys      *keyring.Keyring
}

// Register makes an endpoint and answers with its secret, the only time.
func (c *webhookCommands) Register(ctx context.Context, call httpapi.Call, webhookID string, in httpapi.NewWebhook) (httpapi.Document, error) {
	if err := c.egress.CheckURL(ctx, in.URL); err != nil {
		return httpapi.Document{}, err
	}
	sealed, err := c.seal(webhookID, in.Secret)
	if err != nil {
		return httpapi.Document{}, err
	}
	p := call.Principal
	state, err := c.handle(ctx, call, webhookID, webhook.Register{Webhook: webhook.Registered{
		WebhookID: webhookID, OrganizationID: p.OrganizationID, Environment: p.Environment,
		URL: in.URL, Events: texts(in.Events), Secret: sealed, At: now(),
	}})
	if err != nil {
		return httpapi.Document{}, err
	}
	// A retry must show the secret that was recorded the first time.
	return c.withSecret(ctx, p, webhookID, state.Webhook.Secret)
}

// seal encrypts a secret, or a new one in place of none.
func (c *webhookCommands) seal(webhookID, secret string) (string, error) {
	if secret == "" {
		secret = webhooksender.GenerateSecret()
	}
	return c.keys.SealString(secret, secretPlace(webhookID))
}

// Change sets an endpoint's address and events. What still waits goes to the
// new address.
func (c *webhookCommands) Change(ctx context.Context, call httpapi.Call, webhookID string, in httpapi.WebhookChange) (httpapi.Document, error) {
	if _, err := c.owned(ctx, call.Principal, webhookID); err != nil {
		return httpapi.Document{}, err
	}
	if in.URL != nil {
		if err := c.egress.CheckURL(ctx, *in.URL); err != nil {
			return httpapi.Document{}, err
		}
	}
	return c.handled(ctx, call, webhookID, webhook.Change{URL: in.URL, Events: in.Events, Now: now()})
}

// Enable lets deliveries go to an endpoint again.
func (c *webhookCommands) Enable(ctx context.Context, call httpapi.Call, webhookID string) (httpapi.Document, error) {
	if _, err := c.owned(ctx, call.Principal, webhookID); err != nil {
		return httpapi.Document{}, err
	}
	return c.handled(ctx, call, webhookID, webhook.Enable{Now: now()})
}

// RotateSecret begins a rotation and answers with the new secret, the only time.
func (c *webhookCommands) RotateSecret(ctx context.Context, call httpapi.Call, webhookID, rotationID, secret string) (httpapi.Document, error) {
	state, err := c.owned(ctx, call.Principal, webhookID)
	if err != nil {
		return httpapi.Document{}, err
	}
	if secret != "" && state.Rotation.ID != rotationID {
		current, _ := state.Secrets(now().Time)
		inForce, err := c.keys.OpenString(current, secretPlace(webhookID))
		if err != nil {
			return httpapi.Document{}, err
		}
		if secret == inForce {
			return httpapi.Document{}, domain.Invalid("/secret", "unchanged", "secret is the one in force; give another, or none to get a new one")
		}
	}
	sealed, err := c.seal(webhookID, secret)
	if err != nil {
		return httpapi.Document{}, err
	}
	state, err = c.handle(ctx, call, webhookID, webhook.RotateSecret{RotationID: rotationID, Secret: sealed, Now: now()})
	if err != nil {
		return httpapi.Document{}, err
	}
	if state.Rotation.ID != rotationID {
		return httpapi.Document{}, domain.Refuse(domain.CodeConflict, "the secret was rotated again in the meantime; rotate it once more to get one")
	}
	return c.withSecret(ctx, call.Principal, webhookID, state.Rotation.Secret)
}

// PromoteSecret ends a rotation.
func (c *webhookCommands) PromoteSecret(ctx context.Context, call httpapi.Call, webhookID string) (httpapi.Document, error) {
	if _, err := c.owned(ctx, call.Principal, webhookID); err != nil {
		return httpapi.Document{}, err
	}
	return c.handled(ctx, call, webhookID, webhook.PromoteSecret{Now: now()})
}

// Delete removes an endpoint. What still waits for it is skipped.
func (c *webhookCommands) Delete(ctx context.Context, call httpapi.Call, webhookID string) error {
	if _, err := c.owned(ctx, call.Principal, webhookID); err != nil {
		return err
	}
	_, err := c.handle(ctx, call, webhookID, webhook.Delete{Now: now()})
	return err
}

// owned is an endpoint of the principal's as of now.
func (c *webhookCommands) owned(ctx context.Context, p httpapi.Principal, webhookID string) (webhook.State, error) {
	// Whose it is decides whether it is there at all.
	if _, err := webhooks.Get(ctx, c.pool, webhookID, ownerOf(p)); err != nil {
		return webhook.State{}, err
	}
	result, err := c.streams.webhooks.Load(ctx, webhook.Stream(webhookID))
	return result.State, err
}

// handle runs a command and returns once reads show what it did.
func (c *webhookCommands) handle(ctx context.Context, call httpapi.Call, webhookID string, command webhook.Command) (webhook.State, error) {
	if err := c.ready.accepts(webhooks.Projection.Name); err != nil {
		return webhook.State{}, err
	}
	result, err := c.streams.webhooks.Handle(ctx, call.CommandID, webhook.Stream(webhookID), command, call.Meta)
	if err != nil {
		return result.State, err
	}
	return result.State, c.positions.WaitOwnWrite(ctx, webhooks.Projection.Name, result.Position)
}

// handled runs a command and answers with the endpoint as it is then.
func (c *webhookCommands) handled(ctx context.Context, call httpapi.Call, webhookID string, command webhook.Command) (httpapi.Document, error) {
	if _, err := c.handle(ctx, call, webhookID, command); err != nil {
		return httpapi.Document{}, err
	}
	d, err := webhooks.Get(ctx, c.pool, webhookID, ownerOf(call.Principal))
	return httpapi.Document{JSON: d.JSON, Revision: d.Revision}, err
}

// withSecret is an endpoint's document with a secret in it.
func (c *webhookCommands) withSecret(ctx context.Context, p httpapi.Principal, webhookID, sealed string) (httpapi.Document, error) {
	secret, err := c.keys.OpenString(sealed, secretPlace(webhookID))
	if err != nil {
		return httpapi.Document{}, err
	}
	d, err := webhooks.Get(ctx, c.pool, webhookID, ownerOf(p))
	if err != nil {
		return httpapi.Document{}, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(d.JSON, &fields); err != nil {
		return httpapi.Document{}, fmt.Errorf("webhook %s: %w", webhookID, err)
	}
	if fields["secret"], err = json.Marshal(secret); err != nil {
		return httpapi.Document{}, err
	}
	full, err := json.Marshal(fields)
	return httpapi.Document{JSON: full, Revision: d.Revision}, err
}

func secretPlace(webhookID string) string { return "webhook secret " + webhookID }

func texts[T ~string](names []T) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return out
}
