package egress

import (
	"net/netip"
	"net/url"
	"strconv"
	"testing"

	"understudy/adapters/egress"
)

// TestAPageReachesNoOtherPortOfTheMachine: where the operator allows all of loopback, a page
// of a public site, and one at a port of this machine, try every way to another port.
func TestAPageReachesNoOtherPortOfTheMachine(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{"public": "http://public.example/", "loopback": "http://127.0.0.1:1/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			policy := egress.NewPolicy([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")})
			policy.Resolver = l.names.resolver()
			l.names.answers["public.example"] = [][]string{{"93.184.216.34"}}
			port := strconv.Itoa(l.canary.port)
			l.names.answers["inside.example"] = [][]string{{"127.0.0.1"}}
			site, canary := "http://"+allowedAddr+":"+l.site.port, "http://127.0.0.1:"+port
			l.site.bodies["/all-ways"] = waysAt("127.0.0.1:"+port, "[::1]:"+port, "localhost:"+port, "inside.example:"+port, allowedAddr+":"+port)
			// The site of the attacking page is listed: no test has a public address of its own to serve it at.
			addresses := []string{site + "/all-ways", site + "/to?status=302&url=" + url.QueryEscape(canary+"/redirect"), canary + "/opened"}
			for how := range leading {
				addresses = append(addresses, site+"/page?how="+how+"&url="+url.QueryEscape(canary+"/"+how))
			}
			if n := walk(t, l, policy, []string{target, site}, atLeast(int64(len(ways))), addresses...); n < int64(len(ways)) {
				t.Errorf("the proxy blocked %d requests only: the page did not try its ways", n)
			}
			l.canary.untouched()
		})
	}
}
