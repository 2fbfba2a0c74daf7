package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/playwright-community/playwright-go"
)

// chooserLimit is how long a button may take to ask for a file.
const chooserLimit = 2 * time.Second

// upload chooses a small made-up file of a type that is asked for: in a file
// field itself, or in the chooser that a button opens.
func (s *Session) upload(ctx context.Context, t *tab, ref, name string) error {
	at, err := s.aim(ctx, t, ref)
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
			jsString(base64.StdEncoding.EncodeToString(file.Buffer))+")")
	}
	var chooser playwright.FileChooser
	err = s.call(ctx, chooserLimit+s.browser.cfg.HangLimit, func() (err error) {
		chooser, err = t.page.ExpectFileChooser(func() error { return s.operate(ctx, t, ref, at) },
			playwright.PageExpectFileChooserOptions{Timeout: playwright.Float(float64(chooserLimit.Milliseconds()))})
		return err
	})
	switch {
	case s.lost(err):
		return err
	case errors.Is(err, playwright.ErrTimeout):
		return cannot("it does not ask for a file")
	case err != nil:
		return err
	}
	return s.input(ctx, func() error {
		accept, err := chooser.Element().Evaluate("field => field.accept || ''")
		if err != nil {
			return err
		}
		types, _ := accept.(string)
		file, err := madeUp(name, types)
		if err != nil {
			return cannot(err.Error())
		}
		return chooser.SetFiles([]playwright.InputFile{file})
	})
}
