package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"understudy/test/harness"
	"understudy/test/sites"
)

// did is one act of a walk as its trace tells it.
type did struct{ Type, Role, Name, Text string }

// actsOf are the acts of a session without looking around, which a model does by
// screens and the built-in user as far as it wants.
func actsOf(walked *trace) (out []did) {
	for _, step := range walked.Steps {
		a := did{Type: step.Action.Type, Text: step.Action.Text}
		if to := step.Action.Target; to != nil {
			a.Role, a.Name = to.Role, to.Name
		}
		if a.Type != "scroll" && a.Type != "wait" {
			out = append(out, a)
		}
	}
	return out
}

// parrot speaks OpenAI's protocol. Each of its models does what its script says,
// one act at a time, wherever what is acted on is told; until then it scrolls.
// How far it is it learns from its own last note, as a model would.
type parrot struct {
	mu      sync.Mutex
	scripts map[string][]did
	lost    []string // what it was told when it did not find its way
}

var (
	doneSoFar = regexp.MustCompile(`(?m)^- (\d+) things done$`)
	toldNames = regexp.MustCompile(`(?m)^\[(\d+)\] (\w+) (?:that is an icon, perhaps for )?“(.*?)”`)
)

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model    string
		Messages []struct{ Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	arguments, _ := json.Marshal(p.next(q.Model, q.Messages[len(q.Messages)-1].Content))
	call := map[string]any{"id": "call", "type": "function", "function": map[string]any{"name": "act", "arguments": string(arguments)}}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // a client that has gone wants no answer
		"id": "c", "object": "chat.completion", "model": q.Model, "usage": map[string]any{"prompt_tokens": 900, "completion_tokens": 40},
		"choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "tool_calls": []any{call}}}},
	})
}

// next is the act after those that its note counts.
func (p *parrot) next(model, page string) map[string]any {
	act := map[string]any{"thought": "On I go.", "action": "scroll_down", "element": nil, "text": nil, "input": nil, "to": nil, "remember": nil}
	at := 0
	if notes := doneSoFar.FindAllStringSubmatch(page, -1); len(notes) > 0 {
		at, _ = strconv.Atoi(notes[len(notes)-1][1])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	script := p.scripts[model]
	if at >= len(script) { // the built-in user had no step left either
		act["action"] = "wait"
		return act
	}
	a := script[at]
	if a.Role != "" {
		element := 0
		for _, c := range toldNames.FindAllStringSubmatch(page, -1) {
			if c[2] == a.Role && c[3] == a.Name && element == 0 {
				element, _ = strconv.Atoi(c[1])
			}
		}
		if element == 0 {
			if !strings.Contains(page, "below this screen") {
				act["action"] = "scroll_up"
			}
			p.lost = append(p.lost, page)
			return act
		}
		act["element"] = element
	}
	act["action"], act["remember"] = a.Type, fmt.Sprintf("%d things done", at+1)
	if a.Text != "" {
		act["text"] = a.Text
	}
	return act
}

// judged is what a report says of a session and of the page, without ids.
type judged struct {
	Acts     []did
	Outcome  string
	Status   string
	Evidence string
	Reached  bool // as the site knows
	Done     int  // sessions that succeeded, by the report
	Issues   []string
}

// lateTries is how often a walk is made again that a late machine has hurt.
const lateTries = 8

// TestALanguageModelIsJudgedLikeTheBuiltInUser: where a language model does what
// the built-in user does, as the same person on the same page, it is the same
// walk: acts, verdict with its evidence, and findings.
func TestALanguageModelIsJudgedLikeTheBuiltInUser(t *testing.T) {
	t.Parallel()
	p := &parrot{scripts: map[string][]did{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	s := own(t, harness.Loopback, "UNDERSTUDY_REPLAYS=0", // what a model decides is not replayed
		"UNDERSTUDY_OPENAI_MODELS=order,dead,answer", "UNDERSTUDY_OPENAI_KEY=sk-e2e", "UNDERSTUDY_OPENAI_URL="+server.URL+"/v1")
	c := s.live()
	for _, w := range []struct {
		name, site, task string
		faults           []sites.Fault
		steps            int // at most
		succeeds         bool
		issue            string // among those of the report
	}{
		{name: "order", site: sites.Shop, task: "order", steps: 30, succeeds: true},
		{name: "answer", site: sites.Docs, task: "exit_code", steps: 25, succeeds: true},
		{name: "dead", site: sites.Shop, task: "order", steps: 12, issue: "dead_click", faults: []sites.Fault{{Kind: "dead_control", Path: "/p/tidepool-mug", Selector: "form.buy button"}}},
	} {
		t.Run(w.name, func(t *testing.T) {
			goal := task(t, w.site, w.task)
			var walk func(model string, tries int) judged
			walk = func(model string, tries int) judged {
				address := serveSite(t, w.site, w.faults...)
				created := c.create(t, map[string]any{
					"url": address + goal.Start, "task": goal.Task, "sessions": 1, "seed": 11, "viewport": []string{"desktop"}, "model": model, "max_steps": w.steps,
				})
				c.completed(t, created.ID, liveLimit)
				session := c.sessions(t, created.ID)[0]
				report := get[reportResource](t, c, "/tests/"+created.ID+"/report")
				if report.late() && tries > 0 {
					return walk(model, tries-1) // the machine was too late to tell
				}
				out := judged{
					Acts: actsOf(logWalk(t, c, session)), Outcome: session.outcome(),
					Reached: reached(t, address, goal.Truth) == 1, Done: report.Sessions.Succeeded,
				}
				if session.Completion != nil {
					out.Status, out.Evidence = session.Completion.Status, strings.ReplaceAll(session.Completion.Evidence, address, "")
				}
				for _, i := range report.Issues {
					if i.Kind == "slow_page" {
						continue // of the machine, not of who walks
					}
					element := ""
					if i.Element != nil {
						element = i.Element.Name
					}
					out.Issues = append(out.Issues, fmt.Sprintf("%s at %q, severity %d, %d of %d: %s", i.Kind, element, i.Severity, i.Frequency.Affected, i.Frequency.Total, i.Title))
				}
				everyArtifactOpens(t, c, session)
				return out
			}
			built := walk("forager", lateTries)
			p.mu.Lock()
			p.scripts[w.name] = built.Acts
			p.mu.Unlock()
			model := walk("openai/"+w.name, lateTries)
			if !reflect.DeepEqual(model, built) {
				t.Errorf("the model's walk\n%s\nand that of the built-in user\n%s", pretty(model), pretty(built))
			}
			if (built.Outcome == "succeeded") != w.succeeds || built.Reached != w.succeeds {
				t.Errorf("the built-in user's walk is %s, the site says %v", built.Outcome, built.Reached)
			}
			if w.issue != "" && !strings.Contains(strings.Join(model.Issues, "\n"), w.issue) {
				t.Errorf("no %s among the issues: %s", w.issue, pretty(model.Issues))
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if t.Failed() && len(p.lost) > 0 {
				t.Logf("what the model was told when it did not find its way:\n%s", strings.Join(p.lost[:min(len(p.lost), 4)], "\n\n"))
			}
			p.lost = nil
		})
	}
}

func pretty(v any) string {
	out, _ := json.MarshalIndent(v, "", "  ")
	return string(out)
}
