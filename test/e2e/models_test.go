package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/test/patience"
	"understudy/test/sites"
)

// modelServer speaks the protocols of both providers. Its models really choose
// from what they are told; the one called broken refuses, the one called slow
// never answers.
type modelServer struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	asked  chan struct{} // the slow model was asked
	left   chan struct{} // and nobody waits for it any more
}

func serveModels(t *testing.T) *modelServer {
	t.Helper()
	s := &modelServer{asked: make(chan struct{}, 1), left: make(chan struct{}, 1)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var q struct {
		Model    string
		Messages []struct{ Content any }
	}
	if err != nil || json.Unmarshal(body, &q) != nil || len(q.Messages) == 0 {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.bodies = append(s.bodies, r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+" "+string(body))
	s.mu.Unlock()
	switch q.Model {
	case "broken":
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
		return
	case "slow":
		offer(s.asked)
		<-r.Context().Done()
		offer(s.left)
		return
	}
	told, _ := q.Messages[len(q.Messages)-1].Content.(string)
	if blocks, ok := q.Messages[len(q.Messages)-1].Content.([]any); ok {
		told, _ = blocks[0].(map[string]any)["text"].(string)
	}
	act := logIn(told)
	w.Header().Set("Content-Type", "application/json")
	var answer any
	if r.URL.Path == "/v1/messages" {
		answer = map[string]any{
			"id": "msg", "type": "message", "role": "assistant", "model": q.Model, "stop_reason": "tool_use",
			"content": []any{map[string]any{"type": "tool_use", "id": "toolu", "name": "act", "input": act}},
			"usage":   map[string]any{"input_tokens": 1000, "output_tokens": 50},
		}
	} else {
		arguments, _ := json.Marshal(act)
		call := map[string]any{"id": "call", "type": "function", "function": map[string]any{"name": "act", "arguments": string(arguments)}}
		answer = map[string]any{
			"id": "c", "object": "chat.completion", "model": q.Model,
			"choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "tool_calls": []any{call}}}},
			"usage":   map[string]any{"prompt_tokens": 1000, "completion_tokens": 50},
		}
	}
	_ = json.NewEncoder(w).Encode(answer) // a client that has gone wants no answer
}

func offer(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

var told = regexp.MustCompile(`(?m)^\[(\d+)\] (\w+) “(.*?)”(.*)$`)

// logIn chooses what somebody does who wants to log in.
func logIn(page string) map[string]any {
	act := map[string]any{"thought": "I log in.", "action": "scroll_down", "element": nil, "text": nil, "input": nil, "to": nil, "remember": nil}
	if strings.Contains(page, "heading “Good to see you”") {
		act["action"] = "done"
		return act
	}
	way := map[string]string{} // numbers of controls, by what they are for
	for _, c := range told.FindAllStringSubmatch(page, -1) {
		name, empty := strings.ToLower(c[3]), !strings.Contains(c[4], "holds")
		switch {
		case c[2] == "textbox" && strings.Contains(name, "mail") && empty:
			way["email"] = c[1]
		case c[2] == "textbox" && strings.Contains(name, "password") && empty:
			way["password"] = c[1]
		case c[2] == "textbox" && strings.Contains(name, "password"):
			way["enter"] = c[1]
		case c[2] == "button" && strings.HasPrefix(name, "log in"):
			way["send"] = c[1]
		case c[2] == "link" && strings.HasPrefix(name, "log in"):
			way["link"] = c[1]
		case name == "menu" && strings.Contains(c[4], "closed"):
			way["menu"] = c[1]
		}
	}
	for _, input := range []string{"email", "password"} {
		if n, err := strconv.Atoi(way[input]); err == nil {
			act["action"], act["element"], act["input"] = "type", n, input
			return act
		}
	}
	if n, err := strconv.Atoi(way["enter"]); err == nil && way["send"] == "" { // the button is below the fold of a zoomed page
		act["action"], act["element"], act["text"] = "press", n, "Enter"
		return act
	}
	for _, how := range []string{"send", "link", "menu"} {
		if n, err := strconv.Atoi(way[how]); err == nil {
			act["action"], act["element"] = "click", n
			return act
		}
	}
	return act
}

type usage struct {
	Model        string
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	Requests     int      `json:"requests"`
	CostUSD      *float64 `json:"cost_usd"`
}

func TestLanguageModels(t *testing.T) {
	t.Parallel()
	const openAIKey, anthropicKey = "sk-e2e-openai", "sk-e2e-anthropic"
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(anthropicKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := serveModels(t)
	s := own(t, "UNDERSTUDY_EGRESS_ALLOW=127.0.0.0/8,::1/128",
		"UNDERSTUDY_OPENAI_MODELS=clever,broken,slow", "UNDERSTUDY_OPENAI_KEY="+openAIKey, "UNDERSTUDY_OPENAI_URL="+server.URL+"/v1",
		"UNDERSTUDY_ANTHROPIC_MODELS=clever", "UNDERSTUDY_ANTHROPIC_KEY_FILE="+file, "UNDERSTUDY_ANTHROPIC_URL="+server.URL,
		"UNDERSTUDY_MODEL_PRICES=openai/clever=2/8")
	c := s.live()
	body := func(address, model string) map[string]any {
		return map[string]any{
			"url": address + "/", "task": "Log in as {{email}} with the password {{password}}", "model": model, "sessions": 1, "seed": 4,
			"inputs": map[string]string{"email": "demo@tidewater.example", "password": "tideline-demo"},
		}
	}

	var names []string
	for _, m := range read[struct{ Data []struct{ Name string } }](t, c.send(t, http.MethodGet, "/models", nil).wants(t, 200, "")).Data {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "forager-2 openai/clever openai/broken openai/slow anthropic/clever" {
		t.Errorf("models %s", got)
	}
	refused := c.send(t, http.MethodPost, "/tests", body("http://127.0.0.1:1", "openai/other")).wants(t, 422, "model_not_available")
	if !strings.Contains(string(refused.Body), "anthropic/clever") {
		t.Errorf("the refusal does not say what there is: %s", refused.Body)
	}

	for _, model := range []string{"openai/clever", "anthropic/clever"} {
		address := serveSite(t, sites.SaaS)
		created := c.create(t, body(address, model))
		c.completed(t, created.ID, liveLimit)
		session := c.sessions(t, created.ID)[0]
		logWalk(t, c, session)
		if session.outcome() != "succeeded" || reached(t, address, "logged_in") != 1 {
			t.Errorf("%s: the session is %s", model, session.outcome())
		}
		u := session.Usage
		if u == nil || u.Model != model || u.Requests < 4 || u.InputTokens != 1000*u.Requests || u.OutputTokens != 50*u.Requests {
			t.Errorf("%s: usage %+v", model, u)
		} else if cost := float64(u.Requests) * (1000*2 + 50*8) / 1e6; model == "openai/clever" && (u.CostUSD == nil || *u.CostUSD < cost-1e-6 || *u.CostUSD > cost+1e-6) {
			t.Errorf("the cost is %v, not %v", u.CostUSD, cost)
		} else if model == "anthropic/clever" && u.CostUSD != nil {
			t.Errorf("a cost of %v without a price", *u.CostUSD)
		}
	}
	server.mu.Lock()
	for _, sent := range server.bodies {
		if strings.Contains(sent, "tideline-demo") || strings.Contains(sent, "demo@tidewater.example") {
			t.Errorf("a secret was sent to the model: %s", sent)
		}
		if !strings.HasPrefix(sent, "Bearer "+openAIKey) && !strings.HasPrefix(sent, anthropicKey) {
			t.Errorf("a request without its key: %.60s", sent)
		}
	}
	told := len(server.bodies)
	server.mu.Unlock()

	address := serveSite(t, sites.SaaS)
	created := c.create(t, body(address, "openai/broken"))
	patience.Eventually(t, liveLimit, "a test whose model does not answer fails", func() bool { return c.test(t, created.ID).Status == "failed" })
	follow(t, created.StreamURL, 0).rest(t, time.Minute) // the list of sessions is another read model
	if f := c.sessions(t, created.ID)[0].Failure; f == nil || f.Code != "model_unavailable" {
		t.Errorf("its session failed with %+v", f)
	}

	created = c.create(t, body(address, "openai/slow"))
	awaitSignal(t, server.asked, liveLimit, "the slow model is asked")
	c.send(t, http.MethodDelete, "/tests/"+created.ID, nil).wants(t, 200, "")
	awaitSignal(t, server.left, 5*time.Second, "nobody waits for the model of a cancelled test")

	sandbox := s.sandbox()
	sandbox.send(t, http.MethodPost, "/tests", body("https://app.example", "openai/other")).wants(t, 422, "model_not_available")
	created = sandbox.create(t, body("https://app.example", "openai/clever"))
	sandbox.completed(t, created.ID, time.Minute)
	server.mu.Lock()
	now := len(server.bodies)
	server.mu.Unlock()
	if session := sandbox.sessions(t, created.ID)[0]; session.Usage != nil || now > told+2 {
		t.Errorf("the sandbox has used a model: %+v, %d requests", session.Usage, now-told)
	}
	if said := s.Tail(); strings.Contains(said, openAIKey) || strings.Contains(said, anthropicKey) {
		t.Errorf("a key is in the log:\n%s", said)
	}
}

func awaitSignal(t *testing.T, c chan struct{}, within time.Duration, what string) {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), within)
	defer cancel()
	select {
	case <-c:
	case <-ctx.Done():
		t.Fatalf("%s: %v", what, context.Cause(ctx))
	}
}
