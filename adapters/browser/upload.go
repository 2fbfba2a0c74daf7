package browser

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/playwright-community/playwright-go"
)

// chooserLimit is how long a button may take to ask for a file.
const chooserLimit = 2 * time.Second

// upload chooses a small made-up file of a type that is asked for: in a file
// field itself, or in the chooser that a button opens.
func (s *Session) upload(ctx context.Context, t *tab, ref, name string) error {
	at, err := s.aim(ctx, t, ref)
	if s.aimed.missed != "" && at.Type == "file" { // such fields lie under what they are drawn by
		s.aimed.missed, err = "", nil
	}
	switch {
	case err != nil:
		return err
	case at.Disabled:
		return cannot("the field is disabled")
	case at.Type == "file":
		file, err := madeUp(name, at.Accept)
		if err != nil {
			return cannot(err.Error())
		}
		return s.answer(ctx, t, "give("+jsString(ref)+", "+jsString(file.Name)+", "+jsString(file.MimeType)+", "+
			jsString(base64.StdEncoding.EncodeToString(file.Buffer))+")", "")
	}
	r := s.log
	r.note(func() { r.file = name })
	if err := s.operate(ctx, t, ref, at); err != nil {
		return err
	}
	for start := time.Now(); ; {
		pace := s.browser.Pace() // the machine may become late meanwhile
		r.mu.Lock()
		chosen, refused, limit := r.chosen, r.refused, times(pace, chooserLimit)
		if len(r.choosers) > 0 {
			limit += times(pace, s.browser.cfg.HangLimit)
		}
		r.mu.Unlock()
		left := limit - time.Since(start)
		switch {
		case chosen:
			return refused
		case left <= 0:
			return cannot("it does not ask for a file")
		}
		if err := s.waitForNews(ctx, left); err != nil {
			return err
		}
	}
}

// answerChooser chooses a made-up file wherever a page asks for one: nobody
// leaves a chooser open that their own click has opened.
func (s *Session) answerChooser(c playwright.FileChooser) {
	r := s.log
	var name string
	r.note(func() {
		r.choosers[c] = true
		name = r.file
	})
	go func() {
		err := fill(c, name)
		r.note(func() {
			if r.choosers[c] { // else it was opened before begin
				delete(r.choosers, c)
				r.chosen, r.refused = true, err
			}
		})
	}()
}

// fill puts a made-up file into the field that a chooser was opened for.
func fill(c playwright.FileChooser, name string) error {
	accept, err := c.Element().Evaluate("field => field.accept || ''")
	if err != nil {
		return err
	}
	types, _ := accept.(string)
	file, err := madeUp(name, types)
	if err != nil {
		return cannot(err.Error())
	}
	return c.SetFiles([]playwright.InputFile{file})
}
