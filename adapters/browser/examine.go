package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/playwright-community/playwright-go"
)

// Examined is what Chromium was seen to do on this machine.
type Examined struct {
	Version string
	Started time.Duration // the driver and Chromium, until both answered
	// Fonts are the families that show Latin text and emoji, Letters and Emoji whether
	// those have shapes of their own rather than the box of what no font has.
	Fonts          []string
	Letters, Emoji bool
}

// specimen is a page that is all text to be shown, and tells whether it is. A character
// that no font has looks like the two that no font may have.
const specimen = `<!doctype html><meta charset="utf-8"><p style="font-family:sans-serif">Abc Äß 😀</p>`

const shapesScript = `() => {
  const drawn = text => {
    const c = document.createElement('canvas').getContext('2d');
    c.font = '32px sans-serif';
    c.fillText(text, 8, 40);
    return c.canvas.toDataURL();
  };
  const none = ['', ' ', '\u{10fffd}', '\u{ffffe}'].map(drawn);
  const has = texts => new Set(texts.map(drawn)).size === texts.length && !texts.some(t => none.includes(drawn(t)));
  return {letters: has(['A', 'b', 'ß']), emoji: has(['😀', '🛒', '🔍'])};
}`

// Examine starts Chromium, with or without its sandbox as c says, looks which fonts it
// has, and stops it. It opens no page of anybody's.
func (c Config) Examine(ctx context.Context) (seen Examined, err error) {
	began := time.Now()
	b := New(c)
	defer func() {
		if failed := b.Close(); err == nil {
			err = failed
		}
	}()
	e, err := b.acquire(ctx)
	if err != nil {
		return seen, err
	}
	seen.Started, seen.Version = time.Since(began), e.chromium.Version()
	err = within(startLimit, func() error { return seen.look(e.chromium) })
	return seen, err
}

func (seen *Examined) look(chromium playwright.Browser) error {
	page, err := chromium.NewPage()
	if err != nil {
		return fmt.Errorf("open a page: %w", err)
	}
	if err := page.SetContent(specimen); err != nil {
		return fmt.Errorf("show a page: %w", err)
	}
	shapes, err := page.Evaluate(shapesScript)
	if err != nil {
		return fmt.Errorf("draw letters: %w", err)
	}
	had, ok := shapes.(map[string]any)
	if !ok {
		return fmt.Errorf("draw letters: an answer of %T", shapes)
	}
	seen.Letters, seen.Emoji = had["letters"] == true, had["emoji"] == true
	seen.Fonts, err = fontsOf(page)
	return err
}

// fontsOf are the families that a page's paragraph is shown in.
func fontsOf(page playwright.Page) (families []string, err error) {
	cdp, err := page.Context().NewCDPSession(page)
	if err != nil {
		return nil, fmt.Errorf("ask for fonts: %w", err)
	}
	ask := func(method string, parameters map[string]any, into any) error {
		answer, err := cdp.Send(method, parameters)
		if err == nil {
			var raw []byte
			if raw, err = json.Marshal(answer); err == nil {
				err = json.Unmarshal(raw, into)
			}
		}
		if err != nil {
			return fmt.Errorf("ask for fonts: %s: %w", method, err)
		}
		return nil
	}
	var nothing any
	var document struct{ Root struct{ NodeID int } }
	var paragraph struct{ NodeID int }
	var used struct{ Fonts []struct{ FamilyName string } }
	for _, step := range []struct {
		method     string
		parameters func() map[string]any
		into       any
	}{
		{"DOM.enable", func() map[string]any { return map[string]any{} }, &nothing},
		{"CSS.enable", func() map[string]any { return map[string]any{} }, &nothing},
		{"DOM.getDocument", func() map[string]any { return map[string]any{} }, &document},
		{"DOM.querySelector", func() map[string]any { return map[string]any{"nodeId": document.Root.NodeID, "selector": "p"} }, &paragraph},
		{"CSS.getPlatformFontsForNode", func() map[string]any { return map[string]any{"nodeId": paragraph.NodeID} }, &used},
	} {
		if err := ask(step.method, step.parameters(), step.into); err != nil {
			return nil, err
		}
	}
	for _, font := range used.Fonts {
		if !slices.Contains(families, font.FamilyName) {
			families = append(families, font.FamilyName)
		}
	}
	return families, nil
}
