// Package egress holds every enforcer of the egress policy against one corpus
// of addresses that must not be reached: what POST /tests and POST /webhooks
// ask, the probe, the webhook sender, the proxy, and Chromium below it.
package egress

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"understudy/adapters/egress"
	"understudy/domain"
)

// What refuses a case, from testdata/corpus.json.
const (
	byPolicy   = "policy"   // the address is read and denied, at once
	byParser   = "parser"   // no address at all, so none is looked up
	byDial     = "dial"     // public while checked, denied when connected to
	byRedirect = "redirect" // an allowed server redirects to it
	byPage     = "page"     // an allowed page leads a browser to it
)

// allowedAddr is the one address of this machine that the policy allows here,
// for the server that must be reached.
const allowedAddr = "127.0.0.77"

// corpusCase is one row of the corpus. Its URL has {port} for the canary's
// port, {wrapped} for that plus 65536, {allowed} for the allowed server's port
// and {case} for the row's name.
type corpusCase struct {
	Name  string                `json:"name"`
	Group string                `json:"group"`
	URL   string                `json:"url"`
	By    string                `json:"by"`
	Hits  bool                  `json:"hits"` // leads to this machine where everything is allowed
	DNS   map[string][][]string `json:"dns"`  // by name: the answers of each phase
}

// lab is the corpus with the servers that it speaks of.
type lab struct {
	cases  []corpusCase
	names  *names
	site   *site
	canary *canary
}

func newLab(t *testing.T) *lab {
	t.Helper()
	raw, err := os.ReadFile("../../adapters/egress/testdata/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{names: &names{answers: map[string][][]string{"allowed.example": {{allowedAddr}}}}}
	if err := json.Unmarshal(raw, &l.cases); err != nil {
		t.Fatal(err)
	}
	l.canary, l.site = startCanary(t), startSite(t)
	fill := strings.NewReplacer("{port}", strconv.Itoa(l.canary.port), "{wrapped}", strconv.Itoa(l.canary.port+65536), "{allowed}", l.site.port)
	for i, c := range l.cases {
		l.cases[i].URL = strings.ReplaceAll(fill.Replace(c.URL), "{case}", c.Name)
		for name, answers := range c.DNS {
			l.names.answers[name] = answers
		}
	}
	l.cases = append(l.cases, l.own(t)...)
	return l
}

// own are the addresses of this machine's interfaces, where they are not public.
func (l *lab) own(t *testing.T) (cases []corpusCase) {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil || prefix.Addr().IsLinkLocalUnicast() || l.policy(false).CheckAddr(prefix.Addr()) == nil {
			continue // link-local addresses need a zone, which no URL can have
		}
		name := "own-" + prefix.Addr().String()
		at := netip.AddrPortFrom(prefix.Addr(), uint16(l.canary.port))
		cases = append(cases, corpusCase{Name: name, Group: "interfaces of this machine", URL: "http://" + at.String() + "/" + name, By: byPolicy, Hits: true})
	}
	return cases
}

// policy allows the one server, or everything.
func (l *lab) policy(open bool) *egress.Policy {
	allow := []netip.Prefix{netip.MustParsePrefix(allowedAddr + "/32")}
	if open {
		allow = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	}
	p := egress.NewPolicy(allow)
	p.Resolver = l.names.resolver()
	return p
}

// sites are the addresses of the one server.
func (l *lab) sites() []string {
	return []string{"http://allowed.example:" + l.site.port, "http://" + allowedAddr + ":" + l.site.port}
}

// doors are the sites and the canary's addresses that redirects lead to.
func (l *lab) doors() []string {
	named := l.sites()
	for _, host := range []string{"127.0.0.1", "[::1]", "n-redirected.example"} {
		named = append(named, "http://"+host+":"+strconv.Itoa(l.canary.port))
	}
	return named
}

// everything is what a test names that may reach every case.
func (l *lab) everything() []string {
	named := l.doors()
	for _, c := range l.cases {
		named = append(named, c.URL)
	}
	return named
}

// hitting are the cases that lead to this machine where everything is allowed;
// the others would lead out of it. Those that need IPv6 are left out on a
// machine without it.
func (l *lab) hitting(t *testing.T) (hits []corpusCase) {
	t.Helper()
	v6, err := new(net.ListenConfig).Listen(t.Context(), "tcp6", "[::1]:0")
	if err == nil {
		_ = v6.Close()
	}
	for _, c := range l.cases {
		needs := strings.Contains(c.URL, "[") && !strings.Contains(strings.ToLower(c.URL), "ffff") || strings.Contains(fmt.Sprint(c.DNS), "[::")
		if c.Hits && (err == nil || !needs) {
			hits = append(hits, c)
		}
	}
	return hits
}

func TestTheCorpusIsLarge(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	seen := make(map[string]bool)
	for _, c := range l.cases {
		if c.Name == "" || c.Group == "" || seen[c.Name] {
			t.Errorf("%q has no name of its own or no group", c.Name)
		}
		seen[c.Name] = true
	}
	if len(l.cases) < 200 {
		t.Errorf("%d cases, want at least 200", len(l.cases))
	}
}

// TestTheCorpusIsRefusedWhenAskedFor is what POST /tests and POST /webhooks
// answer with.
func TestTheCorpusIsRefusedWhenAskedFor(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	want := map[string]domain.Code{byPolicy: domain.CodeTargetNotAllowed, byParser: domain.CodeValidationFailed}
	closed, open := l.policy(false), l.policy(true)
	for _, c := range l.cases {
		if got := domain.CodeOf(closed.CheckURL(t.Context(), c.URL)); got != want[c.By] {
			t.Errorf("%s (%s): %q, want %q", c.Name, c.URL, got, want[c.By])
		}
		if err := open.CheckURL(t.Context(), c.URL); err != nil && c.By != byParser {
			t.Errorf("%s (%s) where everything is allowed: %v", c.Name, c.URL, err)
		}
	}
	if err := closed.CheckURL(t.Context(), "http://allowed.example:"+l.site.port+"/"); err != nil {
		t.Errorf("the allowed server: %v", err)
	}
	l.canary.untouched()
}
