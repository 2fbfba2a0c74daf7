package browser

import (
	"context"
	"errors"
	"strings"

	"understudy/domain/walk"
)

// Relieve carries out on the page in front the reliefs that are the browser's
// to carry out (walk.Relief.OnPage). It goes by what the last Look saw; what
// it changes shows at the next.
func (s *Session) Relieve(ctx context.Context, r walk.Relief) error {
	s.use.Lock()
	defer s.use.Unlock()
	t, err := s.current()
	if err != nil {
		return err
	}
	if strings.Contains(r.Selector, struck) {
		return errors.New("take a barrier away: its selector held a secret")
	}
	var nothing string
	question := "relieve(" + jsString(string(r.Kind)) + ", " + jsString(r.Selector) + ")"
	return wrap("take a barrier away", s.ask(ctx, t, question, &nothing))
}
