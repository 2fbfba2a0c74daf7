package service

import (
	"context"

	"understudy/domain"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/webhooks"
)

// NewWebhook is an endpoint as it is asked for.
type NewWebhook struct {
	URL string
	// Events is empty for all events.
	Events []string
	// Secret is "" for a generated one.
	Secret string
}

// WebhookChange is what to change of an endpoint; nil stays as it is.
type WebhookChange struct {
	URL *string
	// Events is empty for all events.
	Events *[]string
}

// WithSecret is an endpoint with its secret, which is shown once.
type WithSecret struct {
	projections.Document[webhooks.Document]
	Secret string
}

// RegisterWebhook makes an endpoint and answers with its secret, the only time.
// Trying again with the same ids answers with the secret that was recorded.
func (s *Service) RegisterWebhook(ctx context.Context, call Call, webhookID string, in NewWebhook) (WithSecret, error) {
	if err := s.Targets.CheckURL(ctx, in.URL); err != nil {
		return WithSecret{}, err
	}
	sealed, err := s.sealSecret(webhookID, in.Secret)
	if err != nil {
		return WithSecret{}, err
	}
	p := call.Principal
	leave, err := s.admitWebhook(ctx, p, webhookID)
	if err != nil {
		return WithSecret{}, err
	}
	defer leave()
	register := webhook.Register{Webhook: webhook.Registered{
		WebhookID: webhookID, OrganizationID: p.OrganizationID, Environment: p.Environment,
		URL: in.URL, Events: append([]string{}, in.Events...), Secret: sealed, At: now(),
	}}
	return toWebhook(ctx, s, call, webhookID, register, func(state webhook.State) (WithSecret, error) {
		return s.withSecret(ctx, p, webhookID, state.Webhook.Secret)
	})
}

// sealSecret encrypts a secret, or a new one in place of none.
func (s *Service) sealSecret(webhookID, secret string) (string, error) {
	if secret == "" {
		secret = s.NewSecret()
	}
	return s.Keys.SealString(secret, secretPlace(webhookID))
}

// ChangeWebhook sets an endpoint's address and events. What still waits goes to
// the new address.
func (s *Service) ChangeWebhook(ctx context.Context, call Call, webhookID string, in WebhookChange) (projections.Document[webhooks.Document], error) {
	if _, err := s.ownedWebhook(ctx, call.Principal, webhookID); err != nil {
		return projections.Document[webhooks.Document]{}, err
	}
	if in.URL != nil {
		if err := s.Targets.CheckURL(ctx, *in.URL); err != nil {
			return projections.Document[webhooks.Document]{}, err
		}
	}
	return s.changed(ctx, call, webhookID, webhook.Change{URL: in.URL, Events: in.Events, Now: now()})
}

// EnableWebhook lets deliveries go to an endpoint again.
func (s *Service) EnableWebhook(ctx context.Context, call Call, webhookID string) (projections.Document[webhooks.Document], error) {
	if _, err := s.ownedWebhook(ctx, call.Principal, webhookID); err != nil {
		return projections.Document[webhooks.Document]{}, err
	}
	return s.changed(ctx, call, webhookID, webhook.Enable{Now: now()})
}

// RotateSecret begins a rotation to a secret, "" for a generated one, and answers
// with it, the only time.
func (s *Service) RotateSecret(ctx context.Context, call Call, webhookID, rotationID, secret string) (WithSecret, error) {
	state, err := s.ownedWebhook(ctx, call.Principal, webhookID)
	if err != nil {
		return WithSecret{}, err
	}
	if secret != "" && state.Rotation.ID != rotationID {
		current, _ := state.Secrets(now().Time)
		inForce, err := s.Keys.OpenString(current, secretPlace(webhookID))
		if err != nil {
			return WithSecret{}, err
		}
		if secret == inForce { // only the keyring can tell
			return WithSecret{}, domain.Invalid("secret", "unchanged", "secret is the one in force; give another, or none to get a new one")
		}
	}
	sealed, err := s.sealSecret(webhookID, secret)
	if err != nil {
		return WithSecret{}, err
	}
	rotate := webhook.RotateSecret{RotationID: rotationID, Secret: sealed, Now: now()}
	return toWebhook(ctx, s, call, webhookID, rotate, func(state webhook.State) (WithSecret, error) {
		if state.Rotation.ID != rotationID {
			return WithSecret{}, domain.Refuse(domain.CodeConflict, "the secret was rotated again in the meantime; rotate it once more to get one")
		}
		return s.withSecret(ctx, call.Principal, webhookID, state.Rotation.Secret)
	})
}

// PauseWebhook keeps deliveries from an endpoint until it is enabled.
func (s *Service) PauseWebhook(ctx context.Context, call Call, webhookID string) (projections.Document[webhooks.Document], error) {
	if _, err := s.ownedWebhook(ctx, call.Principal, webhookID); err != nil {
		return projections.Document[webhooks.Document]{}, err
	}
	return s.changed(ctx, call, webhookID, webhook.Pause{Now: now()})
}

// PromoteSecret ends a rotation.
func (s *Service) PromoteSecret(ctx context.Context, call Call, webhookID string) (projections.Document[webhooks.Document], error) {
	if _, err := s.ownedWebhook(ctx, call.Principal, webhookID); err != nil {
		return projections.Document[webhooks.Document]{}, err
	}
	return s.changed(ctx, call, webhookID, webhook.PromoteSecret{Now: now()})
}

// DeleteWebhook removes an endpoint. What still waits for it is skipped.
func (s *Service) DeleteWebhook(ctx context.Context, call Call, webhookID string) error {
	if _, err := s.ownedWebhook(ctx, call.Principal, webhookID); err != nil {
		return err
	}
	_, err := toWebhook(ctx, s, call, webhookID, webhook.Delete{Now: now()}, func(webhook.State) (struct{}, error) { return struct{}{}, nil })
	return err
}

// ownedWebhook is an endpoint of the principal's as of now.
func (s *Service) ownedWebhook(ctx context.Context, p Principal, webhookID string) (webhook.State, error) {
	// Whose it is decides whether it is there at all.
	if _, err := s.Webhook(ctx, p, webhookID); err != nil {
		return webhook.State{}, err
	}
	result, err := s.Streams.Webhooks.Load(ctx, webhook.Stream(webhookID))
	return result.State, err
}

func toWebhook[T any](ctx context.Context, s *Service, call Call, webhookID string, command webhook.Command, read func(webhook.State) (T, error)) (T, error) {
	return handle(ctx, s, s.Streams.Webhooks, call, webhook.Stream(webhookID), command, []string{webhooks.Projection.Name}, read)
}

// changed runs a command and answers with the endpoint as it is then.
func (s *Service) changed(ctx context.Context, call Call, webhookID string, command webhook.Command) (projections.Document[webhooks.Document], error) {
	return toWebhook(ctx, s, call, webhookID, command, func(webhook.State) (projections.Document[webhooks.Document], error) {
		return s.Webhook(ctx, call.Principal, webhookID)
	})
}

func (s *Service) withSecret(ctx context.Context, p Principal, webhookID, sealed string) (w WithSecret, err error) {
	if w.Secret, err = s.Keys.OpenString(sealed, secretPlace(webhookID)); err != nil {
		return w, err
	}
	w.Document, err = s.Webhook(ctx, p, webhookID)
	return w, err
}

func secretPlace(webhookID string) string { return "webhook secret " + webhookID }
