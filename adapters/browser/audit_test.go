package browser_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/patience"
)

func TestAuditFindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	s := visit(t, "/broken.html")
	act(t, s, walk.Scroll, "", "down")
	var before walk.Page
	eventually(t, "the page has moved", func() bool {
		before = look(t, s)
		return before.ScrollY > 0
	})
	found, err := s.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for rule, selector := range map[string]string{
		"color-contrast": "#pale", "label": "#mystery", "button-name": "#cross", "image-alt": "#face", "target-size": "#dot",
	} {
		i := slices.IndexFunc(found, func(v walk.Violation) bool { return v.Rule == rule })
		if i < 0 || !slices.Contains(found[i].Selectors, selector) || found[i].Impact == "" {
			t.Errorf("%s is not found at %s: %+v", rule, selector, found)
		}
	}
	for _, v := range found {
		if v.Rule == "region" || v.Rule == "landmark-one-main" || len(v.Selectors) > 5 {
			t.Errorf("more than was asked for: %+v", v)
		}
	}
	// The page is as it was, and what was seen on it can still be acted on.
	if e, err := s.Act(t.Context(), walk.Action{Type: walk.Click, Ref: element(t, before, "Dot").Ref}, ""); err != nil || e.Failed != "" || e.Scrolled {
		t.Errorf("acted after the audit: %+v, %v", e, err)
	}
	if after := look(t, s); after.ScrollY != before.ScrollY || after.Title != "dotted" || before.ScrollY == 0 {
		t.Errorf("the page was moved from %v to %v, titled %q", before.ScrollY, after.ScrollY, after.Title)
	}
	again, err := s.Audit(t.Context())
	if err != nil || len(again) != len(found) {
		t.Errorf("once more: %d rules, then %d (%v)", len(found), len(again), err)
	}
}

func TestAuditIsBounded(t *testing.T) {
	t.Parallel()
	s := visit(t, "/huge")
	left := patience.For(6 * time.Second)
	if _, err := s.Audit(t.Context()); !errors.Is(err, browser.ErrAuditSkipped) || left.Lost() {
		t.Errorf("20,000 nodes: %v, or late", err)
	}
	look(t, s) // the session goes on
}

func TestAuditWithoutAxe(t *testing.T) {
	cfg := programs
	cfg.AxePath = ""
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	s, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Audit(t.Context()); !errors.Is(err, browser.ErrAuditSkipped) {
		t.Errorf("without axe-core: %v", err)
	}
	look(t, s)
}
