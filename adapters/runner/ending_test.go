package runner

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/domain"
	"understudy/domain/session"
	"understudy/domain/walk"
)

// over is a stage whose test has ended.
type over struct{ *stage }

func (over) Over(context.Context, string) (uint64, bool, error) { return 1, true, nil }

// What is logged and measured of a session is one line when it has ended, and none when
// another worker goes on with it.
func TestASessionEndsWithOneLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(s *stage, cancel context.CancelFunc)
		want string // of the line, "" for none
	}{
		"walked": {func(*stage, context.CancelFunc) {}, `outcome=out_of_steps attempt=1 steps=4 seconds=\S+$`},
		"the page hangs": {func(s *stage, _ context.CancelFunc) {
			s.look = atStep(0, &walk.Fault{Code: "page_hung", Message: "the page stopped answering"})
		}, `outcome=failed attempt=1 steps=0 seconds=\S+ failure=page_hung$`},
		"its attempts are used up": {func(s *stage, _ context.CancelFunc) {
			for n := range session.MaxAttempts {
				s.apply(session.Started{TestID: "test_1", Attempt: n + 1, Worker: "of the dead"})
			}
		}, `outcome=failed attempt=3 steps=0 seconds=\S+ failure=attempts_exhausted$`},
		"its test is cancelled": {func(s *stage, cancel context.CancelFunc) {
			s.acted = func(context.Context) error {
				s.Facts = over{s}
				cancel()
				return context.Canceled
			}
		}, `outcome=cancelled attempt=1 steps=0 seconds=\S+$`},
		"its worker stops": {func(s *stage, cancel context.CancelFunc) {
			s.acted = func(context.Context) error { cancel(); return context.Canceled }
		}, ""},
		"another has begun it": {func(s *stage, _ context.CancelFunc) {
			s.refuse = func(session.Command) error {
				return domain.Refuse(domain.CodeWrongState, "attempt 1 has begun elsewhere")
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := newStage(domain.Live)
			c.set(s, cancel)
			var log bytes.Buffer
			s.Logger = slog.New(slog.NewTextHandler(&log, nil))
			var measured []string
			s.Ended = func(env domain.Environment, outcome string, _ time.Duration) {
				measured = append(measured, string(env)+" "+outcome)
			}
			_, _ = s.runAt(ctx, s.state.Attempt)
			line := regexp.MustCompile(`(?m)msg=session session_id=ses_1 test_id=test_1 organization_id="" environment=live ` + c.want)
			found := strings.Count(log.String(), "msg=session ")
			if c.want == "" && found+len(measured) > 0 || c.want != "" && (found != 1 || len(measured) != 1 || !line.MatchString(log.String())) {
				t.Errorf("measured %v, want %s:\n%s", measured, c.want, log.String())
			}
		})
	}
}
