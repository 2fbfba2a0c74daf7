package brain_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

func TestABusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		var refused atomic.Int64
		s := serve(t, func(q asked) *answered {
			if q.n == 1 {
				refused.Store(time.Now().UnixMilli())
				return &answered{status: http.StatusTooManyRequests, headers: map[string]string{"Retry-After": "1"}, text: "slow down"}
			}
			if waited := time.Now().UnixMilli() - refused.Load(); waited < 900 {
				t.Errorf("asked again after %d ms, not after the second that was asked for", waited)
			}
			return &answered{act: does("wait")}
		})
		w := walker(t, config(s.URL), model, "Log in", persona.Facets{})
		if d := step(t, w, form()); d.Action.Type != walk.Wait || len(s.asked()) != 2 {
			t.Errorf("%+v after %d requests", d, len(s.asked()))
		}
	})
}

// unavailable is the error of a step that must fail.
func unavailable(t *testing.T, w *brain.Walker) *brain.Unavailable {
	t.Helper()
	left := patience.For(15 * time.Second)
	_, err := w.Step(t.Context(), form(), walk.Effect{})
	var gone *brain.Unavailable
	if !errors.As(err, &gone) {
		t.Fatalf("the error is %v", err)
	}
	if left.Lost() {
		t.Error("it took long")
	}
	return gone
}

func TestABrokenServerIsGivenUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(asked) *answered { return &answered{status: http.StatusInternalServerError, text: "oh"} })
		cfg := config(s.URL)
		cfg.Retries = 1
		if gone := unavailable(t, walker(t, cfg, model, "Log in", persona.Facets{})); gone.Status != 500 || len(s.asked()) != 2 {
			t.Errorf("%v after %d requests", gone, len(s.asked()))
		}
	})
}

func TestASilentServerIsGivenUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(asked) *answered { return nil })
		cfg := config(s.URL)
		cfg.Timeout, cfg.Retries = patience.Scaled(100*time.Millisecond), 1
		gone := unavailable(t, walker(t, cfg, model, "Log in", persona.Facets{}))
		if !strings.Contains(gone.Reason, "in time") || len(s.asked()) != 2 {
			t.Errorf("%v after %d requests", gone, len(s.asked()))
		}
	})
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := httptest.NewServer(http.NotFoundHandler())
		s.Close()
		cfg := config(s.URL)
		cfg.Retries = 0
		if gone := unavailable(t, walker(t, cfg, model, "Log in", persona.Facets{})); !strings.Contains(gone.Reason, "cannot be reached") {
			t.Error(gone)
		}
	})
}

// What a server says of a key may hold parts of it.
func TestAWrongKeyIsToldOfByNobody(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(q asked) *answered {
			if !strings.Contains(q.auth, key) {
				t.Errorf("the key is not sent: %q", q.auth)
			}
			return &answered{status: http.StatusUnauthorized, text: "incorrect key " + key}
		})
		var logged bytes.Buffer
		cfg := config(s.URL)
		cfg.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
		gone := unavailable(t, walker(t, cfg, model, "Log in", persona.Facets{}))
		if gone.Status != 401 || len(s.asked()) != 1 || !strings.Contains(gone.Reason, "key is not accepted") {
			t.Errorf("%v after %d requests", gone, len(s.asked()))
		}
		if told := gone.Error() + logged.String(); strings.Contains(told, key) || !strings.Contains(logged.String(), model) {
			t.Errorf("told: %s", told)
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		elsewhere := serve(t, func(asked) *answered { return &answered{act: does("wait")} })
		s := serve(t, func(q asked) *answered {
			return &answered{status: http.StatusTemporaryRedirect, headers: map[string]string{"Location": elsewhere.URL + q.path}}
		})
		cfg := config(s.URL)
		cfg.Retries = 0
		_ = unavailable(t, walker(t, cfg, model, "Log in", persona.Facets{}))
		if n := len(elsewhere.asked()); n != 0 {
			t.Errorf("key and page were taken elsewhere %d times", n)
		}
	})
}

// Reasoning models take no temperature, older servers no newer names: what is
// refused by name is left out, at once and from then on.
func TestRefusedPartsAreLeftOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(q asked) *answered {
			if q.temperature != nil {
				return &answered{status: http.StatusBadRequest, text: "Unsupported value: 'temperature' does not support 0 with this model."}
			}
			if strings.Contains(q.body, "max_completion_tokens") {
				return &answered{status: http.StatusBadRequest, text: "unknown parameter max_completion_tokens"}
			}
			return &answered{act: does("wait")}
		})
		w := walker(t, config(s.URL), model, "Log in", persona.Facets{})
		step(t, w, form())
		before := len(s.asked())
		step(t, w, form())
		all := s.asked()
		last := all[len(all)-1]
		if before > 3 || len(all) != before+1 || last.limit == 0 || all[0].temperature == nil || *all[0].temperature != 0 {
			t.Errorf("%d and %d requests, the last with limit %d", before, len(all), last.limit)
		}
		if strings.HasPrefix(model, brain.OpenAI) && (last.seed == nil || *last.seed != 7) {
			t.Errorf("seed %v", last.seed)
		}
	})
}

func TestTheBudgetEndsTheWalk(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		s := serve(t, func(q asked) *answered {
			if question := (len(q.system) + len(q.user)) / 3; q.limit < 1000 || question+q.limit > 3000 {
				t.Errorf("%d tokens may be answered to about %d of a budget of 3000", q.limit, question)
			}
			return &answered{act: does("scroll_down"), in: 1500, out: 1000}
		})
		cfg := config(s.URL)
		cfg.Tokens = 3000
		w := walker(t, cfg, model, "Log in", persona.Facets{})
		if d := step(t, w, form()); d.End != "" {
			t.Errorf("first %+v", d)
		}
		d := step(t, w, form())
		if d.End != walk.EndLimit || len(s.asked()) != 1 || !strings.Contains(strings.Join(signals(d), ","), "tokens") {
			t.Errorf("then %+v after %d requests", d, len(s.asked()))
		}
	})
}

func TestCancellationStopsTheCall(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, model string) {
		under := make(chan struct{})
		s := serve(t, func(asked) *answered { close(under); return nil })
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		w := walker(t, config(s.URL), model, "Log in", persona.Facets{})
		go func() { _, err := w.Step(ctx, form(), walk.Effect{}); failed <- err }()
		<-under
		cancel()
		if err := patience.Receive(t, limit, "the end of the call", failed); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestModels(t *testing.T) {
	t.Parallel()
	cfg := config("http://127.0.0.1:1")
	cfg.Servers[brain.Anthropic] = brain.Server{URL: "http://127.0.0.1:1"}
	models, err := brain.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if names := models.Names(); len(names) != 1 || names[0] != "openai/m" || models.Has("anthropic/m") {
		t.Errorf("models %v", names)
	}
	if _, err := models.Walker("anthropic/m", persona.Persona{}, task.Goal{}, 1); !errors.Is(err, brain.ErrNotServed) {
		t.Errorf("a model that is not configured: %v", err)
	}
	for name, spoil := range map[string]func(*brain.Config){
		"an address that is none": func(c *brain.Config) {
			c.Servers = map[string]brain.Server{brain.OpenAI: {URL: "api.example", Models: []string{"m"}}}
		},
		"a key in the address": func(c *brain.Config) {
			c.Servers = map[string]brain.Server{brain.OpenAI: {URL: "http://u:p@api.example/", Models: []string{"m"}}}
		},
		"a price for nothing": func(c *brain.Config) { c.Prices = map[string]brain.Price{"openai/n": {}} },
		"no tokens":           func(c *brain.Config) { c.Tokens = 0 },
		"no time":             func(c *brain.Config) { c.Timeout = 0 },
	} {
		bad := config("http://127.0.0.1:1")
		spoil(&bad)
		if _, err := brain.New(bad); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
