package service

import (
	"context"
	"errors"
	"strconv"
	"time"

	"understudy/domain"
	"understudy/domain/oracle"
	"understudy/domain/testrun"
	"understudy/domain/walk"
)

// Browser opens pages. Its errors are the browser's own, never the page's.
type Browser interface {
	Open(ctx context.Context, d walk.Device) (walk.Tab, error)
}

// TriedOut is the page of a test as its sessions would meet it, and what the test's
// conditions come to there, where nobody has done anything yet.
type TriedOut struct {
	// Title and URL are those of the page.
	Title, URL string
	// Picture is how it looks, without data where none could be taken.
	Picture    walk.Picture
	Conditions []oracle.Tried
	// Wrong is why the page cannot be seen, "" when it was.
	Wrong string
}

// TryLimit bounds how long a page may take to be tried on.
const TryLimit = 45 * time.Second

// TryOut opens the page of a test that is asked for, as its sessions would, and tells how
// it looks and which of the test's conditions, if it has any, hold there. An organization
// tries one page at once.
func (s *Service) TryOut(ctx context.Context, p Principal, in NewTest) (out TriedOut, err error) {
	wanted := testrun.Create{Wish: in.Wish, Models: []string{testrun.Embedded}}
	wanted.Wish.Model = testrun.Embedded
	if err := wanted.Check(); err != nil {
		return out, err
	}
	if err := s.Targets.CheckURL(ctx, in.URL); err != nil {
		return out, err
	}
	for i, origin := range in.PrivateOrigins {
		if err := s.Targets.CheckURL(ctx, origin); err != nil {
			return out, inField(err, "private_origins."+strconv.Itoa(i))
		}
	}
	trying, leave := s.admission.enter("pages tried "+p.OrganizationID, 1)
	defer leave()
	if trying > 1 {
		return out, domain.Refuse(domain.CodeTooManyAtOnce, "a page is being tried for this organization; try again in a moment")
	}
	bounded, cancel := context.WithTimeout(ctx, TryLimit)
	defer cancel()
	device := walk.Device{Viewport: in.Viewports[0], Locale: in.Locale, Zoom: 1, Private: append([]string{in.URL}, in.PrivateOrigins...)}
	var conditions walk.Conditions
	if in.Success != nil {
		conditions = walk.Conditions(*in.Success)
	}
	page, opened, picture, err := s.opened(bounded, device, in.URL, conditions.SelectorVisible)
	var fault *walk.Fault
	switch {
	case errors.As(err, &fault):
		out.Wrong = fault.Message
	case bounded.Err() != nil && ctx.Err() == nil:
		out.Wrong = "the page did not come in time; sessions may be walking just now, so try again in a moment"
	case err != nil:
		return out, domain.Refuse(domain.CodeUnavailable, "the browser cannot open pages just now; try again in a moment")
	default:
		out.Title, out.URL, out.Picture, out.Conditions = page.Title, page.URL, picture, oracle.Try(conditions, page, opened)
	}
	return out, nil
}

// opened is the first look at a page, its picture, and what opening it came to.
func (s *Service) opened(ctx context.Context, device walk.Device, address, selector string) (page walk.Page, effect walk.Effect, picture walk.Picture, err error) {
	tab, err := s.Browser.Open(ctx, device)
	if err != nil {
		return page, effect, picture, err
	}
	defer func() { _ = tab.Close() }() // one that does not close is of a browser that is thrown away
	if effect, err = tab.Goto(ctx, address); err != nil {
		return page, effect, picture, err
	}
	if page, err = tab.Look(ctx, selector); err == nil {
		picture, err = tab.Screenshot(ctx)
	}
	return page, effect, picture, err
}
