// Package cli_test puts the commands of terminals and pipelines to work: the real
// program against a real service, as scripts of shells call it.
package cli_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"understudy/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// TestScripts runs testdata/*.txtar. Each has UNDERSTUDY_URL and UNDERSTUDY_API_KEY of a
// running service's sandbox, LIVE_KEY, SITE, a small site, and FREE, a free address.
// `exits STATUS COMMAND…` runs a command that has to end with a status.
func TestScripts(t *testing.T) {
	service := harness.Common(t)
	site := httptest.NewServer(http.HandlerFunc(serveSite))
	t.Cleanup(site.Close)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			free, err := harness.FreeAddress(t.Context())
			if err != nil {
				return err
			}
			for name, value := range map[string]string{
				"UNDERSTUDY_URL": "http://" + service.Addr, "UNDERSTUDY_API_KEY": service.Keys.Test, "LIVE_KEY": service.Keys.Live,
				"UNDERSTUDY_CONFIG": filepath.Join(e.WorkDir, "config.yaml"), "UNDERSTUDY_PLAYWRIGHT_DIR": harness.Driver(),
				"SITE": site.URL, "FREE": free, "FREE_PORT": free[strings.LastIndex(free, ":")+1:], "TMPDIR": filepath.Join(e.WorkDir, ".tmp"),
				"PATH": filepath.Dir(harness.Binary()) + string(os.PathListSeparator) + e.Getenv("PATH"),
			} {
				e.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "envfile": envfile},
	})
}

// envfile sets variables to what files have: envfile NAME=FILE…
func envfile(ts *testscript.TestScript, neg bool, args []string) {
	for _, arg := range args {
		name, file, given := strings.Cut(arg, "=")
		if neg || !given {
			ts.Fatalf("usage: envfile NAME=FILE…")
		}
		ts.Setenv(name, strings.TrimSpace(ts.ReadFile(file)))
	}
}

// exits runs a command that has to end with a status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARGUMENT…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// serveSite is a shop in which the way to the prices is a link, or nowhere (/worse).
func serveSite(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	link := `<p><a href="/prices">Prices</a></p>`
	if r.URL.Path == "/worse" {
		link = `<p><a href="/about">About the house</a></p>`
	}
	body := `<h1>Rent a bicycle</h1><p>Bicycles for a day or a week.</p>` + link
	switch r.URL.Path {
	case "/prices":
		body = `<h1>Prices</h1><p>A day costs 18 euros, a week 90 euros.</p>`
	case "/about":
		body = `<h1>About the house</h1><p>We have rented bicycles since 1987.</p>`
	}
	_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>Bicycles</title><body>` + body + `</body></html>`))
}
