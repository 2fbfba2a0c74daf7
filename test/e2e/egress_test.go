package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/test/harness"
)

// TestPrivateAddressesAreRefusedUnlessAllowed asks the service for every row of
// the egress corpus that is refused when it is asked for and needs no name
// server. The others are held against the enforcers in test/egress.
func TestPrivateAddressesAreRefusedUnlessAllowed(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(harness.Root(), "adapters", "egress", "testdata", "corpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	var corpus []struct {
		Name, URL, By string
		DNS           map[string][][]string
	}
	if err := json.Unmarshal(raw, &corpus); err != nil {
		t.Fatal(err)
	}
	s := own(t) // without UNDERSTUDY_EGRESS_ALLOW
	c := s.live()
	asked := 0
	for _, row := range corpus {
		want := map[string]string{"policy": "target_not_allowed", "parser": "validation_failed"}[row.By]
		if want == "" || row.DNS != nil {
			continue
		}
		asked++
		address := strings.NewReplacer("{port}", "8080", "{wrapped}", "73616", "{case}", row.Name).Replace(row.URL)
		if _, err := url.Parse(address); err != nil {
			want = "validation_failed" // the schema's format is net/url's: no escaped ASCII in a host
		}
		for path, body := range map[string]map[string]any{
			"/tests":    {"url": address, "task": "Find the price"},
			"/webhooks": {"url": address},
		} {
			got := c.send(t, http.MethodPost, path, body)
			refused := got.problem(t)
			if got.StatusCode != http.StatusUnprocessableEntity || refused.Code != want || len(refused.Errors) != 1 || refused.Errors[0].Pointer != "/url" {
				t.Errorf("POST %s with %s (%s): %d %+v, want %s", path, row.Name, address, got.StatusCode, refused, want)
			}
		}
	}
	if asked < 200 {
		t.Errorf("%d rows were asked for, want at least 200", asked)
	}
	if n := len(all[harness.Test](t, c, "/tests")); n != 0 {
		t.Errorf("%d tests were made", n)
	}
	if n := len(all[struct{ ID string }](t, c, "/webhooks")); n != 0 {
		t.Errorf("%d webhooks were made", n)
	}
}
