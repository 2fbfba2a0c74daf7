package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/projections"
)

// ListModels lists the models.
func (a *api) ListModels(c echo.Context) error {
	models := a.Models.Models()
	page := pageOf{Data: make([]json.RawMessage, 0, len(models))}
	for _, model := range models {
		raw, err := json.Marshal(model)
		if err != nil {
			return err
		}
		page.Data = append(page.Data, raw)
	}
	return sendJSON(c, page)
}

// GetOpenAPI serves the document.
func (a *api) GetOpenAPI(c echo.Context) error {
	return send(c, contentTag(a.document.json), a.document.json)
}

// contentTag is the ETag of what has no revision: of its content.
func contentTag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// packs pages over the packs, which are all in memory; the key to go on after
// is the number of packs seen.
func (a *api) packs(_ context.Context, _ service.Principal, q service.Query) (page service.Page[service.Pack], err error) {
	all, start := a.Reads.PersonaPacks(), 0
	if q.After != "" {
		if start, err = strconv.Atoi(q.After); err != nil {
			return page, fmt.Errorf("key of a page of packs: %w", err)
		}
	}
	start = min(start, len(all))
	end := min(start+q.Limit, len(all))
	for _, pack := range all[start:end] {
		doc, err := projections.Made(pack.ID, pack, 0)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, doc)
	}
	if end < len(all) {
		page.Next = strconv.Itoa(end)
	}
	return page, nil
}

// ListPersonaPacks lists the packs.
func (a *api) ListPersonaPacks(c echo.Context, params ListPersonaPacksParams) error {
	return list(a, c, a.packs, service.Query{}, params.Limit, params.Cursor, nil)
}

// GetPersonaPack answers with a pack, found by id or slug.
func (a *api) GetPersonaPack(c echo.Context, id string) error {
	for _, pack := range a.Reads.PersonaPacks() {
		if id != "" && (pack.ID == id || pack.Slug == id) {
			body, err := json.Marshal(pack)
			if err != nil {
				return err
			}
			return send(c, contentTag(body), body)
		}
	}
	return refuse(domain.CodeNotFound, "there is no such pack; GET /v1/personas/packs lists them")
}

func (a *api) healthz(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok"})
}

// readyTimeout bounds a probe.
const readyTimeout = 3 * time.Second

// readiness is the answer to a probe; an operator is told what is wrong, if anything
// is, and how far those are who follow the log, if they could be asked.
type readiness struct {
	Status   string     `json:"status"`
	Problems []NotReady `json:"problems,omitempty"`
	*Followers
}

func (a *api) readyz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyTimeout)
	defer cancel()
	status, answer := http.StatusOK, readiness{Status: "ready", Problems: a.Readiness.Ready(ctx)}
	if len(answer.Problems) > 0 {
		status, answer.Status = http.StatusServiceUnavailable, "not_ready"
	}
	if !a.isOperator(c) {
		answer.Problems = nil
		return c.JSON(status, answer)
	}
	if f, err := a.Readiness.Followers(ctx); err == nil {
		answer.Followers = &f
	}
	return c.JSON(status, answer)
}

func (a *api) metrics(c echo.Context) error {
	if !a.isOperator(c) {
		return refuse(domain.CodeForbidden, "metrics are for operators: ask at UNDERSTUDY_OPERATOR_LISTEN, or with UNDERSTUDY_OPERATOR_TOKEN as the bearer")
	}
	a.Metrics.ServeHTTP(c.Response(), c.Request())
	return nil
}

func (a *api) isOperator(c echo.Context) bool { return a.Operator == nil || a.Operator(c.Request()) }
