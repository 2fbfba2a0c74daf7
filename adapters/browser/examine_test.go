package browser_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/adapters/browser"
)

// TestExaminingTellsOfFonts: with the machine's fonts, and in a machine that has none.
func TestExaminingTellsOfFonts(t *testing.T) {
	seen, err := programs.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if seen.Version == "" || seen.Started <= 0 || !seen.Letters || !seen.Emoji || len(seen.Fonts) < 2 ||
		!slices.ContainsFunc(seen.Fonts, func(name string) bool { return strings.Contains(name, "Emoji") }) {
		t.Errorf("%+v, want a version and fonts for letters and emoji", seen)
	}
	dir := t.TempDir()
	bare := filepath.Join(dir, "fonts.conf")
	if err := os.WriteFile(bare, []byte(`<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>/nonexistent</dir></fontconfig>`), 0o644); err != nil {
		t.Fatal(err)
	}
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil { // the browser's user reads the file
			t.Fatal(err)
		}
	}
	t.Setenv("FONTCONFIG_FILE", bare)
	seen, err = programs.Examine(t.Context())
	if err != nil || seen.Letters || seen.Emoji || len(seen.Fonts) > 0 {
		t.Errorf("%+v, %v without any font", seen, err)
	}
}

// TestWhatIsMissingSaysWhatIsLost: a machine that lacks only what encodes films can
// still browse, and says so.
func TestWhatIsMissingSaysWhatIsLost(t *testing.T) {
	t.Parallel()
	cfg := programs
	cfg.FFmpegPath = filepath.Join(t.TempDir(), "ffmpeg")
	found, err := browser.Locate(cfg)
	missing := browser.Missing(err)
	if len(missing) != 1 || missing[0].Lost == "" || !found.CanBrowse() {
		t.Errorf("missing %v (%v), want the encoder alone, and what is lost without it", missing, err)
	}
	cfg.ChromiumPath = filepath.Join(t.TempDir(), "chromium")
	_, err = browser.Locate(cfg)
	if missing = browser.Missing(err); len(missing) != 2 || missing[0].Lost != "" {
		t.Errorf("missing %v (%v), want Chromium, without which nothing goes", missing, err)
	}
}
