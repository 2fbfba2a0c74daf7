package browser_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

// TestScriptsOfOthersThatDoNotCome: the host of a script that got no answer is
// known on its page, and not on the next one. What the page's own server lacks,
// and what another answered with an error, would be missing for everybody.
func TestScriptsOfOthersThatDoNotCome(t *testing.T) {
	t.Parallel()
	closed, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<title>Shop</title><script src="http://%s/ui.js"></script><script src="http://%s/more.js"></script><script src="%s/gone.js"></script><script src="/own.js"></script><button>Menu</button> <a href="/next">Next</a>`,
				nobody, nobody, elsewhere.URL)
		case "/next":
			fmt.Fprint(w, `<title>Next</title><p>All here.</p>`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer shop.Close()
	s := open(t, browser.SessionOptions{})
	if _, err := s.Goto(t.Context(), shop.URL); err != nil {
		t.Fatal(err)
	}
	if got := look(t, s).Missing; !slices.Equal(got, []string{nobody}) {
		t.Errorf("missing %q, want %q", got, nobody)
	}
	act(t, s, walk.Click, "Next", "")
	if got := look(t, s).Missing; len(got) > 0 {
		t.Errorf("missing on the next page: %q", got)
	}
}
