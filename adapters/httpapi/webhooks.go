package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// CreateWebhook registers an endpoint.
func (a *api) CreateWebhook(c echo.Context, _ CreateWebhookParams) error {
	var request NewWebhook
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.once(c, func(ctx context.Context, id string, command Call) (answer, error) {
		doc, err := a.WebhookCommands.Register(ctx, command, id, request)
		if err != nil {
			return answer{}, err
		}
		return a.created("/webhooks/"+id, revision(doc.Revision), doc, nil)
	})
}

// ListWebhooks lists endpoints.
func (a *api) ListWebhooks(c echo.Context, params ListWebhooksParams) error {
	return a.list(c, a.Webhooks, ListQuery{}, params.Limit, params.Cursor, nil)
}

// GetWebhook answers with an endpoint.
func (a *api) GetWebhook(c echo.Context, id WebhookID, _ GetWebhookParams) error {
	doc, err := find(c, a.Webhooks, domain.PrefixWebhook, id)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}

// DeleteWebhook deletes an endpoint.
func (a *api) DeleteWebhook(c echo.Context, id WebhookID) error {
	if !domain.ValidID(domain.PrefixWebhook, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	if err := a.WebhookCommands.Delete(c.Request().Context(), callOf(c).command(uuid.New()), id); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// ListDeliveries lists an endpoint's deliveries; those of a deleted one too.
func (a *api) ListDeliveries(c echo.Context, id WebhookID, params ListDeliveriesParams) error {
	if !domain.ValidID(domain.PrefixWebhook, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return a.list(c, a.Deliveries, ListQuery{WebhookID: id, Status: string(params.Status)}, params.Limit, params.Cursor, nil)
}

// GetDelivery answers with a delivery and its attempts.
func (a *api) GetDelivery(c echo.Context, id string, _ GetDeliveryParams) error {
	doc, err := find(c, a.Deliveries, domain.PrefixDelivery, id)
	if err != nil {
		return err
	}
	return sendDocument(c, revision(doc.Revision), doc, nil)
}
