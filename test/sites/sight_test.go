package sites

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/patience"
)

// seen is a faulty page in a browser: the look at it, and the fault's element
// when it is among what can be seen and used.
type seen struct {
	page walk.Page
	el   *walk.Element
	// click presses the element and tells what came of it.
	click func() walk.Effect
	// again looks once more.
	again func() seen
}

// sights say what must be true of a case's page on every device. The pages are
// those that can be opened without a visit's history.
var sights = map[string]func(s seen) string{
	"saas-sign_up-low_contrast": func(s seen) string {
		if s.el == nil || math.Abs(s.el.Contrast-1.6) > 0.15 {
			return "not faint"
		}
		return ""
	},
	"docs-restore-small_target": func(s seen) string {
		if s.el == nil || s.el.Box.W > 12.5 || s.el.Box.H > 12.5 || s.el.Name == "" {
			return "not small, or without its name"
		}
		return ""
	},
	"saas-sign_up-icon_only": func(s seen) string {
		if s.el == nil || s.el.Name != "" {
			return "it has a name"
		}
		return ""
	},
	"shop-order-covered": coveredSight, "saas-sign_up-covered": coveredSight, "docs-feedback-covered": coveredSight,
	"permit-missed_bin-covered": coveredSight, "app-preorder-covered": coveredSight,
	"saas-sign_up-dead_control": func(s seen) string {
		if e := s.click(); e.Navigated || e.Mutated || len(e.Errors) > 0 {
			return fmt.Sprintf("something happens: %+v", e)
		}
		return ""
	},
	"docs-restore-dead_control-2": func(s seen) string {
		if e := s.click(); e.Navigated || len(e.Errors) > 0 { // the search of the page hears every click
			return fmt.Sprintf("something happens: %+v", e)
		}
		return ""
	},
	"docs-feedback-script_error": func(s seen) string {
		if e := s.click(); e.Navigated || len(e.Errors) == 0 {
			return "no error, or it works"
		}
		return ""
	},
	"docs-restore-mouse_only": func(s seen) string {
		if s.el == nil || !s.el.MouseOnly || !s.click().Navigated {
			return "keys reach it, or the mouse does not"
		}
		return ""
	},
	"docs-feedback-mouse_only-2": func(s seen) string {
		if e := s.click(); !strings.HasSuffix(e.URL, "/thanks") {
			return "it does not send the form: " + e.URL
		}
		return ""
	},
	"permit-permit-below_the_fold": func(s seen) string {
		if s.el != nil && s.el.InViewport {
			return "it is on the first screen"
		}
		return ""
	},
	"permit-permit-hidden_in_menu": func(s seen) string {
		if s.el != nil && s.el.InViewport {
			return "it can be seen"
		}
		return ""
	},
	"docs-feedback-disabled_submit": func(s seen) string {
		if s.el == nil || !s.el.Disabled {
			return "it can be pressed"
		}
		return ""
	},
	"shop-order-interruption": func(s seen) string {
		for i := range s.page.Elements {
			if e := &s.page.Elements[i]; e.InViewport && !e.InDialog && e.CoveredBy == "" {
				return e.Name + " is not behind the dialog"
			}
		}
		return ""
	},
	"permit-permit-layout_shift": func(s seen) string {
		for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); { // it shifts 0.7 s after it has loaded
			if math.Abs(s.page.Vitals.CLS-0.35) < 0.15 {
				return ""
			}
			s = s.again()
		}
		return "the page lies still"
	},
}

func coveredSight(s seen) string {
	if e := s.click(); e.Navigated {
		return "a click gets through"
	}
	if s = s.again(); s.el == nil || s.el.CoveredBy == "" {
		return "nothing lies over it"
	}
	return ""
}

func TestFaultsAreRealInABrowser(t *testing.T) {
	t.Parallel()
	cfg, err := browser.Locate(browser.Config{MaxContexts: 4})
	if err != nil {
		t.Fatal(err)
	}
	shared := browser.New(cfg)
	t.Cleanup(func() {
		if err := shared.Close(); err != nil {
			t.Error(err)
		}
	})
	tried := 0
	for _, c := range Cases() {
		sight, ok := sights[c.Name]
		if !ok {
			continue
		}
		tried++
		for _, device := range []string{browser.Desktop, browser.Mobile} {
			t.Run(c.Name+" "+device, func(t *testing.T) {
				t.Parallel()
				if wrong := sight(open(t, shared, device, c)); wrong != "" {
					t.Error(wrong)
				}
			})
		}
	}
	if tried != len(sights) {
		t.Errorf("%d of %d cases are in the table", tried, len(sights))
	}
}

func open(t *testing.T, shared *browser.Browser, device string, c Case) seen {
	t.Helper()
	o := c.Options()
	o.Now = may
	h, err := New(c.Site, o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	ctx, cancel := patience.Context(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s, err := shared.Open(ctx, browser.SessionOptions{Viewport: device})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // a page that does not close goes with the browser
	f := c.Faults[0]
	if _, err := s.Goto(ctx, server.URL+f.Path); err != nil {
		t.Fatal(err)
	}
	source := fetch(t, server.Client(), server.URL+f.Path)
	var look func() seen
	look = func() seen {
		page, err := s.Look(ctx)
		if err != nil {
			t.Fatal(err)
		}
		out := seen{page: page, again: look}
		for i := range page.Elements {
			if e := &page.Elements[i]; out.el == nil && e.Box.W > 0 && f.Same(source, e.Selector) {
				out.el = e
			}
		}
		out.click = func() walk.Effect {
			if out.el == nil {
				t.Fatal("the element is not on the page")
			}
			e, err := s.Act(ctx, walk.Action{Type: walk.Click, Ref: out.el.Ref}, "")
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		return out
	}
	return look()
}

func fetch(t *testing.T, client *http.Client, address string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page
}
