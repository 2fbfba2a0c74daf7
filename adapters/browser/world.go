package browser

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// listenersScript runs in the page's own world, in each of its documents before
// any other script; it is a function of the name of the events by which it tells
// the observer what it learns.
//
//go:embed script/listeners.js
var listenersScript string

// The observer's scripts.
//
//go:embed script/*.js
var scripts embed.FS

// observer is everything that runs in a page's isolated world, as one program:
// the scripts in the order in which they need each other.
var observer = sync.OnceValue(func() string {
	var program strings.Builder
	for _, name := range strings.Fields("agent marks names sight parts icons widgets states rows salience limits fields menus look aim relieve mask") {
		text, err := scripts.ReadFile("script/" + name + ".js")
		if err != nil {
			panic(err) // it is embedded: the name is wrong
		}
		program.Write(text)
	}
	return program.String()
})

// worldName names the isolated world: a page's scripts share its document but
// neither see the observer nor can replace the functions it uses.
const worldName = "understudy"

// attach opens a line to a tab's main frame. No domain of the protocol may be
// enabled on it: the client library drops its whole connection on the event of
// a download (it takes the download's guid for an object of its own).
func (s *Session) attach(t *tab) error {
	s.mu.Lock()
	attached := t.cdp != nil
	s.mu.Unlock()
	if attached {
		return nil
	}
	cdp, err := s.context.NewCDPSession(t.page)
	if err != nil {
		return fmt.Errorf("attach to the page: %w", err)
	}
	if _, err := cdp.Send("Emulation.setUserAgentOverride", s.device.agentOverride(s.engine.chromium.Version())); err != nil {
		return fmt.Errorf("name the browser: %w", err)
	}
	tree, err := cdp.Send("Page.getFrameTree", map[string]any{})
	if err != nil {
		return fmt.Errorf("find the page's frame: %w", err)
	}
	var ok bool
	if t.frame, ok = dig(tree, "frameTree", "frame", "id").(string); !ok {
		return errors.New("find the page's frame: unexpected answer of the browser")
	}
	s.mu.Lock()
	t.cdp = cdp
	s.mu.Unlock()
	return nil
}

// ask evaluates an expression in the observer's world; it must yield a string
// of JSON, which is decoded into answer. The observer is placed when a document
// is asked for the first time.
func (t *tab) ask(expression string, answer any) error {
	for placed, tries := false, 0; ; {
		text, err := t.evaluate("globalThis.understudy ? understudy." + expression + " : 'absent'")
		if err == nil && text == "absent" {
			if placed {
				return errors.New("the observer could not be placed in the page")
			}
			// Another process counts its worlds anew: what has the old number may be
			// some frame's.
			t.world = 0
			if _, err = t.evaluate(observer() + "\nunderstudy.marks.name = " + jsString(t.token) + "; ''"); err == nil {
				placed = true
				continue
			}
		}
		if err != nil && moved(err) && tries < 5 {
			t.world, placed = 0, false
			tries++
			continue
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), answer); err != nil {
			return fmt.Errorf("read the observer's answer: %w", err)
		}
		return nil
	}
}

func (t *tab) evaluate(expression string) (string, error) {
	if t.world == 0 {
		made, err := t.cdp.Send("Page.createIsolatedWorld", map[string]any{"frameId": t.frame, "worldName": worldName})
		if err != nil {
			return "", err
		}
		id, ok := dig(made, "executionContextId").(float64)
		if !ok {
			return "", errors.New("make the observer's world: unexpected answer of the browser")
		}
		t.world = id
	}
	result, err := t.cdp.Send("Runtime.evaluate", map[string]any{
		"expression": expression, "contextId": int(t.world), "returnByValue": true, "awaitPromise": true,
	})
	if err != nil {
		return "", err
	}
	if details := dig(result, "exceptionDetails"); details != nil {
		return "", fmt.Errorf("the observer failed: %v", dig(details, "exception", "description"))
	}
	text, ok := dig(result, "result", "value").(string)
	if !ok {
		return "", errors.New("the observer gave no answer")
	}
	return text, nil
}

// ask asks the current tab within the hang limit.
func (s *Session) ask(ctx context.Context, t *tab, expression string, answer any) error {
	return s.call(ctx, s.browser.cfg.HangLimit, func() error {
		if err := s.attach(t); err != nil {
			return err
		}
		return t.ask(expression, answer)
	})
}

// dig follows keys through decoded JSON; nil if there is nothing there.
func dig(v any, keys ...string) any {
	for _, key := range keys {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// jsString writes a Go string as a JavaScript literal.
func jsString(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""` // strings always marshal
	}
	return string(raw)
}

// jsStrings writes strings as a JavaScript array.
func jsStrings(all []string) string {
	literals := make([]string, len(all))
	for i, s := range all {
		literals[i] = jsString(s)
	}
	return "[" + strings.Join(literals, ",") + "]"
}
