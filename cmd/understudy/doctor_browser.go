package main

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"time"

	"understudy/adapters/browser"
)

// programs tells which programs there are, beside Postgres's.
func (d doctor) programs(context.Context) (all []finding) {
	found, err := d.cfg.programs("", d.log)
	missing := browser.Missing(err)
	for _, m := range missing {
		name, _, _ := strings.Cut(m.Program, " (")
		if m.Lost == "" {
			all = append(all, failing("programs", m.Remedy, "%s was not found: no page can be opened", name))
			continue
		}
		all = append(all, doubtful("programs", m.Remedy, "%s was not found: %s are missing", name, m.Lost))
	}
	if len(missing) == 0 {
		all = append(all, fine("programs", "Playwright's driver (%s), node (%s), axe-core, ffmpeg (%s)", found.DriverDir, found.NodePath, found.FFmpegPath))
	}
	return all
}

// browser starts Chromium and tells of its sandbox and fonts. Without a Chromium there
// is nothing to tell that programs does not.
func (d doctor) browser(ctx context.Context) (all []finding) {
	programs, _ := d.cfg.programs("", d.log) // the error is told by programs
	if !programs.CanBrowse() {
		return nil
	}
	shut := d.sandbox(ctx, programs)
	// Nobody's page is opened here, so what has no sandbox can still be looked at.
	programs.NoSandbox = programs.NoSandbox || shut.Status == statusFailure
	seen, err := programs.Examine(ctx)
	if err != nil {
		return append(all, failing("chromium", "run `"+programs.ChromiumPath+" --version`; install the Debian package chromium-headless-shell anew, or give the machine more memory",
			"%s does not start: %v", programs.ChromiumPath, err), shut)
	}
	all = append(all, fine("chromium", "%s (%s), up in %s", seen.Version, programs.ChromiumPath, seen.Started.Round(10*time.Millisecond)), shut)
	switch {
	case !seen.Letters:
		return append(all, failing("fonts", "install the Debian packages fonts-liberation and fonts-noto-color-emoji", "no font shows letters: people would see boxes"))
	case !seen.Emoji:
		return append(all, doubtful("fonts", "install the Debian package fonts-noto-color-emoji", "%s; none shows emoji, which pages use as icons", strings.Join(seen.Fonts, ", ")))
	}
	return append(all, fine("fonts", "%s", strings.Join(seen.Fonts, ", ")))
}

func (d doctor) sandbox(ctx context.Context, programs browser.Config) finding {
	if programs.NoSandbox {
		return doubtful("sandbox", "test only pages of your own, or set UNDERSTUDY_BROWSER_SANDBOX=on", "off: a page that breaks out of Chromium is on this machine")
	}
	switch err := programs.CheckSandbox(ctx); {
	case errors.Is(err, browser.ErrNoSandbox):
		found, remedy, _ := strings.Cut(err.Error(), ": ")
		return failing("sandbox", remedy, "%s", found)
	case err != nil:
		return failing("sandbox", "see chromium", "it could not be seen: %v", err)
	case runtime.GOOS != "linux":
		return fine("sandbox", "on, as %s has it; not tried", runtime.GOOS)
	}
	return fine("sandbox", "on: Chromium can shut pages in")
}
