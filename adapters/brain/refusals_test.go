package brain_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/adapters/brain"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
	"understudy/test/patience"
)

// Sessions of one model begin together: all of their first requests are
// refused, and each of them asks again.
func TestSessionsThatAreRefusedTogether(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		const sessions = 16
		ctx, cancel := patience.Context(t.Context(), limit)
		defer cancel()
		var arrived atomic.Int32
		together := make(chan struct{})
		s := serve(t, func(q asked) *answered {
			if q.temperature == nil {
				return &answered{act: does("wait")}
			}
			if arrived.Add(1) == sessions {
				close(together)
			}
			select {
			case <-together:
			case <-ctx.Done():
				t.Error("the sessions are not asked for together")
			}
			return &answered{status: http.StatusBadRequest, text: "'temperature' is not supported with this model."}
		})
		models, err := brain.New(config(s.URL))
		if err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, sessions)
		for n := range sessions {
			w, err := models.Walker(model, persona.Persona{}, task.Parse("Log in", nil), uint64(n))
			if err != nil {
				t.Fatal(err)
			}
			go func() { _, err := w.Step(t.Context(), form(), walk.Effect{}); failed <- err }()
		}
		for range sessions {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		if n := len(s.asked()); n != 2*sessions {
			t.Errorf("%d requests of %d sessions", n, sessions)
		}
	})
}

// A part is complained of by its name, not by a word that begins or ends so.
func TestWhatSoundsLikeAPartIsNone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(asked) *answered {
			return &answered{status: http.StatusBadRequest, text: "Your account is restricted: it was reseeded at high temperatures."}
		})
		if gone := unavailable(t, walker(t, config(s.URL), model, "Log in", persona.Facets{})); gone.Status != 400 || len(s.asked()) != 1 {
			t.Errorf("%v after %d requests", gone, len(s.asked()))
		}
	})
}

// Compatible servers refuse in shapes of their own, and what stands before
// them in no shape at all.
func TestRefusalsOfAnyShape(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a list":          `{"detail":[{"type":"extra_forbidden","loc":["body","temperature"],"msg":"Extra inputs are not permitted"}]}`,
		"flat":            `{"object":"error","message":"1 validation error\ntemperature\n  Extra inputs are not permitted","code":400}`,
		"escaped":         `{"error":{"message":"\u0027temperature\u0027 is not supported"}}`,
		"an error string": `{"error":"unknown field: temperature"}`,
		"words":           "temperature: unknown field",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, model string) {
				s := serve(t, func(q asked) *answered {
					if q.temperature != nil {
						return &answered{status: http.StatusUnprocessableEntity, raw: body}
					}
					return &answered{act: does("wait")}
				})
				step(t, walker(t, config(s.URL), model, "Log in", persona.Facets{}), form())
				if n := len(s.asked()); n != 2 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
	for name, body := range map[string]string{"a page": "<html>Bad gateway</html>", "a string": `"no"`, "nothing": " "} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, model string) {
				s := serve(t, func(asked) *answered { return &answered{status: http.StatusBadGateway, raw: body} })
				cfg := config(s.URL)
				cfg.Retries = 0
				if gone := unavailable(t, walker(t, cfg, model, "Log in", persona.Facets{})); gone.Status != 502 || !strings.Contains(gone.Reason, "answers 502") {
					t.Errorf("the error is %v", gone)
				}
			})
		})
	}
}

// Nobody is kept waiting for an hour because a server wants it.
func TestALongWaitIsNotWaited(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]map[string]string{
		"seconds":      {"Retry-After": "3600"},
		"milliseconds": {"Retry-After-Ms": "3600000"},
		"a time":       {"Retry-After": time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, model string) {
				s := serve(t, func(asked) *answered {
					return &answered{status: http.StatusTooManyRequests, headers: headers, text: "come back later"}
				})
				cfg := config(s.URL)
				cfg.Retries = 1
				if gone := unavailable(t, walker(t, cfg, model, "Log in", persona.Facets{})); gone.Status != 429 || len(s.asked()) != 1 {
					t.Errorf("%v after %d requests", gone, len(s.asked()))
				}
			})
		})
	}
}

func TestAServerWithoutAKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(q asked) *answered {
			if q.auth != "" {
				t.Errorf("%q is sent", q.auth)
			}
			return &answered{act: does("wait")}
		})
		cfg := config(s.URL)
		for provider, server := range cfg.Servers {
			server.Key = ""
			cfg.Servers[provider] = server
		}
		step(t, walker(t, cfg, model, "Log in", persona.Facets{}), form())
	})
}
