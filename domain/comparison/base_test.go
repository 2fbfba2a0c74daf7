package comparison

import (
	"testing"

	"understudy/domain/findings"
)

// TestPagesOfTwoVariantsAreTheSameBelowTheirFolders: however the address of the page
// under test is written.
func TestPagesOfTwoVariantsAreTheSameBelowTheirFolders(t *testing.T) {
	t.Parallel()
	for start, of := range map[string]map[string]string{
		"https://a.com":                   {"https://a.com/": startPage, "https://a.com/cart": "/cart"},
		"https://a.com/?x=/y":             {"https://a.com/index.html": startPage, "https://a.com/cart": "/cart"},
		"https://a.com/v1/":               {"https://a.com/v1/index.html": startPage, "https://a.com/v1/cart": "/cart", "https://a.com/help": "a.com/help"},
		"https://a.com/v1/index.html":     {"https://a.com/v1/": startPage, "https://a.com/v1/cart": "/cart", "https://a.com/help": "a.com/help"},
		"https://a.com/v1/home.html#top":  {"https://a.com/v1/home.html": startPage, "https://a.com/v1/cart": "/cart"},
		"https://a.com/item/1234/reviews": {"https://a.com/item/9876/reviews": startPage, "https://a.com/item/1234/buy": "/buy"},
	} {
		for page, want := range of {
			if got := baseOf(start).relative(findings.Template(page)); got != want {
				t.Errorf("%s of %s is %s, want %s", page, start, got, want)
			}
		}
	}
}
