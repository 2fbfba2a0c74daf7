package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"understudy/domain/walk"
)

const (
	// auditNodes is the largest page that is audited, in elements.
	auditNodes = 4000
	// auditSelectors bounds the elements that are named for each broken rule.
	auditSelectors = 5
)

// ErrAuditSkipped says that a page was not audited: axe-core is not there, the
// page is too large, or it took too long.
var ErrAuditSkipped = errors.New("the page was not audited")

// auditCall runs the rules of WCAG 2.0 to 2.2, levels A and AA. target-size
// (2.5.8) is one of them that axe-core has off by default. Frames are left out:
// axe-core would have to be in each of them.
const auditCall = `(async () => {
  const x = scrollX, y = scrollY;
  const result = await axe.run(document, {
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
    rules: { 'target-size': { enabled: true } },
    resultTypes: ['violations'], iframes: false, preload: false, elementRef: true,
  });
  if (scrollX !== x || scrollY !== y) scrollTo({ left: x, top: y, behavior: 'instant' });
  // Selectors are spelled as a look spells them, and point at the control that
  // the element is part of: what people used and what the rule is about are the
  // same thing then.
  const selector = understudy.names.selectors();
  const path = (n) => selector(n.element.closest('a, button, input, select, textarea, summary, [role]') || n.element).slice(0, 300);
  return JSON.stringify({ violations: result.violations.map((v) => ({
    rule: v.id, impact: v.impact || 'minor', selectors: v.nodes.slice(0, %d).filter((n) => n.element).map(path),
  })) });
})()`

// Audit checks the page in front against the accessibility rules of axe-core.
// It takes at most Config.AuditLimit, longer where the machine is late (pace), and leaves
// the page as it is, scrolled as it was; refs of the last Look still hold. Where that cannot be had it answers
// ErrAuditSkipped, and the session goes on.
func (s *Session) Audit(ctx context.Context) ([]walk.Violation, error) {
	s.use.Lock()
	defer s.use.Unlock()
	t, err := s.current()
	if err != nil {
		return nil, err
	}
	source, err := s.browser.axe()
	if err != nil {
		return nil, err
	}
	type answer struct {
		Skipped    string           `json:"skipped"`
		Violations []walk.Violation `json:"violations"`
	}
	var said answer
	limit := times(s.browser.Pace(), s.browser.cfg.AuditLimit)
	err = s.call(ctx, limit+s.browser.cfg.HangLimit, func() error {
		if err := s.attach(t); err != nil {
			return err
		}
		type result struct {
			answer answer
			err    error
		}
		done := make(chan result, 1)
		go func() {
			var r result
			r.err = t.audit(source, &r.answer)
			done <- r
		}()
		timer := time.NewTimer(limit)
		defer timer.Stop()
		select {
		case r := <-done:
			said = r.answer
			return r.err
		case <-timer.C:
			// axe-core is broken off. Its own answer never comes then: who waits for
			// it is let go with the document.
			said.Skipped = "it took too long"
			_, err := t.cdp.Send("Runtime.terminateExecution", map[string]any{})
			return err
		}
	})
	switch {
	case s.lost(err):
		return nil, fmt.Errorf("audit the page: %w", err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrAuditSkipped, err)
	case said.Skipped != "":
		return nil, fmt.Errorf("%w: %s", ErrAuditSkipped, said.Skipped)
	}
	for i := range said.Violations {
		for j, selector := range said.Violations[i].Selectors {
			said.Violations[i].Selectors[j] = s.strike(selector)
		}
	}
	return said.Violations, nil
}

// audit runs axe-core in the observer's world, where it is put once for each
// document. The page's scripts do not see it.
func (t *tab) audit(source string, answer any) error {
	there, err := t.evaluate(fmt.Sprintf("document.getElementsByTagName('*').length > %d ? 'large' : typeof axe", auditNodes))
	switch {
	case err != nil:
		return err
	case there == "large":
		return json.Unmarshal([]byte(`{"skipped":"the page is too large"}`), answer)
	case there == "undefined":
		if _, err := t.evaluate(source + "\n''"); err != nil {
			return err
		}
	}
	text, err := t.evaluate(fmt.Sprintf(auditCall, auditSelectors))
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), answer)
}

// axe is the source of axe-core, which is read when it is first needed.
func (b *Browser) axe() (string, error) {
	if b.cfg.AxePath == "" {
		return "", fmt.Errorf("%w: axe-core is not there", ErrAuditSkipped)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.axeSource == "" {
		raw, err := os.ReadFile(b.cfg.AxePath)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrAuditSkipped, err)
		}
		b.axeSource = string(raw)
	}
	return b.axeSource, nil
}
