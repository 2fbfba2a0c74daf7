package browser

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Config says which programs drive the pages and within which bounds. The zero
// value of a bound means its default; empty paths are filled by Locate.
type Config struct {
	// DriverDir holds Playwright's driver: <DriverDir>/package/cli.js of
	// playwright-core 1.60.0.
	DriverDir string
	// NodePath is the node program (18 or later) that runs the driver.
	NodePath string
	// ChromiumPath is the browser, by preference Debian's chromium-headless-shell.
	ChromiumPath string
	// AxePath is axe-core's axe.min.js, by preference of release 4.14.1. Without it
	// pages are not audited.
	AxePath string
	// FFmpegPath is the encoder for EncodeRecording. Sessions do not need it.
	FFmpegPath string
	// TempDir is where the browser's home, profiles and downloads are kept while it
	// runs. Where this process is root, others must be able to pass through it.
	// Default: the system's directory for temporary files.
	TempDir string
	// NoSandbox starts Chromium without its sandbox.
	NoSandbox bool
	// MaxContexts bounds the sessions open at once; Open waits for a free place.
	// Default: three for each processor.
	MaxContexts int
	// IdleTimeout is how long Chromium and its driver are kept after the last
	// session has closed. Default: 30 s.
	IdleTimeout time.Duration
	// RenewAfter is how many sessions one Chromium and its driver serve. Both keep
	// a little of each; the next session gets fresh ones, and the old ones end with
	// the last session that is still on them. Default: 1,000.
	RenewAfter int
	// PageMemory is how many bytes what shows a page may hold. Default: 1 GiB; pages of the
	// web take 50 to 300 MiB. Chromium's other processes may hold four times as much.
	PageMemory int64
	// HangLimit is how long a page may take to answer one question or one input
	// before it counts as hung. Default: 10 s.
	HangLimit time.Duration
	// AuditLimit is how long an audit may take. Default: 5 s; axe-core takes 16 to
	// 395 ms on ordinary pages.
	AuditLimit time.Duration
	// NavigationLimit is how long a document may take to arrive. Default: 15 s.
	NavigationLimit time.Duration
	// Logger gets what no caller can be told: launches, losses, forced ends.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.MaxContexts <= 0 {
		c.MaxContexts = 3 * runtime.NumCPU()
	}
	if c.IdleTimeout <= 0 {
		c.IdleTimeout = 30 * time.Second
	}
	if c.RenewAfter <= 0 {
		c.RenewAfter = 1000
	}
	if c.PageMemory <= 0 {
		c.PageMemory = 1 << 30
	}
	if c.AuditLimit <= 0 {
		c.AuditLimit = 5 * time.Second
	}
	if c.HangLimit <= 0 {
		c.HangLimit = 10 * time.Second
	}
	if c.NavigationLimit <= 0 {
		c.NavigationLimit = 15 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// MissingError names a program that was not found and how to get it.
type MissingError struct {
	// Program is what was looked for, Remedy what to run to have it.
	Program, Remedy string
	// Lost is what is not had without it, "" where no page can be shown.
	Lost string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s was not found: %s", e.Program, e.Remedy)
}

// Locate fills the empty paths of cfg from PATH and the usual places. It returns
// what it found together with one *MissingError for each program that is not
// there (joined; a missing ffmpeg only costs the recordings, a missing axe-core
// the audits).
func Locate(cfg Config) (Config, error) {
	var missing []error
	find := func(path *string, lost, remedy string, names ...string) {
		if *path != "" {
			if _, err := os.Stat(*path); err == nil {
				return
			}
			names = []string{*path}
		}
		for _, name := range names {
			if found, err := exec.LookPath(name); err == nil {
				*path = found
				return
			}
		}
		missing = append(missing, &MissingError{Program: names[0], Remedy: remedy, Lost: lost})
	}
	find(&cfg.NodePath, "", "install the Debian package nodejs", "node", "nodejs")
	find(&cfg.ChromiumPath, "", "install the Debian package chromium-headless-shell",
		"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
	find(&cfg.FFmpegPath, "films of sessions", "install the Debian package ffmpeg", "ffmpeg")
	if dir, ok := findDriver(cfg.DriverDir); ok {
		cfg.DriverDir = dir
	} else {
		missing = append(missing, &MissingError{
			Program: "Playwright's driver (playwright-core " + driverVersion + ")",
			Remedy:  "run `make setup` in a checkout, or set UNDERSTUDY_PLAYWRIGHT_DIR to a directory that holds it as package/cli.js (archives of a release have it in lib/understudy/playwright)",
		})
	}
	if cfg.AxePath == "" && cfg.DriverDir != "" {
		cfg.AxePath = filepath.Join(filepath.Dir(cfg.DriverDir), "axe-core", "axe.min.js")
	}
	if _, err := os.Stat(cfg.AxePath); err != nil {
		missing = append(missing, &MissingError{
			Program: "axe-core " + axeVersion,
			Remedy:  "run `make setup` in a checkout, or put its npm package beside the driver's directory as axe-core",
			Lost:    "the audits of pages for accessibility",
		})
		cfg.AxePath = ""
	}
	return cfg, errors.Join(missing...)
}

// CanBrowse says whether what it takes to show a page was found: Chromium, its
// driver and node.
func (c Config) CanBrowse() bool {
	_, driver := findDriver(c.DriverDir)
	return driver && c.ChromiumPath != "" && c.NodePath != ""
}

// axeVersion is the axe-core release that is fetched and tested with.
const axeVersion = "4.14.1"

// driverVersion is the playwright-core release that the Go client speaks to.
const driverVersion = "1.60.0"

// findDriver looks for the driver where it was said to be, else in
// PLAYWRIGHT_DRIVER_PATH, in lib/understudy beside the program's bin (as archives and
// packages lay it), in .cache/playwright of the working directory, the program's
// directory and the directories above them, and below /usr/lib.
func findDriver(given string) (string, bool) {
	has := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "package", "cli.js"))
		return err == nil
	}
	if given != "" {
		return given, has(given)
	}
	candidates := []string{os.Getenv("PLAYWRIGHT_DRIVER_PATH")}
	exe, err := os.Executable()
	if err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			candidates = append(candidates, filepath.Join(filepath.Dir(filepath.Dir(exe)), "lib", "understudy", "playwright"))
		}
	}
	above := func(dir string, err error) {
		for ; err == nil; dir = filepath.Dir(dir) {
			candidates = append(candidates, filepath.Join(dir, ".cache", "playwright"))
			if dir == filepath.Dir(dir) {
				return
			}
		}
	}
	above(os.Getwd())
	above(filepath.Dir(exe), err)
	candidates = append(candidates, "/usr/local/lib/understudy/playwright", "/usr/lib/understudy/playwright")
	for _, dir := range candidates {
		if dir != "" && has(dir) {
			if abs, err := filepath.Abs(dir); err == nil {
				return abs, true
			}
		}
	}
	return "", false
}

// Missing are the programs that an error of Locate names.
func Missing(err error) (all []*MissingError) {
	var one *MissingError
	if joined, several := err.(interface{ Unwrap() []error }); several { //nolint:errorlint // Locate joins them itself
		for _, e := range joined.Unwrap() {
			if errors.As(e, &one) {
				all = append(all, one)
			}
		}
	}
	return all
}
