package brain

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"understudy/domain/persona"
	"understudy/domain/task"
)

// The providers, as the first part of a model's name.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// The usual addresses of the providers.
const (
	OpenAIURL    = "https://api.openai.com/v1"
	AnthropicURL = "https://api.anthropic.com"
)

// Server is an endpoint that speaks a provider's protocol.
type Server struct {
	// Key is the API key, "" for servers that want none.
	Key string
	// URL is the root below which the protocol's paths are; for OpenAI's it
	// ends in /v1 by convention.
	URL string
	// Models are the names that may be asked for, without the provider.
	Models []string
}

// Price is what a model costs in US dollars per million tokens.
type Price struct{ Input, Output float64 }

// Config is what an operator sets.
type Config struct {
	// Servers by provider. A provider without models is not configured.
	Servers map[string]Server
	// Tokens is the most that one attempt at a session may use, read and
	// written together; at least 1.
	Tokens int64
	// Timeout bounds one request.
	Timeout time.Duration
	// Retries is how often a request is sent again after 408, 409, 429, 5xx and
	// failures of the connection.
	Retries int
	// Prices by full name of the model ("openai/…"); without one the cost of a
	// session is unknown.
	Prices map[string]Price
	Logger *slog.Logger
}

// Models are the language models of an installation. Safe for concurrent use.
type Models struct {
	cfg   Config
	names []string
	known map[string]model
}

type model struct {
	name  string // with the provider
	price *Price
	protocol
}

// ErrNotServed says that a model is not among those configured.
var ErrNotServed = errors.New("the model is not served here")

// New checks a configuration. Nothing is called.
func New(cfg Config) (*Models, error) {
	m := &Models{cfg: cfg, known: map[string]model{}}
	if cfg.Tokens < 1 || cfg.Timeout <= 0 || cfg.Retries < 0 {
		return nil, fmt.Errorf("tokens %d, timeout %s and retries %d must be positive", cfg.Tokens, cfg.Timeout, cfg.Retries)
	}
	client := newClient(cfg.Timeout)
	for _, provider := range []string{OpenAI, Anthropic} {
		s := cfg.Servers[provider]
		if len(s.Models) == 0 {
			continue
		}
		if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return nil, fmt.Errorf("the address of %s is no http or https URL", provider)
		}
		for _, name := range s.Models {
			full := provider + "/" + name
			if m.Has(full) {
				continue
			}
			known := model{name: full, protocol: newProtocol(provider, s, name, client, cfg.Retries)}
			if p, ok := cfg.Prices[full]; ok {
				known.price = &p
			}
			m.names = append(m.names, full)
			m.known[full] = known
		}
	}
	for name := range cfg.Prices {
		if !m.Has(name) {
			return nil, fmt.Errorf("there is a price for %q, which is not among the models", name)
		}
	}
	return m, nil
}

func newProtocol(provider string, s Server, name string, client *http.Client, retries int) protocol {
	if provider == Anthropic {
		return newAnthropic(s, name, client, retries)
	}
	return newOpenAI(s, name, client, retries)
}

// Names lists the models with their providers, in the order of the settings.
func (m *Models) Names() []string { return slices.Clone(m.names) }

// Has reports whether a model is served.
func (m *Models) Has(name string) bool { _, ok := m.known[name]; return ok }

// Provider is the first part of a model's name.
func Provider(name string) string {
	provider, _, _ := strings.Cut(name, "/")
	return provider
}

// Walker makes a simulated user with a model for a brain. The arguments from
// who on are those of walk.New. The error is ErrNotServed.
func (m *Models) Walker(name string, who persona.Persona, goal task.Goal, seed uint64) (*Walker, error) {
	known, ok := m.known[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNotServed, name)
	}
	return newWalker(m.cfg, known, who, goal, seed), nil
}
