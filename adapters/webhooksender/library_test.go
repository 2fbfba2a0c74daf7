package webhooksender

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// library asks the npm package standardwebhooks, which make setup-test has
// brought, about deliveries. It reads the bodies as text, as the package asks.
const library = `
const { Webhook } = require("standardwebhooks")
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"))
console.log(asked.map(({ secret, headers, body }) => {
	const hook = secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" })
	try { hook.verify(body, headers); return "genuine" } catch (e) { return e.message }
}).join("\n"))`

func TestTheStandardWebhooksLibraryVerifies(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Abs(filepath.Join("..", "..", ".cache", "verifier", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "standardwebhooks")); err != nil {
		t.Fatalf("the library is missing, run `make setup-test`: %v", err)
	}
	const body = `{"event":"test.completed","data":{"task":"Änderung — “quotes”"}}`
	now, made, own := time.Now(), GenerateSecret(), "sixteen letters!"
	type question struct {
		Secret  string            `json:"secret"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	ask := func(verify string, signed Secrets, at time.Time, got string) question {
		h := http.Header{}
		setHeaders(h, Request{Body: []byte(body), Secrets: signed, DeliveryID: "dlv_1", Attempt: 1, At: at})
		q := question{verify, map[string]string{}, got}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			q.Headers[name] = h[name][0]
		}
		return q
	}
	questions := []question{
		ask(made, Secrets{Current: made}, now, body),
		ask(own, Secrets{Current: own}, now, body),
		ask(made, Secrets{Current: made, Previous: own}, now, body),
		ask(own, Secrets{Current: made, Previous: own}, now, body),
		ask(made, Secrets{Current: made}, now, body+" "),
		ask(GenerateSecret(), Secrets{Current: made}, now, body),
		ask(made, Secrets{Current: made}, now.Add(-2*Tolerance), body),
	}
	want := []string{
		"genuine", "genuine", "genuine", "genuine", "No matching signature found", "No matching signature found", "Message timestamp too old",
	}
	input, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", library)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != strings.Join(want, "\n") {
		t.Errorf("it says\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
