package webhook

import (
	"time"

	"understudy/domain"
)

// Rotation is the last change of an endpoint's secret. It is over when it was
// promoted or EndsAt has come, whichever is first: a function of what was
// recorded and the time it is, so that nothing has to happen for it to end.
type Rotation struct {
	ID string // "" when there was none
	// Secret is the new secret, as ciphertext.
	Secret            string
	StartedAt, EndsAt domain.Time
	Promoted          bool
}

// Under reports whether the rotation is under way: both secrets count.
func (r Rotation) Under(now time.Time) bool {
	return r.ID != "" && !r.Promoted && now.Before(r.EndsAt.Time)
}

// Secrets are the ciphertexts that deliveries are signed with at a time.
// Previous is "" unless a rotation is under way.
func (s State) Secrets(now time.Time) (current, previous string) {
	switch {
	case s.Rotation.ID == "":
		return s.Webhook.Secret, ""
	case s.Rotation.Under(now):
		return s.Rotation.Secret, s.Webhook.Secret
	}
	return s.Rotation.Secret, ""
}

func rotateSecret(s State, c RotateSecret) ([]Event, error) {
	if s.Rotation.ID == c.RotationID {
		return nil, nil
	}
	if s.Rotation.Under(c.Now.Time) {
		return nil, domain.Refuse(domain.CodeWrongState,
			"a rotation is under way until %s; end it first with POST /v1/webhooks/%s/promote_secret", s.Rotation.EndsAt, s.Webhook.WebhookID)
	}
	return []Event{SecretRotated{
		RotationID: c.RotationID, Secret: c.Secret, EndsAt: domain.At(c.Now.Add(RotationOverlap)), At: c.Now,
	}}, nil
}

func promoteSecret(s State, c PromoteSecret) ([]Event, error) {
	if s.Rotation.ID == "" {
		return nil, domain.Refuse(domain.CodeWrongState,
			"no new secret waits to be promoted; POST /v1/webhooks/%s/rotate_secret makes one", s.Webhook.WebhookID)
	}
	if !s.Rotation.Under(c.Now.Time) {
		return nil, nil // the new secret is the only one already
	}
	return []Event{SecretPromoted{RotationID: s.Rotation.ID, At: c.Now}}, nil
}
