package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/brain"
	"understudy/adapters/runner"
	"understudy/adapters/service"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
)

// The defaults of the settings of language models: a session of 25 steps on
// ordinary pages uses 50,000 to 100,000 tokens.
const (
	defaultModelTokens  = 200000
	defaultModelTimeout = time.Minute
	defaultModelRetries = 3
)

// modelSettings reads what language models there are. fault is told of every
// setting that is wrong; what a key file holds is never part of it.
func modelSettings(getenv func(string) string, fault func(name string, err error)) brain.Config {
	c := brain.Config{
		Servers: map[string]brain.Server{}, Tokens: defaultModelTokens, Timeout: defaultModelTimeout, Retries: defaultModelRetries,
	}
	usual := map[string]string{brain.OpenAI: brain.OpenAIURL, brain.Anthropic: brain.AnthropicURL}
	for _, provider := range []string{brain.OpenAI, brain.Anthropic} {
		prefix := "UNDERSTUDY_" + strings.ToUpper(provider)
		s := brain.Server{URL: usual[provider], Models: list(getenv(prefix + "_MODELS"))}
		own := getenv(prefix + "_URL")
		if own != "" {
			s.URL = own
		}
		var err error
		if s.Key, err = secret(getenv(prefix+"_KEY"), getenv(prefix+"_KEY_FILE")); err != nil {
			fault(prefix+"_KEY_FILE", err)
		}
		if len(s.Models) > 0 && s.Key == "" && own == "" && err == nil {
			fault(prefix+"_MODELS", fmt.Errorf("there are models, but neither %s_KEY nor %s_URL", prefix, prefix))
		}
		c.Servers[provider] = s
	}
	if v := getenv("UNDERSTUDY_MODEL_TOKENS"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1000 {
			fault("UNDERSTUDY_MODEL_TOKENS", fmt.Errorf("%q is not a number from 1000", v))
		} else {
			c.Tokens = n
		}
	}
	if v := getenv("UNDERSTUDY_MODEL_TIMEOUT"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < time.Second || d > 10*time.Minute {
			fault("UNDERSTUDY_MODEL_TIMEOUT", fmt.Errorf("%q is not a time from 1s to 10m", v))
		} else {
			c.Timeout = d
		}
	}
	if v := getenv("UNDERSTUDY_MODEL_RETRIES"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 || n > 10 {
			fault("UNDERSTUDY_MODEL_RETRIES", fmt.Errorf("%q is not a number from 0 to 10", v))
		} else {
			c.Retries = n
		}
	}
	var err error
	if c.Prices, err = prices(list(getenv("UNDERSTUDY_MODEL_PRICES"))); err != nil {
		fault("UNDERSTUDY_MODEL_PRICES", err)
	}
	if _, err := brain.New(c); err != nil {
		fault("UNDERSTUDY_OPENAI_…, UNDERSTUDY_ANTHROPIC_…, UNDERSTUDY_MODEL_…", err)
	}
	return c
}

// secret is a value given itself or in a file, whose last line break does not
// count.
func secret(value, file string) (string, error) {
	if file == "" {
		return value, nil
	}
	if value != "" {
		return "", errors.New("it is given twice, itself and as a file")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	value = strings.TrimSpace(string(raw))
	if value == "" {
		return "", errors.New("the file is empty")
	}
	return value, nil
}

// prices reads entries such as openai/some-model=0.15/0.60.
func prices(entries []string) (map[string]brain.Price, error) {
	out := map[string]brain.Price{}
	for _, entry := range entries {
		name, both, named := strings.Cut(entry, "=")
		in, written, two := strings.Cut(both, "/")
		input, err := strconv.ParseFloat(in, 64)
		output, err2 := strconv.ParseFloat(written, 64)
		if !named || !two || err != nil || err2 != nil || !(input >= 0) || !(output >= 0) || input > 1e6 || output > 1e6 {
			return nil, fmt.Errorf("%q is not like openai/name=0.15/0.60", entry)
		}
		out[name] = brain.Price{Input: input, Output: output}
	}
	return out, nil
}

// models are what an installation serves: the embedded one and those of the
// operator's servers.
type models struct{ known *brain.Models }

func newModels(cfg brain.Config, log *slog.Logger) (models, error) {
	cfg.Logger = log
	m, err := brain.New(cfg)
	return models{m}, err
}

// Models lists them.
func (m models) Models() []service.Model {
	out := []service.Model{{
		Name: runner.Embedded, Provider: "embedded",
		Description: "A cognitive model that follows information scent; reproducible from a seed, free, and served by this installation itself",
	}}
	for _, name := range m.known.Names() {
		out = append(out, service.Model{
			Name: name, Provider: brain.Provider(name),
			Description: "A language model that is told what the persona perceives; costs tokens, not reproducible",
		})
	}
	return out
}

// Brain makes a language model's brain for a session.
func (m models) Brain(name string, who persona.Persona, goal task.Goal, seed uint64) (runner.Brain, error) {
	w, err := m.known.Walker(name, who, goal, seed)
	if err != nil {
		return nil, &runner.ModelFault{Message: "the model is not configured on this worker"}
	}
	return thinker{w}, nil
}

// thinker is a language model as the runner sees it.
type thinker struct{ *brain.Walker }

// Step decides on a look.
func (t thinker) Step(ctx context.Context, page walk.Page, last walk.Effect) (walk.Decision, error) {
	d, err := t.Walker.Step(ctx, page, last)
	var gone *brain.Unavailable
	if errors.As(err, &gone) {
		return d, &runner.ModelFault{Message: gone.Error()}
	}
	return d, err
}
