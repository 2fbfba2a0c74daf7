package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/webhooks"
)

// CreateWebhook registers an endpoint.
func (a *api) CreateWebhook(c echo.Context) error {
	var request NewWebhook
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.once(c, func(ctx context.Context, id string, command service.Call) (answer, error) {
		doc, err := a.Commands.RegisterWebhook(ctx, command, id, service.NewWebhook{URL: request.URL, Events: texts(request.Events), Secret: request.Secret})
		if err != nil {
			return answer{}, err
		}
		body, etag, err := shownWebhook(doc.Document, doc.Secret, a.Now())
		return a.created("/webhooks/"+id, etag, body), err
	})
}

// ListWebhooks lists endpoints.
func (a *api) ListWebhooks(c echo.Context, params ListWebhooksParams) error {
	return list(a, c, a.Reads.Webhooks, service.Query{CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore}, params.Limit, params.Cursor, func(d projections.Document[webhooks.Document]) ([]byte, error) {
		body, _, err := shownWebhook(d, "", a.Now())
		return body, err
	})
}

// GetWebhook answers with an endpoint, as it is or was.
func (a *api) GetWebhook(c echo.Context, id WebhookID, params GetWebhookParams) error {
	doc, err := found(a, c, a.Reads.Webhook, a.Histories.WebhookAsOf, domain.PrefixWebhook, id, params.At)
	if err != nil {
		return err
	}
	then := a.Now()
	if params.At != "" {
		// As of a position, what the events until then say; as of a time, that.
		if then, err = time.Parse(time.RFC3339Nano, params.At); err != nil {
			then = time.Time{}
		}
	}
	body, etag, err := shownWebhook(doc, "", then)
	if err != nil {
		return err
	}
	return send(c, etag, body)
}

// webhookByName is an endpoint with its fields in the order of their names, as
// it is answered where it is not answered as it is stored.
type webhookByName struct {
	ConsecutiveFailures int                `json:"consecutive_failures"`
	CreatedAt           domain.Time        `json:"created_at"`
	DisabledAt          *domain.Time       `json:"disabled_at"`
	DisabledReason      *string            `json:"disabled_reason"`
	Events              []string           `json:"events"`
	ID                  string             `json:"id"`
	Secret              string             `json:"secret,omitempty"`
	SecretRotation      *webhooks.Rotation `json:"secret_rotation"`
	Status              webhook.Status     `json:"status"`
	URL                 string             `json:"url"`
	Warning             *webhooks.Warning  `json:"warning"`
}

// shownWebhook is an endpoint as it is answered, with its secret unless that is
// "", and its ETag. A rotation of the secret ends without an event: one that was
// over at a time is shown no longer.
func shownWebhook(doc projections.Document[webhooks.Document], secret string, at time.Time) (body []byte, etag string, err error) {
	w, err := doc.Decode()
	if err != nil {
		return nil, "", err
	}
	etag = revision(doc.Revision)
	over := w.SecretRotation != nil && !at.Before(w.SecretRotation.EndsAt.Time)
	if !over && secret == "" {
		return doc.JSON, etag, nil
	}
	if over {
		w.SecretRotation, etag = nil, fmt.Sprintf(`"%d-rotated"`, doc.Revision)
	}
	body, err = json.Marshal(webhookByName{
		ConsecutiveFailures: w.ConsecutiveFailures, CreatedAt: w.CreatedAt, DisabledAt: w.DisabledAt, DisabledReason: w.DisabledReason, Events: w.Events, ID: w.ID,
		Secret: secret, SecretRotation: w.SecretRotation, Status: w.Status, URL: w.URL, Warning: w.Warning,
	})
	if over {
		body = append(body, '\n') // the same ETag, the same bytes: these end a line
	}
	return body, etag, err
}

// ChangeWebhook merges a patch into an endpoint.
func (a *api) ChangeWebhook(c echo.Context, id WebhookID) error {
	if !domain.ValidID(domain.PrefixWebhook, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	call := callOf(c)
	change, err := webhookChange(call.body)
	if err != nil {
		return err
	}
	doc, err := a.Commands.ChangeWebhook(c.Request().Context(), call.change(c.Request()), id, change)
	if err != nil {
		return err
	}
	made, err := a.webhookAnswer(doc, "")
	if err != nil {
		return err
	}
	return write(c, made)
}

// webhookChange reads a merge patch (RFC 7396): events that are null are all.
func webhookChange(body []byte) (change service.WebhookChange, err error) {
	var asked patch
	if err := json.Unmarshal(body, &asked); err != nil {
		return change, fmt.Errorf("a body that its schema takes: %w", err)
	}
	if asked.isNull("events") {
		change.Events = &[]string{}
	} else if err := asked.decode("events", &change.Events); err != nil {
		return change, err
	}
	return change, asked.decode("url", &change.URL)
}

// webhookAnswer is the answer of a command to an endpoint that was there.
func (a *api) webhookAnswer(doc projections.Document[webhooks.Document], secret string) (answer, error) {
	body, etag, err := shownWebhook(doc, secret, a.Now())
	return answer{status: http.StatusOK, headers: map[string]string{"ETag": etag}, body: body}, err
}

// toWebhook runs a command on an endpoint, once per Idempotency-Key.
func (a *api) toWebhook(c echo.Context, id WebhookID, run func(ctx context.Context, madeID string, command service.Call) (answer, error)) error {
	if !domain.ValidID(domain.PrefixWebhook, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return a.once(c, run)
}

// PauseWebhook keeps deliveries from an endpoint.
func (a *api) PauseWebhook(c echo.Context, id WebhookID) error {
	return a.toWebhook(c, id, func(ctx context.Context, _ string, command service.Call) (answer, error) {
		doc, err := a.Commands.PauseWebhook(ctx, command, id)
		if err != nil {
			return answer{}, err
		}
		return a.webhookAnswer(doc, "")
	})
}

// EnableWebhook enables an endpoint again.
func (a *api) EnableWebhook(c echo.Context, id WebhookID) error {
	return a.toWebhook(c, id, func(ctx context.Context, _ string, command service.Call) (answer, error) {
		doc, err := a.Commands.EnableWebhook(ctx, command, id)
		if err != nil {
			return answer{}, err
		}
		return a.webhookAnswer(doc, "")
	})
}

// RotateSecret begins to replace an endpoint's secret.
func (a *api) RotateSecret(c echo.Context, id WebhookID) error {
	var request NewSecret
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.toWebhook(c, id, func(ctx context.Context, rotationID string, command service.Call) (answer, error) {
		doc, err := a.Commands.RotateSecret(ctx, command, id, rotationID, request.Secret)
		if err != nil {
			return answer{}, err
		}
		return a.webhookAnswer(doc.Document, doc.Secret)
	})
}

// PromoteSecret ends the replacement of an endpoint's secret.
func (a *api) PromoteSecret(c echo.Context, id WebhookID) error {
	return a.toWebhook(c, id, func(ctx context.Context, _ string, command service.Call) (answer, error) {
		doc, err := a.Commands.PromoteSecret(ctx, command, id)
		if err != nil {
			return answer{}, err
		}
		return a.webhookAnswer(doc, "")
	})
}

// TestWebhook sends a ping.
func (a *api) TestWebhook(c echo.Context, id WebhookID) error {
	return a.toWebhook(c, id, func(ctx context.Context, deliveryID string, command service.Call) (answer, error) {
		doc, err := a.Commands.PingWebhook(ctx, command, id, deliveryID)
		if err != nil {
			return answer{}, err
		}
		return a.created("/deliveries/"+deliveryID, revision(doc.Revision), doc.JSON), nil
	})
}

// ReplayDeliveries sends the deliveries of a time again.
func (a *api) ReplayDeliveries(c echo.Context, id WebhookID) error {
	var request NewReplay
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.toWebhook(c, id, func(ctx context.Context, replayID string, command service.Call) (answer, error) {
		replay, err := a.Commands.ReplayRange(ctx, command, id, replayID, service.NewReplay{
			From: request.From, To: request.To, Which: webhook.Which(request.Status), Preview: request.Preview,
		})
		if err != nil {
			return answer{}, err
		}
		body, err := json.Marshal(replay)
		return answer{status: http.StatusAccepted, body: body}, err
	})
}

// ReplayDelivery sends a delivery again.
func (a *api) ReplayDelivery(c echo.Context, id DeliveryID) error {
	if !domain.ValidID(domain.PrefixDelivery, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return a.once(c, func(ctx context.Context, deliveryID string, command service.Call) (answer, error) {
		doc, err := a.Commands.ReplayDelivery(ctx, command, id, deliveryID)
		if err != nil {
			return answer{}, err
		}
		return a.created("/deliveries/"+deliveryID, revision(doc.Revision), doc.JSON), nil
	})
}

// DeleteWebhook deletes an endpoint.
func (a *api) DeleteWebhook(c echo.Context, id WebhookID) error {
	if !domain.ValidID(domain.PrefixWebhook, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	if err := a.Commands.DeleteWebhook(c.Request().Context(), callOf(c).command(uuid.New()), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// ListDeliveries lists an endpoint's deliveries; those of a deleted one too.
func (a *api) ListDeliveries(c echo.Context, id WebhookID, params ListDeliveriesParams) error {
	if !domain.ValidID(domain.PrefixWebhook, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	q := service.Query{
		WebhookID: id, Status: string(params.Status), Event: string(params.Event), TestID: params.TestID,
		CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore,
	}
	return list(a, c, a.Reads.Deliveries, q, params.Limit, params.Cursor, nil)
}

// GetDelivery answers with a delivery and its attempts, as it is or was.
func (a *api) GetDelivery(c echo.Context, id DeliveryID, params GetDeliveryParams) error {
	doc, err := found(a, c, a.Reads.Delivery, a.Histories.DeliveryAsOf, domain.PrefixDelivery, id, params.At)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}
