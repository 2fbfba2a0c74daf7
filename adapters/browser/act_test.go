package browser_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/patience"
)

func TestFillingInAForm(t *testing.T) {
	t.Parallel()
	for _, viewport := range []string{browser.Desktop, browser.Mobile} {
		t.Run(viewport, func(t *testing.T) {
			t.Parallel()
			s := open(t, browser.SessionOptions{Viewport: viewport})
			if _, err := s.Goto(t.Context(), site.URL+"/form.html"); err != nil {
				t.Fatal(err)
			}
			if code := element(t, look(t, s), "Code"); code.Error != "Use four digits" {
				t.Errorf("error of the field: %q", code.Error)
			}
			e := act(t, s, walk.Click, "Sign up now", "")
			if e.Navigated {
				t.Fatal("a form without its required field was sent")
			}
			if mail := element(t, look(t, s), "E-mail"); mail.Error == "" {
				t.Error("the browser's own complaint about the field is not perceived")
			}
			for _, step := range []struct {
				kind        walk.ActionType
				name, value string
			}{
				{walk.Type, "Name", "Ada"}, {walk.Type, "E-mail", "ada@example.com"}, {walk.Type, "Born", "1815-12-10"},
				{walk.Type, "About", "two\nlines"}, {walk.Select, "Country", "Belgium"}, {walk.Check, "I accept", ""}, {walk.Check, "Plus", ""},
			} {
				if e := act(t, s, step.kind, step.name, step.value); e.Failed != "" {
					t.Errorf("%s %s failed: %s", step.kind, step.name, e.Failed)
				}
			}
			pw := element(t, look(t, s), "Password")
			if _, err := s.Act(t.Context(), walk.Action{Type: walk.Type, Ref: pw.Ref, Secret: "password"}, "hunter22"); err != nil {
				t.Fatal(err)
			}
			if e := act(t, s, walk.Type, "Fixed", "2"); e.Failed == "" {
				t.Error("typed into a read-only field")
			}
			if e := act(t, s, walk.Select, "Country", "Atlantis"); e.Failed == "" {
				t.Error("chose a country that is not on the list")
			}
			p := look(t, s)
			if v := element(t, p, "Name").Value; v != "Ada" {
				t.Errorf("the name is %q", v)
			}
			if v := element(t, p, "Password").Value; strings.Contains(v, "hunter") || v == "" {
				t.Errorf("the password is perceived as %q", v)
			}
			if !element(t, p, "I accept").Checked || !element(t, p, "Plus").Checked {
				t.Error("the boxes are not ticked")
			}
			e = act(t, s, walk.Click, "Sign up now", "")
			if !e.Navigated || e.Status != 200 || !strings.HasSuffix(e.URL, "/submit") {
				t.Errorf("sent: %+v", e)
			}
			if !slices.ContainsFunc(e.Requests, func(q walk.Request) bool { return q.Method == "POST" && q.Kind == "document" && q.Status == 200 }) {
				t.Errorf("requests: %+v", e.Requests)
			}
			got, _ := text(look(t, s), "Got")
			want := "about=two%0D%0Alines&born=1815-12-10&code=x&country=be&email=ada%40example.com&fixed=1&name=Ada&plan=b&pw=•••&terms=yes"
			if got.Text != "Got "+want {
				t.Errorf("the server got %s", got.Text)
			}
		})
	}
}

// The processes of pages are known, or what they wait for a core would be held against them.
func TestTheProcessOfAPageIsKnown(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		t.Skip("this system does not tell: ", err)
	}
	s := visit(t, "/play.html")
	if n := browser.PagesOf(s); n < 1 {
		t.Errorf("%d processes of pages are known", n)
	}
}

// clickInVain clicks what changes nothing, again where a busy machine took the second and a
// half for it after which the changes of the page's counter are told from answers anew.
func clickInVain(t *testing.T, s *browser.Session, name string) (e walk.Effect) {
	t.Helper()
	for range 20 {
		began := time.Now()
		if e = act(t, s, walk.Click, name, ""); !e.Mutated || time.Since(began) < 1500*time.Millisecond {
			break
		}
	}
	return e
}

func TestEffects(t *testing.T) {
	t.Parallel()
	s := visit(t, "/play.html")
	if e := act(t, s, walk.Click, "Mutate", ""); !e.Mutated || e.Navigated {
		t.Errorf("a button that changes the page: %+v", e)
	}
	// The page's counter runs all the time; that is no answer to the click.
	if e := act(t, s, walk.Click, "Rewrite", ""); !e.Mutated {
		t.Error("attributes that are new do not count as a change")
	}
	if e := clickInVain(t, s, "Rewrite"); e.Mutated {
		t.Error("attributes that are written as they are count as a change")
	}
	if e := clickInVain(t, s, "Dead"); e.Mutated || e.Navigated || e.SettleMS > int(patience.Scaled(1500*time.Millisecond).Milliseconds()) {
		t.Errorf("a dead button: %+v", e)
	}
	if e := act(t, s, walk.Click, "Alert", ""); !slices.Equal(e.Dialogs, []string{"alert: Saved well"}) {
		t.Errorf("alert: %+v", e)
	}
	if e := act(t, s, walk.Click, "Confirm", ""); !slices.Equal(e.Dialogs, []string{"confirm: Sure?"}) {
		t.Errorf("confirm: %+v", e)
	}
	if x, ok := text(look(t, s), "yes"); !ok {
		t.Errorf("confirmed: %+v", x)
	}
	e := act(t, s, walk.Click, "Fetch", "")
	if want := (walk.Request{Method: "POST", URL: site.URL + "/api", Status: 201, Kind: "fetch", Caused: true}); !slices.Contains(e.Requests, want) || !e.Mutated {
		t.Errorf("fetch: %+v", e)
	}
	if e := act(t, s, walk.Click, "Throw", ""); len(e.Errors) != 1 || !strings.Contains(e.Errors[0], "boom") {
		t.Errorf("exception: %+v", e)
	}
	if e := act(t, s, walk.Click, "Bare", ""); len(e.Errors) != 1 || !strings.Contains(e.Errors[0], "bare words") {
		t.Errorf("thrown string: %+v", e)
	}
	if e := act(t, s, walk.Click, "Complain", ""); !slices.Equal(e.Console, []string{"not saved: {a: 1}"}) || len(e.Errors) != 0 {
		t.Errorf("errors on the console: %+v", e)
	}
	if e := act(t, s, walk.Click, "Download", ""); !e.Download || e.Navigated {
		t.Errorf("download: %+v", e)
	}
	if e := act(t, s, walk.Scroll, "", "down"); !e.Scrolled {
		t.Errorf("scroll: %+v", e)
	}
	if y := look(t, s).ScrollY; y < 700 {
		t.Errorf("scrolled to %v", y)
	}
	if e := act(t, s, walk.Click, "Push", ""); !e.Navigated || !e.Scrolled || !strings.HasSuffix(e.URL, "/pushed") {
		t.Errorf("pushed: %+v", e)
	}
	if e := act(t, s, walk.Press, "", "NoSuchKey"); e.Failed == "" {
		t.Errorf("pressed a key that is not there: %+v", e)
	}
	if e, err := s.Act(t.Context(), walk.Action{Type: walk.Click, Ref: "1:0"}, ""); err != nil || e.Failed == "" {
		t.Errorf("acted on a thing of an earlier look: %+v, %v", e, err)
	}
}

func TestTabsAndBack(t *testing.T) {
	t.Parallel()
	s := visit(t, "/play.html")
	if e := act(t, s, walk.Click, "Form page", ""); !e.Navigated || e.Status != 200 || e.NewTab {
		t.Errorf("followed a link: %+v", e)
	}
	if e := act(t, s, walk.Back, "", ""); !e.Navigated || !strings.HasSuffix(e.URL, "/play.html") {
		t.Errorf("back: %+v", e)
	}
	if e := act(t, s, walk.Click, "New tab", ""); !e.NewTab || !strings.HasSuffix(e.URL, "/form.html") {
		t.Errorf("new tab: %+v", e)
	}
	element(t, look(t, s), "Sign up now")
	if e := act(t, s, walk.Back, "", ""); !strings.HasSuffix(e.URL, "/play.html") || e.Failed != "" {
		t.Errorf("back from the new tab: %+v", e)
	}
	if e := act(t, s, walk.Click, "Storm", ""); !e.NewTab {
		t.Errorf("a storm of windows: %+v", e)
	}
	element(t, look(t, s), "Sign up now")
	e := act(t, s, walk.Back, "", "")
	for i := 0; i < 10 && strings.HasSuffix(e.URL, "/form.html"); i++ {
		e = act(t, s, walk.Back, "", "")
	}
	if !strings.HasSuffix(e.URL, "/play.html") {
		t.Errorf("more tabs than allowed: %+v", e)
	}
	if e := act(t, s, walk.Back, "", ""); e.Failed == "" || e.Navigated {
		t.Errorf("back from the first page: %+v", e)
	}
	element(t, look(t, s), "Storm")
}

func TestActInFrameAndShadow(t *testing.T) {
	t.Parallel()
	s := visit(t, "/facts.html")
	act(t, s, walk.Click, "Framed button", "")
	if title := look(t, s).Title; title != "framed click" {
		t.Errorf("the click in the frame did not arrive: %q", title)
	}
	if e := act(t, s, walk.Check, "I accept the terms", ""); e.Failed != "" {
		t.Errorf("tick a box drawn by its label: %s", e.Failed)
	}
	if e := act(t, s, walk.Click, "More", ""); !e.Mutated {
		t.Errorf("open details: %+v", e)
	}
}

// TestATextIsTypedAgainWhoseBeginningWasTaken: a dialog that has come to rest selects what
// its field holds, while it is being filled in.
func TestATextIsTypedAgainWhoseBeginningWasTaken(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Rename</title><label>Name <input value="old" oninput="if (value === 'New na' && !title) { title = 'taken'; select() }"></label>`)
	}))
	t.Cleanup(page.Close)
	s := open(t, browser.SessionOptions{})
	if _, err := s.Goto(t.Context(), page.URL); err != nil {
		t.Fatal(err)
	}
	act(t, s, walk.Type, "Name", "New name")
	if got := element(t, look(t, s), "Name").Value; got != "New name" {
		t.Errorf("the field holds %q", got)
	}
}

// TestAddressesHaveNoPassword: addresses of pages and requests are told as the page is told them.
func TestAddressesHaveNoPassword(t *testing.T) {
	t.Parallel()
	s := visit(t, "/facts.html")
	e, err := s.Goto(t.Context(), strings.Replace(site.URL, "://", "://ada:hidden@", 1)+"/play.html?to=@")
	if err != nil {
		t.Fatal(err)
	}
	if want := site.URL + "/play.html?to=@"; e.URL != want || look(t, s).URL != want {
		t.Errorf("the effect is at %s, the look at %s", e.URL, look(t, s).URL)
	}
	if !slices.ContainsFunc(e.Requests, func(q walk.Request) bool { return q.URL == site.URL+"/play.html" }) {
		t.Errorf("requests: %+v", e.Requests)
	}
}

func TestScreenshotAndVitals(t *testing.T) {
	t.Parallel()
	s := visit(t, "/facts.html")
	picture, w, h, err := s.Screenshot(t.Context())
	if err != nil || w != 1280 || h != 800 || len(picture) < 5000 {
		t.Errorf("screenshot: %d bytes, %d×%d, %v", len(picture), w, h, err)
	}
	var v walk.Vitals
	eventually(t, "the largest paint is measured", func() bool { // of a page that came when the machine was not too late to tell
		if _, err := s.Goto(t.Context(), site.URL+"/facts.html"); err != nil {
			t.Fatal(err)
		}
		v = look(t, s).Vitals
		return v.LCPMS > 0
	})
	eventually(t, "an interaction is measured", func() bool { // to Chromium one is none that a late machine draws out
		act(t, s, walk.Click, "Open the card", "")
		v = look(t, s).Vitals
		return v.INPMS > 0
	})
	if v.LCPMS > 10_000 || v.CLS > 1 {
		t.Errorf("vitals: %+v", v)
	}
}

// TestALateMachinesPaintIsNotThePages: of the time until the largest paint, too, what the
// machine was late is left out. The page draws nothing for longer than it is told to have taken.
func TestALateMachinesPaintIsNotThePages(t *testing.T) {
	t.Parallel()
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	browser.TooLate(b)
	s := openIn(t, b, browser.SessionOptions{})
	var v walk.Vitals
	eventually(t, "the largest paint is measured", func() bool { // as above
		if _, err := s.Goto(t.Context(), site.URL+"/computes"); err != nil {
			t.Fatal(err)
		}
		v = look(t, s).Vitals
		return v.LCPMS > 0
	})
	if v.LCPMS >= 2000 {
		t.Errorf("the page is told to have drawn after %.0f ms", v.LCPMS)
	}
}

// TestWhatAPageDoesWhileItIsReadIsMet: people would still be reading when a late
// banner pushes the text away, or when the page goes elsewhere by itself.
func TestWhatAPageDoesWhileItIsReadIsMet(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/late", "/away"} {
		s := visit(t, path)
		p := look(t, s)
		if _, shown := text(p, "Good news"); !shown {
			t.Errorf("%s: at the first look the banner is not there", path)
		}
		eventually(t, "the shift is measured, as what is drawn is", func() bool { return look(t, s).Vitals.CLS >= 0.25 })
	}
}

// TestTapsOnAPageThatIsTooWide: a phone moves about on a page that is wider
// than its screen, and fingers land where things are shown.
func TestTapsOnAPageThatIsTooWide(t *testing.T) {
	t.Parallel()
	s := open(t, browser.SessionOptions{Viewport: browser.Mobile})
	if _, err := s.Goto(t.Context(), site.URL+"/wide.html"); err != nil {
		t.Fatal(err)
	}
	act(t, s, walk.Scroll, "", "down")
	act(t, s, walk.Click, "Go", "")
	if p := look(t, s); p.Title != "Pressed" {
		t.Error("the tap landed beside the button")
	}
}

// TestEachTabHasItsOwnAnswer: what a tab that is closed again was answered says
// nothing of the page behind it.
func TestEachTabHasItsOwnAnswer(t *testing.T) {
	t.Parallel()
	s := visit(t, "/opener.html")
	for _, c := range []struct {
		link, netError string
		status         int
	}{{"Dead end", "", 404}, {"Nobody there", "ERR_CONNECTION_REFUSED", 0}} {
		if e := act(t, s, walk.Click, c.link, ""); e.Status != c.status || e.NetError != c.netError || !e.NewTab {
			t.Errorf("%s: %+v", c.link, e)
		}
		if p := look(t, s); p.Status != c.status || !strings.HasPrefix(p.URL, "http") {
			t.Errorf("%s: status %d of %s", c.link, p.Status, p.URL)
		}
		if e := act(t, s, walk.Wait, "", ""); e.Navigated {
			t.Errorf("%s: waiting led elsewhere: %+v", c.link, e)
		}
		if e := act(t, s, walk.Back, "", ""); !strings.HasSuffix(e.URL, "/opener.html") || e.NetError != "" {
			t.Errorf("back from %s: %+v", c.link, e)
		}
		if p := look(t, s); p.Status != 200 {
			t.Errorf("back from %s: the old page has status %d", c.link, p.Status)
		}
	}
	if e, err := s.Goto(t.Context(), site.URL+"/opener.html?now"); err != nil || e.Status != 200 || !e.NewTab {
		t.Errorf("opened a page that opens a dead one: %+v, %v", e, err)
	}
}

// TestWindowsAreOpenedForThoseWhoAsk: what a page opens by itself is blocked, and
// one that gets around that is ended when it does not stop.
func TestWindowsAreOpenedForThoseWhoAsk(t *testing.T) {
	t.Parallel()
	s := open(t, browser.SessionOptions{})
	for range 2 {
		if e, err := s.Goto(t.Context(), site.URL+"/windows.html"); err != nil || e.NewTab {
			t.Errorf("windows nobody asked for: %+v, %v", e, err)
		}
		if p := look(t, s); p.Title != "Blocked" {
			t.Errorf("the page says %q", p.Title)
		}
	}
	for _, button := range []string{"Window", "Window after an answer", "Link of a script", "Form of a script", "Form"} {
		if e := act(t, s, walk.Click, button, ""); !e.NewTab || !strings.Contains(e.URL, "/form.html") {
			t.Errorf("%s: %+v", button, e)
		}
		if e := act(t, s, walk.Back, "", ""); !strings.HasSuffix(e.URL, "/windows.html") {
			t.Fatalf("back from %s: %+v", button, e)
		}
	}
	if e, err := s.Goto(t.Context(), site.URL+"/windows.html?here"); err != nil || !strings.HasSuffix(e.URL, "/form.html?target=1") {
		t.Errorf("a form that is sent at once: %+v, %v", e, err)
	}
	if e, err := s.Goto(t.Context(), site.URL+"/windows.html?file"); err != nil || !e.Download {
		t.Errorf("a file that comes at once: %+v, %v", e, err)
	}
	ctx, cancel := patience.Context(t.Context(), time.Minute)
	defer cancel()
	s = open(t, browser.SessionOptions{})
	_, err := s.Goto(ctx, site.URL+"/windows.html?many")
	for err == nil { // they come one by one
		_, err = s.Act(ctx, walk.Action{Type: walk.Wait}, "")
	}
	if !errors.Is(err, browser.ErrPageHung) || !strings.Contains(err.Error(), "windows") {
		t.Errorf("forty windows at once: %v", err)
	}
}

// TestAFrameThatMovesOnIsAwaited: what it shows is a part of the page.
func TestAFrameThatMovesOnIsAwaited(t *testing.T) {
	t.Parallel()
	s := visit(t, "/framed.html")
	if e := act(t, s, walk.Click, "Dead", ""); e.Mutated {
		t.Errorf("a dead button: %+v", e)
	}
	began := time.Now()
	e := act(t, s, walk.Click, "Next part", "")
	left := wasLeft(began)
	if _, ok := text(look(t, s), "Here at last"); !left && (!ok || !e.Mutated || e.Navigated) {
		t.Errorf("the frame's next document was not awaited: %+v", e)
	}
	eventually(t, "the frame's next document", func() bool {
		_, ok := text(look(t, s), "Here at last")
		return ok
	})
	if e := act(t, s, walk.Click, "Dead", ""); e.Mutated {
		t.Errorf("a dead button afterwards: %+v", e)
	}
}

// TestABoxMayAskItsServerFirst: it is ticked a while after the click.
func TestABoxMayAskItsServerFirst(t *testing.T) {
	t.Parallel()
	s := visit(t, "/deep.html")
	began := time.Now()
	if e := act(t, s, walk.Check, "Late", ""); e.Failed != "" && !wasLeft(began) {
		t.Errorf("late: %s", e.Failed)
	}
	if e := act(t, s, walk.Check, "Never", ""); e.Failed == "" {
		t.Error("a box that stays empty counts as ticked")
	}
}

// TestLinksToNowhere: a link without a destination leaves the page where it was.
func TestLinksToNowhere(t *testing.T) {
	t.Parallel()
	s := visit(t, "/nowhere.html")
	for _, name := range []string{"Add to cart", "Add to cart", "More"} {
		if e := act(t, s, walk.Click, name, ""); e.Navigated || e.Mutated {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := act(t, s, walk.Click, "Save", ""); e.Navigated || !e.Mutated {
		t.Errorf("a link that changes the page: %+v", e)
	}
	if e := act(t, s, walk.Click, "Part", ""); !e.Navigated || !e.Scrolled {
		t.Errorf("a link to a part of the page: %+v", e)
	}
}
