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
	"understudy/domain/apikey"
	"understudy/projections"
)

// CreateKey makes an API key.
func (a *api) CreateKey(c echo.Context) error {
	var request struct {
		Name      string       `json:"name"`
		Scopes    []string     `json:"scopes"`
		ExpiresAt *domain.Time `json:"expires_at"`
	}
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.onceWitnessed(c, func(ctx context.Context, id string, command service.Call) (answer, error) {
		doc, err := a.Commands.CreateKey(ctx, command, id, service.NewKey{Name: request.Name, Scopes: request.Scopes, ExpiresAt: request.ExpiresAt})
		if err != nil {
			return answer{}, err
		}
		etag, err := keyTag(doc)
		return a.created("/keys/"+id, etag, doc.JSON), err
	})
}

// keyTag is the ETag of a key: the revision, and what changes without an event.
func keyTag(doc projections.Document[service.KeyDocument]) (string, error) {
	k, err := doc.Decode()
	if err != nil {
		return "", err
	}
	used := int64(0)
	if k.LastUsedAt != nil {
		used = k.LastUsedAt.UnixMilli()
	}
	return fmt.Sprintf(`"%d-%s-%d"`, doc.Revision, k.Status, used), nil
}

// ListKeys lists API keys.
func (a *api) ListKeys(c echo.Context, params ListKeysParams) error {
	q := service.Query{Status: string(params.Status), CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore}
	return list(a, c, a.Reads.APIKeys, q, params.Limit, params.Cursor, nil)
}

// GetKey answers with an API key.
func (a *api) GetKey(c echo.Context, id string) error {
	doc, err := find(c, a.Reads.Key, domain.PrefixKey, id)
	if err != nil {
		return err
	}
	etag, err := keyTag(doc)
	if err != nil {
		return err
	}
	return send(c, etag, doc.JSON)
}

// ChangeKey merges a patch into an API key.
func (a *api) ChangeKey(c echo.Context, id string) error {
	if !domain.ValidID(domain.PrefixKey, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	change, err := keyChange(callOf(c).body)
	if err != nil {
		return err
	}
	command, err := a.change(c)
	if err != nil {
		return err
	}
	doc, err := a.Commands.ChangeKey(c.Request().Context(), command, id, change)
	if err != nil {
		return err
	}
	made, err := keyAnswer(doc)
	if err != nil {
		return err
	}
	return write(c, made)
}

// keyChange reads a merge patch (RFC 7396).
func keyChange(body []byte) (change apikey.Change, err error) {
	var asked patch
	if err := json.Unmarshal(body, &asked); err != nil {
		return change, fmt.Errorf("a body that its schema takes: %w", err)
	}
	change.ForgetExpiry = asked.isNull("expires_at")
	if err := asked.decode("name", &change.Name); err != nil {
		return change, err
	}
	if err := asked.decode("scopes", &change.Scopes); err != nil {
		return change, err
	}
	return change, asked.decode("expires_at", &change.ExpiresAt)
}

func keyAnswer(doc projections.Document[service.KeyDocument]) (answer, error) {
	etag, err := keyTag(doc)
	return answer{status: http.StatusOK, headers: map[string]string{"ETag": etag}, body: doc.JSON}, err
}

// RotateKey replaces an API key.
func (a *api) RotateKey(c echo.Context, id string) error {
	if !domain.ValidID(domain.PrefixKey, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	var request struct {
		OverlapSeconds int `json:"overlap_seconds"`
	}
	if body := callOf(c).body; len(body) > 0 {
		if err := json.Unmarshal(body, &request); err != nil {
			return fmt.Errorf("a body that its schema takes: %w", err)
		}
	}
	return a.onceWitnessed(c, func(ctx context.Context, rotationID string, command service.Call) (answer, error) {
		doc, err := a.Commands.RotateKey(ctx, command, id, rotationID, time.Duration(request.OverlapSeconds)*time.Second)
		if err != nil {
			return answer{}, err
		}
		return keyAnswer(doc)
	})
}

// RevokeKey ends an API key.
func (a *api) RevokeKey(c echo.Context, id string) error {
	return a.ends(c, domain.PrefixKey, id, a.Commands.RevokeKey)
}

// ListKeyEvents lists what was recorded of an API key.
func (a *api) ListKeyEvents(c echo.Context, id string, params ListKeyEventsParams) error {
	return a.listEvents(c, domain.PrefixKey, id, string(params.Order), params.Limit, params.Cursor)
}
