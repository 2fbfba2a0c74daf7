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
		shown, err := shownSecret(doc)
		if err != nil {
			return answer{}, err
		}
		return a.created("/webhooks/"+id, revision(doc.Revision), shown, nil)
	})
}

// ListWebhooks lists endpoints.
func (a *api) ListWebhooks(c echo.Context, params ListWebhooksParams) error {
	return a.list(c, a.withoutPast, service.Query{}, params.Limit, params.Cursor, nil)
}

// GetWebhook answers with an endpoint, as it is or was.
func (a *api) GetWebhook(c echo.Context, id WebhookID, params GetWebhookParams) error {
	doc, _, err := a.found(c, a.Reads.Webhook, domain.PrefixWebhook, id, params.At)
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
	doc, over, err := withoutPastRotation(doc, then)
	if err != nil {
		return err
	}
	return sendDocument(c, webhookRevision(doc, over), doc, nil)
}

// shownSecret is an endpoint's document with its secret in it.
func shownSecret(w service.WithSecret) (projections.Document, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(w.JSON, &fields); err != nil {
		return w.Document, fmt.Errorf("webhook %s: %w", w.ID, err)
	}
	var err error
	if fields["secret"], err = json.Marshal(w.Secret); err != nil {
		return w.Document, err
	}
	w.JSON, err = json.Marshal(fields)
	return w.Document, err
}

// webhookRevision is the ETag of an endpoint: a rotation ends without an event.
func webhookRevision(doc projections.Document, rotationOver bool) string {
	if rotationOver {
		return fmt.Sprintf(`"%d-rotated"`, doc.Revision)
	}
	return revision(doc.Revision)
}

// withoutPastRotation shows a rotation of the secret no longer that was over at
// a time, and reports whether there was one.
func withoutPastRotation(doc projections.Document, now time.Time) (_ projections.Document, over bool, err error) {
	var has struct {
		SecretRotation *struct {
			EndsAt time.Time `json:"ends_at"`
		} `json:"secret_rotation"`
	}
	if err := json.Unmarshal(doc.JSON, &has); err != nil {
		return doc, false, fmt.Errorf("webhook: %w", err)
	}
	if has.SecretRotation == nil || now.Before(has.SecretRotation.EndsAt) {
		return doc, false, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(doc.JSON, &fields); err != nil {
		return doc, false, fmt.Errorf("webhook: %w", err)
	}
	fields["secret_rotation"] = json.RawMessage("null")
	doc.JSON, err = encode(fields)
	return doc, true, err
}

// withoutPast lists endpoints without the rotations that are over.
func (a *api) withoutPast(ctx context.Context, p service.Principal, q service.Query) (service.Page, error) {
	page, err := a.Reads.Webhooks(ctx, p, q)
	for i, item := range page.Items {
		if err != nil {
			break
		}
		page.Items[i], _, err = withoutPastRotation(item, a.Now())
	}
	return page, err
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
	doc, err := a.Commands.ChangeWebhook(c.Request().Context(), call.command(uuid.New()), id, change)
	if err != nil {
		return err
	}
	made, err := a.webhookAnswer(doc)
	if err != nil {
		return err
	}
	return write(c, made)
}

// webhookChange reads a merge patch (RFC 7396): events that are null are all.
func webhookChange(body []byte) (change service.WebhookChange, err error) {
	var patch settings
	if err := json.Unmarshal(body, &patch); err != nil {
		return change, fmt.Errorf("a body that its schema takes: %w", err)
	}
	if isNull(patch, "events") {
		change.Events = &[]string{}
	} else if err := decodeMember(patch, "events", &change.Events); err != nil {
		return change, err
	}
	return change, decodeMember(patch, "url", &change.URL)
}

// webhookAnswer is the answer of a command to an endpoint that was there.
func (a *api) webhookAnswer(doc projections.Document) (answer, error) {
	doc, over, err := withoutPastRotation(doc, a.Now())
	return answer{status: http.StatusOK, headers: map[string]string{"ETag": webhookRevision(doc, over)}, body: doc.JSON}, err
}

// toWebhook runs a command on an endpoint, once per Idempotency-Key.
func (a *api) toWebhook(c echo.Context, id WebhookID, run func(ctx context.Context, madeID string, command service.Call) (answer, error)) error {
	if !domain.ValidID(domain.PrefixWebhook, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return a.once(c, run)
}

// EnableWebhook enables an endpoint again.
func (a *api) EnableWebhook(c echo.Context, id WebhookID) error {
	return a.toWebhook(c, id, func(ctx context.Context, _ string, command service.Call) (answer, error) {
		doc, err := a.Commands.EnableWebhook(ctx, command, id)
		if err != nil {
			return answer{}, err
		}
		return a.webhookAnswer(doc)
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
		shown, err := shownSecret(doc)
		if err != nil {
			return answer{}, err
		}
		return a.webhookAnswer(shown)
	})
}

// PromoteSecret ends the replacement of an endpoint's secret.
func (a *api) PromoteSecret(c echo.Context, id WebhookID) error {
	return a.toWebhook(c, id, func(ctx context.Context, _ string, command service.Call) (answer, error) {
		doc, err := a.Commands.PromoteSecret(ctx, command, id)
		if err != nil {
			return answer{}, err
		}
		return a.webhookAnswer(doc)
	})
}

// TestWebhook sends a ping.
func (a *api) TestWebhook(c echo.Context, id WebhookID) error {
	return a.toWebhook(c, id, func(ctx context.Context, deliveryID string, command service.Call) (answer, error) {
		doc, err := a.Commands.PingWebhook(ctx, command, id, deliveryID)
		if err != nil {
			return answer{}, err
		}
		return a.created("/deliveries/"+deliveryID, revision(doc.Revision), doc, nil)
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
		return a.created("/deliveries/"+deliveryID, revision(doc.Revision), doc, nil)
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
	return a.list(c, a.Reads.Deliveries, q, params.Limit, params.Cursor, nil)
}

// GetDelivery answers with a delivery and its attempts, as it is or was.
func (a *api) GetDelivery(c echo.Context, id DeliveryID, params GetDeliveryParams) error {
	doc, _, err := a.found(c, a.Reads.Delivery, domain.PrefixDelivery, id, params.At)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}
