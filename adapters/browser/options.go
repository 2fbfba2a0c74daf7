package browser

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// The viewports.
const (
	Desktop = "desktop" // 1280×800, mouse
	Tablet  = "tablet"  // 820×1180, touch
	Mobile  = "mobile"  // 390×844, touch, mobile layout
)

// SessionOptions describe the device of one simulated user.
type SessionOptions struct {
	// Viewport is Desktop (the default), Tablet or Mobile.
	Viewport string
	// Locale is a BCP 47 tag; default "en-US". The time zone is always UTC.
	Locale string
	// ProxyURL is the egress proxy, "http://host:port"; "" goes out directly.
	// With a proxy, loopback addresses go through it as well.
	ProxyURL string
	// ProxyUsername and ProxyPassword are what the proxy asks for, if anything.
	ProxyUsername, ProxyPassword string
	// Seed, unless 0, makes Math.random of the pages repeat: a document that is come
	// to in the same way gets the same numbers in every session with this seed, and
	// others when it is loaded once more, as pages make names of them.
	Seed int64
	// Zoom is the browser's zoom, 0.25 to 5; 0 is 1. At 2 the page lays itself
	// out in half the width, as with a person who enlarges it.
	Zoom float64
	// KeyboardOnly: there is no pointer. What is clicked is operated with its key
	// instead, and what no key reaches cannot be.
	KeyboardOnly bool
	// SecretsAt is where secrets may be typed, see entrusted.
	SecretsAt []string
}

// devices hold width and height in CSS px.
var devices = map[string]struct {
	width, height int
	touch, mobile bool
	platform      string
	suffix        string
}{
	Desktop: {1280, 800, false, false, "X11; Linux x86_64", ""},
	Tablet:  {820, 1180, true, true, "Linux; Android 10; K", ""},
	Mobile:  {390, 844, true, true, "Linux; Android 10; K", "Mobile "},
}

func (o *SessionOptions) check() error {
	if o.Viewport == "" {
		o.Viewport = Desktop
	}
	if _, ok := devices[o.Viewport]; !ok {
		return fmt.Errorf("unknown viewport %q: desktop, tablet or mobile", o.Viewport)
	}
	if o.Locale == "" {
		o.Locale = "en-US"
	}
	if o.Zoom == 0 {
		o.Zoom = 1
	}
	if !(o.Zoom >= 0.25 && o.Zoom <= 5) {
		return fmt.Errorf("zoom %v is outside 0.25 to 5", o.Zoom)
	}
	if o.ProxyURL != "" {
		u, err := url.Parse(o.ProxyURL)
		if err != nil || u.Scheme != "http" || u.Host == "" {
			return fmt.Errorf("the proxy must be written http://host:port")
		}
	}
	return nil
}

// size is that of the window in CSS px.
func (o SessionOptions) size() (width, height int) {
	d := devices[o.Viewport]
	return int(math.Round(float64(d.width) / o.Zoom)), int(math.Round(float64(d.height) / o.Zoom))
}

// contextOptions turn the device into a browser context. Zoom is a smaller
// layout viewport with more device pixels, which is what zooming does.
func (o SessionOptions) contextOptions(version string) playwright.BrowserNewContextOptions {
	d := devices[o.Viewport]
	width, height := o.size()
	opts := playwright.BrowserNewContextOptions{
		AcceptDownloads:   playwright.Bool(false),
		ColorScheme:       playwright.ColorSchemeLight,
		DeviceScaleFactor: playwright.Float(o.Zoom),
		HasTouch:          playwright.Bool(d.touch),
		IsMobile:          playwright.Bool(d.mobile),
		Locale:            playwright.String(o.Locale),
		ReducedMotion:     playwright.ReducedMotionReduce,
		ServiceWorkers:    playwright.ServiceWorkerPolicyBlock, // they would answer for the site
		TimezoneId:        playwright.String("UTC"),
		UserAgent:         playwright.String(o.userAgent(version)),
		Viewport:          &playwright.Size{Width: width, Height: height},
	}
	if o.ProxyURL != "" {
		opts.Proxy = &playwright.Proxy{Server: o.ProxyURL, Bypass: playwright.String("<-loopback>")}
		if o.ProxyUsername != "" {
			opts.Proxy.Username, opts.Proxy.Password = playwright.String(o.ProxyUsername), playwright.String(o.ProxyPassword)
		}
	}
	return opts
}

// userAgent is what Chrome of the browser's own version says on such a device;
// sites turn away or simplify pages for what calls itself headless.
func (o SessionOptions) userAgent(version string) string {
	d := devices[o.Viewport]
	major, _, _ := strings.Cut(version, ".")
	return fmt.Sprintf("Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%s.0.0.0 %sSafari/537.36",
		d.platform, major, d.suffix)
}

// agentOverride says the same in client hints (Sec-CH-UA), as parameters of
// Emulation.setUserAgentOverride.
func (o SessionOptions) agentOverride(version string) map[string]any {
	d := devices[o.Viewport]
	major, _, _ := strings.Cut(version, ".")
	platform := "Linux"
	if d.mobile {
		platform = "Android"
	}
	brands := func(v string) []map[string]any {
		return []map[string]any{
			{"brand": "Not:A-Brand", "version": "8"},
			{"brand": "Chromium", "version": v},
			{"brand": "Google Chrome", "version": v},
		}
	}
	return map[string]any{
		"userAgent":      o.userAgent(version),
		"acceptLanguage": o.Locale,
		"userAgentMetadata": map[string]any{
			"brands": brands(major), "fullVersionList": brands(version), "platform": platform,
			"platformVersion": "", "architecture": "", "model": "", "mobile": d.suffix != "",
		},
	}
}

// seedScript replaces Math.random by mulberry32 (public domain, Tommy Ettinger),
// started from the seed, the document's address and how it was come to.
func (o SessionOptions) seedScript() string {
	return fmt.Sprintf(`(() => {
  let a = %d;
  const from = document.referrer && new URL(document.referrer);
  for (const c of [location.pathname + location.search, history.length, from && from.pathname + from.search].join('\n')) a = Math.imul(a ^ c.codePointAt(0), 0x01000193);
  Math.random = function random() {
    a = (a + 0x6D2B79F5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
})();`, uint32(o.Seed)^uint32(o.Seed>>32))
}

// quietScript ends what a document says to the console after 500 messages, and
// what it throws after 200 errors. The driver takes part in each of them, for
// all sessions: a page that floods it would stop the others. Texts of it that nobody
// reads to the end, and what a field of a question is filled with, are cut here, where
// Chromium has not copied them yet; an error that has one is told on the console. What
// gets past this, in workers for one, pipeScript cuts.
//
// Windows that nobody asked for by a press or a key are not opened, as in people's
// browsers: Chromium without a head has no such blocker, and windows that open
// windows take the whole machine.
const quietScript = `(() => {
  let words = 500, errors = 200;
  const most = 1e5, short = (x) => typeof x === 'string' && x.length > most ? x.slice(0, most) : x;
  const long = (x) => typeof x === 'string' ? x.length > most : x instanceof Error && (long(x.message) || long(x.stack));
  const { error: tell } = console, { prompt: ask } = window;
  for (const name of Object.keys(console)) {
    const was = console[name];
    if (typeof was === 'function') console[name] = { [name](...all) { if (words-- > 0) return was.apply(console, all.map(short)); } }[name];
  }
  window.prompt = { prompt(...all) { return ask.apply(window, all.map((x) => x === undefined ? x : short(String(x)))); } }.prompt;
  const enough = (e) => {
    const over = errors-- <= 0;
    if (!over && ![e.message, e.filename, e.error, e.reason].some(long)) return;
    e.preventDefault();
    if (!over) tell(short(e.message || String(e.reason)));
  };
  addEventListener('error', enough);
  addEventListener('unhandledrejection', enough);
  // Taken now: a page may call something of its own by these names.
  const here = window, gesture = navigator.userActivation, { getAttribute } = Element.prototype;
  const guard = (owner, name, target, refusal) => {
    const was = owner[name];
    owner[name] = { [name](...all) {
      const other = target(this, ...all);
      const opens = other && !/^_(self|parent|top)$/i.test(other) && !(other in here);
      return opens && !gesture.isActive ? refusal : was.apply(this, all);
    } }[name];
  };
  const targetOf = (e) => getAttribute.call(e, 'target'); // a form's field may be called target
  const linked = (a) => a.hasAttribute('download') ? '' : targetOf(a);
  guard(here, 'open', (_, address, target) => target || '_blank', null);
  for (const link of [HTMLAnchorElement.prototype, HTMLAreaElement.prototype]) {
    guard(link, 'click', linked);
    guard(link, 'dispatchEvent', (a, event) => event.type === 'click' ? linked(a) : '', false);
  }
  for (const send of ['submit', 'requestSubmit']) guard(HTMLFormElement.prototype, send, targetOf);
})();`
