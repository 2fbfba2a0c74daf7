package brain_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/adapters/brain"
	"understudy/domain/persona"
	"understudy/domain/task"
	"understudy/domain/walk"
	"understudy/test/patience"
)

const key = "sk-secret-of-the-operator"

// asked is a request to a model's server, whatever its protocol.
type asked struct {
	n                 int // from 1
	path, auth        string
	model             string
	system, user      string
	properties        map[string]any // of the tool's schema
	temperature, seed *float64
	limit             int
	body              string
}

// answered is what the server says to it.
type answered struct {
	status  int // 0 is 200
	headers map[string]string
	act     map[string]any // the arguments of the call of the tool
	text    string         // said without a call, or the message of an error
	raw     string         // the whole body, in place of the protocol's
	in, out int            // tokens
}

// server speaks both protocols.
type server struct {
	*httptest.Server
	mu  sync.Mutex
	all []asked
}

func (s *server) asked() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]asked(nil), s.all...)
}

// serve answers requests with fn. A nil answer is none: the connection stays
// open until the client has gone.
func serve(t *testing.T, fn func(asked) *answered) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		q := parse(t, r, body)
		s.mu.Lock()
		q.n = len(s.all) + 1
		s.all = append(s.all, q)
		s.mu.Unlock()
		given := fn(q)
		if given == nil {
			<-r.Context().Done()
			return
		}
		a := *given // answers may be shared
		for name, value := range a.headers {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json")
		if a.status == 0 {
			a.status = http.StatusOK
		}
		w.WriteHeader(a.status)
		if a.raw != "" {
			if _, err := io.WriteString(w, a.raw); err != nil {
				t.Error(err)
			}
			return
		}
		if err := json.NewEncoder(w).Encode(a.as(q.path)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// parse reads a request of either protocol.
func parse(t *testing.T, r *http.Request, body []byte) asked {
	var in struct {
		Model       string
		System      []struct{ Text string }
		Messages    []struct{ Role, Content any }
		Temperature *float64
		Seed        *float64
		MaxTokens   int `json:"max_tokens"`
		Limit       int `json:"max_completion_tokens"`
		Tools       []struct {
			Name        string
			InputSchema struct{ Properties map[string]any } `json:"input_schema"`
			Function    struct {
				Name       string
				Parameters struct{ Properties map[string]any }
			}
		}
		ToolChoice any `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		t.Error(err)
		return asked{}
	}
	q := asked{
		path: r.URL.Path, auth: r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"), model: in.Model, body: string(body),
		temperature: in.Temperature, seed: in.Seed, limit: max(in.MaxTokens, in.Limit),
	}
	for _, m := range in.Messages {
		switch content := m.Content.(type) {
		case string:
			if m.Role == "system" {
				q.system = content
			} else {
				q.user = content
			}
		case []any:
			q.user, _ = content[0].(map[string]any)["text"].(string)
		}
	}
	for _, s := range in.System {
		q.system += s.Text
	}
	if len(in.Tools) != 1 || in.Tools[0].Name+in.Tools[0].Function.Name != "act" {
		t.Errorf("the tools are %s", body)
		return q
	}
	q.properties = in.Tools[0].InputSchema.Properties
	if q.properties == nil {
		q.properties = in.Tools[0].Function.Parameters.Properties
	}
	return q
}

// as writes an answer in the protocol of a path.
func (a *answered) as(path string) any {
	in, out := max(a.in, 1), max(a.out, 1)
	if path == "/v1/messages" {
		if a.status != http.StatusOK {
			return map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": a.text}}
		}
		content := []any{}
		if a.text != "" {
			content = append(content, map[string]any{"type": "text", "text": a.text})
		}
		if a.act != nil {
			content = append(content, map[string]any{"type": "tool_use", "id": "toolu_1", "name": "act", "input": a.act})
		}
		return map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": "tool_use",
			"usage": map[string]any{"input_tokens": in, "output_tokens": out},
		}
	}
	if a.status != http.StatusOK {
		return map[string]any{"error": map[string]any{"message": a.text, "type": "invalid_request_error"}}
	}
	message := map[string]any{"role": "assistant", "content": a.text}
	if a.act != nil {
		arguments, _ := json.Marshal(a.act)
		message["tool_calls"] = []any{map[string]any{
			"id": "call_1", "type": "function", "function": map[string]any{"name": "act", "arguments": string(arguments)},
		}}
	}
	return map[string]any{
		"id": "c1", "object": "chat.completion", "created": 1, "model": "m",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "tool_calls", "message": message}},
		"usage":   map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	}
}

// does is an act without frills.
func does(action string, more ...any) map[string]any {
	a := map[string]any{"thought": "I do that.", "action": action, "element": nil, "text": nil, "input": nil, "to": nil, "remember": nil}
	for i := 0; i+1 < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return a
}

var numbered = regexp.MustCompile(`(?m)^\[(\d+)\] (\w+) .*?“(.*?)”`)

// number finds the control with a name in what a model was told, 0 for none.
func (q asked) number(name string) int {
	for _, m := range numbered.FindAllStringSubmatch(q.user, -1) {
		if strings.EqualFold(m[3], name) {
			n, _ := strconv.Atoi(m[1])
			return n
		}
	}
	return 0
}

// limit bounds every wait of these tests, on an idle machine.
const limit = 30 * time.Second

// config is one of both protocols on one server.
func config(address string) brain.Config {
	return brain.Config{
		Servers: map[string]brain.Server{
			brain.OpenAI:    {Key: key, URL: address + "/v1", Models: []string{"m"}},
			brain.Anthropic: {Key: key, URL: address, Models: []string{"m"}},
		},
		Tokens: 100000, Timeout: patience.Scaled(limit), Retries: 2, Logger: slog.New(slog.DiscardHandler),
	}
}

// each runs a test with both protocols.
func each(t *testing.T, fn func(t *testing.T, model string)) {
	t.Helper()
	for _, provider := range []string{brain.OpenAI, brain.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			fn(t, provider+"/m")
		})
	}
}

func walker(t *testing.T, cfg brain.Config, model, what string, f persona.Facets, inputs ...string) *brain.Walker {
	t.Helper()
	models, err := brain.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	w, err := models.Walker(model, persona.Persona{Name: "Nameless Nora", Facets: f}, task.Parse(what, inputs), 1<<40+7)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// form is a page with a log-in form.
func form() walk.Page {
	box := func(y float64) walk.Box { return walk.Box{X: 20, Y: y, W: 300, H: 40} }
	return walk.Page{
		URL: "https://app.example/login", Title: "Log in", Viewport: walk.Size{Width: 1280, Height: 800}, Height: 2000, Status: 200,
		Regions: []walk.Region{{Kind: "main"}},
		Texts:   []walk.Text{{Text: "Log in", Kind: "heading", Level: 1, Box: box(10), InViewport: true, Contrast: 12, FontSize: 32}},
		Elements: []walk.Element{
			{Ref: "e1", Role: "textbox", Name: "E-mail", InputType: "email", Form: 1, Required: true, Box: box(60), InViewport: true, Contrast: 12, FontSize: 16},
			{Ref: "e2", Role: "textbox", Name: "Password", InputType: "password", Form: 1, Box: box(120), InViewport: true, Contrast: 12, FontSize: 16},
			{Ref: "e3", Role: "button", Name: "Log in", Submit: true, Form: 1, Box: box(180), InViewport: true, Contrast: 12, FontSize: 16},
			{Ref: "e4", Role: "link", Name: "Terms", Box: box(1500), Contrast: 12, FontSize: 16},
			{Ref: "e5", Role: "link", Name: "Pale help", Box: box(240), InViewport: true, Contrast: 1.2, FontSize: 16},
			{Ref: "e6", Role: "combobox", Name: "Language", Options: []string{"English", "Deutsch"}, Box: box(300), InViewport: true, Contrast: 12, FontSize: 16},
			{Ref: "e7", Role: "button", Name: "Covered", CoveredBy: "banner “Cookies”", Box: box(700), InViewport: true, Contrast: 12, FontSize: 16},
			{Ref: "e8", Role: "button", Name: "Later", Disabled: true, Box: box(360), InViewport: true, Contrast: 12, FontSize: 16},
		},
	}
}

func signals(d walk.Decision) (kinds []string) {
	for _, s := range d.Signals {
		kinds = append(kinds, s.Kind+" "+s.Detail)
	}
	return kinds
}

func step(t *testing.T, w *brain.Walker, page walk.Page) walk.Decision {
	t.Helper()
	d, err := w.Step(t.Context(), page, walk.Effect{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
