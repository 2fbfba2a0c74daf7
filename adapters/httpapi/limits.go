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
	"understudy/domain/account"
	"understudy/projections/usage"
)

// shownPlan is a plan as it is shown. SessionsPerMonth is nil for no limit.
type shownPlan struct {
	ID                account.Plan `json:"id"`
	RequestsPerMinute int          `json:"requests_per_minute"`
	SessionsPerMonth  *int         `json:"sessions_per_month"`
	Current           bool         `json:"current"`
	Default           bool         `json:"default"`
}

// ListPlans lists the plans, all on one page.
func (a *api) ListPlans(c echo.Context) error {
	page := pageOf{}
	for _, id := range account.PlanNames {
		limits := a.Plans[id]
		raw, err := json.Marshal(shownPlan{
			ID: id, RequestsPerMinute: limits.RequestsPerMinute, SessionsPerMonth: limited(limits.SessionsPerMonth),
			Current: id == callOf(c).principal.Plan, Default: id == account.DefaultPlan,
		})
		if err != nil {
			return err
		}
		page.Data = append(page.Data, raw)
	}
	return sendPage(c, page)
}

// limited is a limit, nil for none.
func limited(limit int) *int {
	if limit == 0 {
		return nil
	}
	return &limit
}

// shownQuota is a quota as it is shown. Limit and Left are nil without a limit.
type shownQuota struct {
	Plan     account.Plan `json:"plan"`
	Limit    *int         `json:"limit"`
	Used     int          `json:"used"`
	Reserved int          `json:"reserved"`
	Left     *int         `json:"left"`
	ResetsAt domain.Time  `json:"resets_at"`
}

func showQuota(q account.Quota) *shownQuota {
	shown := &shownQuota{Plan: q.Plan, Limit: limited(q.Limit), Used: q.Used, Reserved: q.Reserved, ResetsAt: q.Month.Ends()}
	if q.Limit > 0 {
		left := q.Left()
		shown.Left = &left
	}
	return shown
}

// GetUsage tells what tests have used, and where the month's quota stands.
func (a *api) GetUsage(c echo.Context, params GetUsageParams) error {
	ctx, p := c.Request().Context(), callOf(c).principal
	which := usage.Query{From: params.From, To: params.To, By: usage.Group(params.GroupBy)}
	if which.By == "" {
		which.By = usage.ByDay
	}
	if now := a.Now().UTC(); which.From.IsZero() {
		which.From = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	answer := struct {
		Environment domain.Environment `json:"environment"`
		From        domain.Time        `json:"from"`
		To          *domain.Time       `json:"to"`
		GroupBy     usage.Group        `json:"group_by"`
		Quota       *shownQuota        `json:"quota"`
		pageOf
	}{Environment: p.Environment, From: domain.At(which.From), GroupBy: which.By}
	if !which.To.IsZero() {
		to := domain.At(which.To)
		answer.To = &to
	}
	from := func(ctx context.Context, p service.Principal, q service.Query) (service.Page[usage.Sum], error) {
		which.After, which.Limit = q.After, q.Limit
		return a.Limits.Usage(ctx, p, which)
	}
	var err error
	if answer.pageOf, err = pageFrom(a, c, from, service.Query{}, params.Limit, params.Cursor, nil); err != nil {
		return err
	}
	quota, err := a.Limits.Quota(ctx, p)
	if err != nil {
		return err
	}
	answer.Quota = showQuota(quota)
	return sendJSON(c, answer)
}

// ChangePlan puts the organization on another plan.
func (a *api) ChangePlan(c echo.Context) error {
	call := callOf(c)
	var request PlanChange
	if err := json.Unmarshal(call.body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	command, err := a.change(c)
	if err != nil {
		return err
	}
	doc, err := a.Commands.ChangePlan(c.Request().Context(), command, account.Plan(request.Plan))
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", revision(doc.Revision))
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, doc.JSON)
}
