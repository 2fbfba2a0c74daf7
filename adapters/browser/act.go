package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"understudy/domain/walk"
)

// typedKeys is how many characters are typed key by key; the rest of a longer
// text is put in at once, as if pasted.
const typedKeys = 200

// patience is how long the action wait watches for something to happen.
const patience = 2 * time.Second

// target is what the observer knows about the element of an action.
type target struct {
	Gone      bool    `json:"gone"`
	OK        bool    `json:"ok"`
	Reason    string  `json:"reason"`
	Tag       string  `json:"tag"`
	Type      string  `json:"type"`
	Multiline bool    `json:"multiline"`
	Text      bool    `json:"text"`
	Filled    bool    `json:"filled"`
	Disabled  bool    `json:"disabled"`
	Readonly  bool    `json:"readonly"`
	Checked   bool    `json:"checked"`
	Focused   bool    `json:"focused"`
	Listed    bool    `json:"listed"` // takes free text with suggestions
	Accept    string  `json:"accept"`
	Keyless   bool    `json:"keyless"` // no key gets there
	Key       string  `json:"key"`     // the key that operates it
	Link      bool    `json:"link"`
	Adds      bool    `json:"adds"` // a press with the control key chooses it besides others
	Value     string  `json:"value"`
	Moved     bool    `json:"moved"`  // it had to be scrolled into view
	Missed    string  `json:"missed"` // what lies over all of it, "" when it can be reached
	Ref       string  `json:"ref"`
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
}

// cannot is why an action was not carried out: no fault of browser or session,
// it becomes Effect.Failed.
type cannot string

func (c cannot) Error() string { return string(c) }

const notThere = cannot("the element is no longer on the page")

// Act carries out one action with real input and waits for the page to rest.
// text is what is typed, chosen or pressed; a caller with a secret puts it there
// and leaves Action.Text alone; on pages that SessionOptions.SecretsAt leaves out it
// is not typed (Effect.Refused). What is pointed at is a place where the element is on
// top; where there is none, nothing is done (Effect.Missed). An action that cannot be
// carried out says so in Effect.Failed; an error has closed the session.
func (s *Session) Act(ctx context.Context, a walk.Action, text string) (walk.Effect, error) {
	s.use.Lock()
	defer s.use.Unlock()
	t, err := s.current()
	if err != nil {
		return walk.Effect{}, err
	}
	if a.Secret != "" {
		if at := s.address(t); !entrusted(at, s.device.SecretsAt) {
			site := s.strike(cut(cmp.Or(origin(at), "a page without a site"), 200))
			return walk.Effect{URL: s.strike(at), Failed: "the input is not for " + site, Refused: site}, nil
		}
		s.keep(text)
	}
	start := s.engine.begin()
	before := s.address(t)
	if err := s.begin(ctx, t); err != nil {
		return walk.Effect{}, fmt.Errorf("act on the page: %w", err)
	}
	if a.Secret != "" && a.Ref != "" {
		var nothing struct{}
		err = s.ask(ctx, t, "seal("+jsString(a.Ref)+")", &nothing)
	}
	s.aimed = aimed{}
	s.log.enact(a.Type, text)
	if err == nil {
		err = s.perform(ctx, t, a, text)
		if a.Type == walk.Type || a.Type == walk.Append {
			start = s.engine.begin() // what key after key takes is nothing that the page keeps anybody waiting for
		}
	}
	if s.lost(err) {
		return walk.Effect{}, fmt.Errorf("%s: %w", a.Type, err)
	}
	var failed string
	var why cannot
	switch {
	case errors.As(err, &why):
		failed = string(why)
	case err != nil && !gone(err) && !moved(err): // a page that went away is an effect
		failed = cut(firstLine(err.Error()), 200)
	}
	rest, took, err := s.arrive(ctx, untouched(a.Type), false, start)
	if err != nil {
		return walk.Effect{}, fmt.Errorf("%s: wait for the page: %w", a.Type, err)
	}
	front, err := s.current()
	if err != nil {
		return walk.Effect{}, fmt.Errorf("%s: %w", a.Type, err)
	}
	effect := s.effect(rest, took, before, front)
	effect.Failed, effect.Missed = s.strike(failed), s.strike(s.aimed.missed)
	effect.Arrived, effect.Moved = s.aimed.at && failed == "", s.aimed.moved
	return effect, nil
}

// untouched is how long a page that an action of this type left as it was must
// stay so to count as at rest. What is pressed or pointed at may take a moment
// to answer; a field shows its value at once.
func untouched(a walk.ActionType) time.Duration {
	if a == walk.Type || a == walk.Append || a == walk.Select || a == walk.Check || a == walk.Scroll {
		return calm
	}
	return quiet
}

func (s *Session) perform(ctx context.Context, t *tab, a walk.Action, text string) error {
	switch a.Type {
	case walk.Click:
		return s.click(ctx, t, a.Ref)
	case walk.DoubleClick:
		return s.mouse(ctx, t, a.Ref, playwright.MouseClickOptions{ClickCount: playwright.Int(2)})
	case walk.RightClick:
		return s.mouse(ctx, t, a.Ref, playwright.MouseClickOptions{Button: playwright.MouseButtonRight})
	case walk.Type:
		return s.typeText(ctx, t, a.Ref, text, false)
	case walk.Append:
		return s.typeText(ctx, t, a.Ref, text, true)
	case walk.Select:
		return s.choose(ctx, t, a.Ref, text)
	case walk.Hover:
		return s.hover(ctx, t, a.Ref)
	case walk.Upload:
		return s.upload(ctx, t, a.Ref, text)
	case walk.Drag:
		return s.drag(ctx, t, a.Ref, a.To)
	case walk.Check:
		return s.check(ctx, t, a.Ref)
	case walk.Press:
		return s.press(ctx, t, a.Ref, text)
	case walk.Scroll:
		return s.scroll(ctx, t, a.Ref, text)
	case walk.Back:
		return s.back(ctx, t)
	case walk.Wait:
		var rest restState
		return s.ask(ctx, t, fmt.Sprintf("stir(%d)", times(s.browser.Pace(), patience).Milliseconds()), &rest)
	case walk.GiveUp, walk.Done:
		return nil
	}
	return cannot("unknown action " + strconv.Quote(string(a.Type)))
}

// input runs one input event, bounded like a question to the page.
func (s *Session) input(ctx context.Context, fn func() error) error {
	return s.call(ctx, s.browser.cfg.HangLimit, fn)
}

// typeText types a text in place of what a field holds, or behind it.
func (s *Session) typeText(ctx context.Context, t *tab, ref, text string, behind bool) error {
	at, err := s.aim(ctx, t, ref)
	if err != nil {
		return err
	}
	switch {
	case at.Disabled:
		return cannot("the field is disabled")
	case at.Readonly:
		return cannot("the field is read-only")
	case !at.Text:
		return cannot("the element takes no text")
	}
	switch at.Type {
	case "date", "time", "month", "week", "datetime-local", "color", "range":
		return s.answer(ctx, t, "put("+jsString(ref)+", "+jsString(text)+")", text)
	}
	if err := s.reach(ctx, t, ref, at); err != nil {
		return err
	}
	var state target
	if err := s.ask(ctx, t, "state("+jsString(ref)+")", &state); err != nil {
		return err
	}
	switch {
	case state.Gone:
		return notThere
	case !state.Focused:
		return cannot("the field did not take the cursor: something else is in front of it")
	}
	if !at.Multiline {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	}
	if err := s.write(ctx, t, text, state.Filled, behind); err != nil || behind {
		return err
	}
	// A page that selects what a field holds while it is being filled in takes the beginning
	// away. Who types sees it and types it again. A page that has gone is told by the next call.
	var tail struct{ Lost bool }
	if s.ask(ctx, t, "tail("+jsString(ref)+", "+jsString(text)+")", &tail) == nil && tail.Lost {
		return s.write(ctx, t, text, true, false)
	}
	return nil
}

// write gives the keys of a text to the field that has the cursor.
func (s *Session) write(ctx context.Context, t *tab, text string, filled, behind bool) error {
	keys := []rune(text)
	return s.call(ctx, 2*s.browser.cfg.HangLimit, func() error {
		keyboard := t.page.Keyboard()
		switch {
		case filled && behind:
			if err := keyboard.Press("Control+End"); err != nil {
				return err
			}
		case filled:
			if err := keyboard.Press("Control+A"); err != nil {
				return err
			}
			if text == "" {
				return keyboard.Press("Delete")
			}
		}
		if err := keyboard.Type(string(keys[:min(len(keys), typedKeys)])); err != nil {
			return err
		}
		if len(keys) > typedKeys {
			return keyboard.InsertText(string(keys[typedKeys:]))
		}
		return nil
	})
}

// choose picks an option by what is written on it: of a native list at once, of
// a list that the page draws by opening it and operating the option.
func (s *Session) choose(ctx context.Context, t *tab, ref, label string) error {
	at, err := s.aim(ctx, t, ref)
	switch {
	case err != nil:
		return err
	case at.Disabled:
		return cannot("the list is disabled")
	case at.Tag == "select":
		return s.answer(ctx, t, "choose("+jsString(ref)+", "+jsString(label)+")", label)
	case at.Listed:
		return s.typeText(ctx, t, ref, label, false)
	}
	var option target
	find := "option(" + jsString(ref) + ", " + jsString(label) + ")"
	if err := s.ask(ctx, t, find, &option); err != nil {
		return err
	}
	if option.Gone {
		if err := s.click(ctx, t, ref); err != nil {
			return err
		}
		if _, err := s.settle(ctx, quiet, false); err != nil {
			return err
		}
		option = target{}
		if err := s.ask(ctx, t, find, &option); err != nil {
			return err
		}
	}
	if option.Gone {
		return cannot("no such option")
	}
	return s.click(ctx, t, option.Ref)
}

func (s *Session) check(ctx context.Context, t *tab, ref string) error {
	at, err := s.aim(ctx, t, ref)
	if err != nil || at.Checked {
		return err
	}
	if at.Disabled {
		return cannot("the box is disabled")
	}
	if err := s.operate(ctx, t, ref, at); err != nil {
		return err
	}
	for late := false; ; late = true {
		var state target
		if err := s.ask(ctx, t, "state("+jsString(ref)+")", &state); err != nil {
			return err
		}
		switch {
		case state.Gone || state.Checked:
			return nil
		case late:
			return cannot("the box did not become ticked")
		}
		if _, err := s.settle(ctx, quiet, false); err != nil { // some ask their server first
			return err
		}
	}
}

func (s *Session) press(ctx context.Context, t *tab, ref, key string) error {
	if ref != "" {
		var state target
		if err := s.ask(ctx, t, "focus("+jsString(ref)+")", &state); err != nil {
			return err
		}
		if state.Gone {
			return notThere
		}
		s.aimed.at = state.Focused
	}
	return s.input(ctx, func() error {
		err := t.page.Keyboard().Press(key)
		if err != nil && strings.Contains(err.Error(), "Unknown key") {
			return cannot("there is no key " + strconv.Quote(cut(key, 40)))
		}
		return err
	})
}

// back goes back in the tab's history; from the first page of a tab that was
// opened by another one it closes the tab, which comes to the same for a person.
func (s *Session) back(ctx context.Context, t *tab) error {
	var possible bool
	err := s.input(ctx, func() error {
		history, err := t.cdp.Send("Page.getNavigationHistory", map[string]any{})
		if err != nil {
			return err
		}
		at, _ := dig(history, "currentIndex").(float64)
		entries, _ := dig(history, "entries").([]any)
		if i := int(at) - 1; i >= 0 && i < len(entries) {
			// The empty page that every session begins with is no page of a person's.
			possible = dig(entries[i], "url") != "about:blank"
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case !possible && s.front() > 1:
		return s.input(ctx, func() error { return t.page.Close() })
	case !possible:
		return cannot("there is no page to go back to")
	}
	limit := times(s.browser.Pace(), s.browser.cfg.NavigationLimit)
	err = s.call(ctx, limit+s.browser.cfg.HangLimit, func() error {
		_, err := t.page.GoBack(playwright.PageGoBackOptions{
			Timeout:   playwright.Float(float64(limit.Milliseconds())),
			WaitUntil: playwright.WaitUntilStateDomcontentloaded,
		})
		return err
	})
	if errors.Is(err, playwright.ErrTimeout) && !s.lost(err) {
		s.stopLoading()
		return cannot("the page before did not come back in time")
	}
	return err
}

// answer carries out an expression of the observer that says whether it could,
// and as what the page then knows the text that was given.
func (s *Session) answer(ctx context.Context, t *tab, expression, text string) error {
	var said target
	if err := s.ask(ctx, t, expression, &said); err != nil {
		return err
	}
	switch {
	case said.Gone:
		return notThere
	case said.Reason != "":
		return cannot(said.Reason)
	}
	s.log.alias(text, said.Value)
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
