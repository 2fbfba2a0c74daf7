package egress

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/adapters/egress"
	"understudy/adapters/webhooksender"
	"understudy/test/patience"
)

// dialLimit bounds one attempt: the public addresses among several answers are
// ones that nobody owns, and may be silent.
var dialLimit = patience.Scaled(3 * time.Second)

// connect names the one enforcer in which an https case can be told apart: what
// goes into its tunnel is the test's own.
const connect = "proxy, CONNECT"

// enforcer tries to reach a case and tells what came of it: "" when it got an
// answer of the far side, else a word for why not.
type enforcer struct {
	name string
	// make has what the test of a session names besides the case itself.
	make func(t *testing.T, p *egress.Policy, named []string) func(context.Context, corpusCase) string
	// want is what a case must come to; "*" is anything but "".
	want func(corpusCase) string
}

var enforcers = []enforcer{
	{
		name: "probe",
		make: func(_ *testing.T, p *egress.Policy, named []string) func(context.Context, corpusCase) string {
			return func(ctx context.Context, c corpusCase) string {
				err := p.Probe(ctx, c.URL, named...)
				var u *egress.Unreachable
				switch {
				case errors.As(err, &u):
					return u.Code
				case err != nil:
					return "timeout"
				}
				return ""
			}
		},
		want: func(c corpusCase) string {
			switch {
			case c.By == byParser:
				return egress.CodeInvalidURL
			case c.By == byPage:
				return "" // an allowed page, and the probe runs no page
			case c.By == byRedirect && !c.Hits && c.Name != "redirect-to-metadata" && c.Name != "redirect-to-https":
				return egress.CodeBadRedirect
			}
			return egress.ClassBlocked
		},
	},
	{
		name: "webhook sender",
		make: func(_ *testing.T, p *egress.Policy, _ []string) func(context.Context, corpusCase) string {
			sender := webhooksender.New(p.DialContext)
			sender.Timeout = 2 * dialLimit
			return func(ctx context.Context, c corpusCase) string {
				return sender.Send(ctx, webhooksender.Request{
					URL: c.URL, Body: []byte("{}"), Event: "ping", DeliveryID: "dlv_1", Attempt: 1, At: time.Unix(1, 0),
					Secrets: webhooksender.Secrets{Current: webhooksender.GenerateSecret()},
				}).Error
			}
		},
		want: func(c corpusCase) string {
			switch c.By {
			case byPage:
				return ""
			case byRedirect:
				for _, status := range []string{"301", "303", "307", "308"} {
					if c.Name == "redirect-"+status {
						return "status_" + status
					}
				}
				return "status_302" // told of and not followed
			}
			if c.By == byParser || escaped(c.URL) {
				return "*" // net/url refuses it, or reads an address in it that is denied
			}
			return webhooksender.ClassBlocked
		},
	},
	{
		name: "proxy, plain",
		make: func(t *testing.T, p *egress.Policy, named []string) func(context.Context, corpusCase) string {
			proxy := startProxy(t, p)
			return func(ctx context.Context, c corpusCase) string {
				return throughProxy(ctx, proxy, named, "GET", strings.Replace(c.URL, "https://", "http://", 1), c)
			}
		},
		want: func(c corpusCase) string {
			if c.By == byPage || c.By == byRedirect {
				return "" // the far side's own answer, which the browser follows through the proxy
			}
			return wantOfProxy(c)
		},
	},
	{
		name: connect,
		make: func(t *testing.T, p *egress.Policy, named []string) func(context.Context, corpusCase) string {
			proxy := startProxy(t, p)
			return func(ctx context.Context, c corpusCase) string {
				return throughProxy(ctx, proxy, named, "CONNECT", authority(c.URL), c)
			}
		},
		want: func(c corpusCase) string {
			if c.By == byPage || c.By == byRedirect {
				return ""
			}
			return wantOfProxy(c)
		},
	},
}

func wantOfProxy(c corpusCase) string {
	if c.By == byParser || escaped(c.URL) || strings.ContainsFunc(c.URL, func(r rune) bool { return r > '~' }) {
		return "*" // browsers send no such request, and the server may refuse it as malformed
	}
	return egress.ClassBlocked
}

// escaped reports whether the host is written with percent-escapes.
func escaped(url string) bool { return strings.Contains(authority(url), "%") }

// authority is what stands between the slashes of an address, as it is.
func authority(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func startProxy(t *testing.T, p *egress.Policy) *egress.Proxy {
	t.Helper()
	proxy, err := egress.StartProxy(t.Context(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	return proxy
}

// throughProxy writes a request to the proxy as it is, without a client that
// would mend it, and after CONNECT another one into the tunnel.
func throughProxy(ctx context.Context, proxy *egress.Proxy, named []string, method, target string, c corpusCase) string {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(proxy.URL(), "http://"))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * dialLimit))
	username, password := proxy.Credentials(ctx, append(named[:len(named):len(named)], c.URL)...)
	key := base64.StdEncoding.EncodeToString([]byte(username + ":" + password))
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n", method, target, authority(c.URL), key)
	in := bufio.NewReader(conn)
	req, _ := http.NewRequestWithContext(ctx, method, "http://x/", nil) // a valid request for ReadResponse
	res, err := http.ReadResponse(in, req)
	if err != nil {
		return "timeout"
	}
	_ = res.Body.Close()
	switch word := res.Header.Get(egress.HeaderEgress); {
	case word != "":
		return word
	case res.StatusCode >= 400:
		return "status_" + strconv.Itoa(res.StatusCode)
	}
	if method == http.MethodConnect {
		fmt.Fprintf(conn, "GET /%s HTTP/1.1\r\nHost: x\r\n\r\n", c.Name)
		if res, err = http.ReadResponse(in, nil); err != nil {
			return "timeout"
		}
		_ = res.Body.Close()
	}
	return ""
}

// each runs the attempts, several at a time, and returns what came of them.
func each(ctx context.Context, cases []corpusCase, try func(context.Context, corpusCase) string) []string {
	outcomes := make([]string, len(cases))
	places := make(chan struct{}, 32)
	var all sync.WaitGroup
	for i, c := range cases {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			ctx, cancel := context.WithTimeout(ctx, 2*dialLimit)
			defer cancel()
			outcomes[i] = try(ctx, c)
		})
	}
	all.Wait()
	return outcomes
}

func TestNoEnforcerReachesTheCorpus(t *testing.T) {
	t.Parallel()
	for _, e := range enforcers {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.names.phase.Store(1)
			for i, got := range each(t.Context(), l.cases, e.make(t, l.policy(false), l.doors())) {
				c, want := l.cases[i], e.want(l.cases[i])
				if strings.HasPrefix(c.Name, "mixed-") {
					want = "*" // the addresses that nobody owns may be what is told of
				}
				if got != want && (want != "*" || got == "") {
					t.Errorf("%s (%s): %q, want %q", c.Name, c.URL, got, want)
				}
			}
			l.canary.untouched()
		})
	}
}

// TestTheCorpusCanFail proves that the corpus leads somewhere: where everything
// is allowed, the same attempts reach the canary.
func TestTheCorpusCanFail(t *testing.T) {
	t.Parallel()
	for _, e := range enforcers {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.names.phase.Store(1)
			hits := l.hitting(t)
			for i, got := range each(t.Context(), hits, e.make(t, l.policy(true), l.doors())) {
				if got == egress.ClassBlocked {
					t.Errorf("%s (%s) is blocked", hits[i].Name, hits[i].URL)
				}
			}
			missed := func() (names []string) {
				for _, c := range hits {
					if e.want(c) == egress.ClassBlocked && !l.canary.saw(c.Name) && (e.name == connect || !strings.HasPrefix(c.URL, "https:")) {
						names = append(names, c.Name)
					}
				}
				return names
			}
			if !l.canary.waits(func() bool { return len(missed()) == 0 }) {
				t.Errorf("not reached: %v", missed())
			}
		})
	}
}
