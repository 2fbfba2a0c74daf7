package oauthclient_test

import (
	"regexp"
	"testing"

	"understudy/domain/oauthclient"
)

// onLoopback takes an address on the person's own machine apart.
var onLoopback = regexp.MustCompile(`^(http://(?:127\.0\.0\.1|\[::1\]|localhost))(?::[0-9]*)?((?:[/?].*)?)$`)

// FuzzRedirect: nobody is answered but at an address that is registered, or at one that differs
// from it in the port of the person's own machine, and that of a public client only.
func FuzzRedirect(f *testing.F) {
	f.Add("http://127.0.0.1/cb?a=1", "http://127.0.0.1:51004/cb?a=1", true)
	f.Add("http://[::1]:99/cb", "http://[::1]/cb", true)
	f.Add("http://localhost", "http://localhost:80@evil.example", true)
	f.Add("http://127.0.0.1:1/cb", "http://127.0.0.1:/cb", false)
	f.Add("http://localhost/cb", "http://LOCALHOST:80/%63b", true)
	f.Add("http://::1:80/cb", "http://[::1]:80/cb", true)
	f.Add("com.example.app:/cb", "com.example.app:80/cb", true)
	f.Add("https://app.example/cb", "https://app.example:443/cb", true)
	f.Fuzz(func(t *testing.T, registered, asked string, native bool) {
		client := confidential
		if native {
			client = public
		}
		client.RedirectURIs = []string{registered}
		if _, err := oauthclient.Decider.Decide(oauthclient.State{}, oauthclient.Register{Client: client}); err != nil {
			return
		}
		answered := oauthclient.Redirects(client.RedirectURIs, native, asked)
		one, other := onLoopback.FindStringSubmatch(registered), onLoopback.FindStringSubmatch(asked)
		twin := native && one != nil && other != nil && one[1] == other[1] && one[2] == other[2]
		if answered && asked != registered && !twin || !answered && asked == registered {
			t.Errorf("with %q registered, public %t, %q is answered: %t", registered, native, asked, answered)
		}
	})
}
