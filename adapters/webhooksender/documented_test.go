package webhooksender

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheDocumentedPythonVerifies runs what docs/api.md gives receivers. Its Node
// receiver is run by the test of docs/tour.md.
func TestTheDocumentedPythonVerifies(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(document), "### Checking signatures")
	_, rest, _ = strings.Cut(rest, "```python\n")
	snippet, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/api.md has no Python under “Checking signatures”")
	}
	const ask = `
import json, sys
given = json.load(sys.stdin)
print(json.dumps([genuine(g["secret"], g["headers"], base64.b64decode(g["body"])) for g in given]))
`
	type question struct {
		Secret  string            `json:"secret"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	body := []byte(`{"event":"test.completed","data":{"task":"Änderung\u2028"}}`)
	ask1 := func(secret string, at time.Time, sent []byte, change func(map[string]string)) question {
		h := map[string][]string{}
		setHeaders(h, Request{Body: body, Secrets: Secrets{Current: secret}, DeliveryID: "dlv_1", Attempt: 1, At: at})
		q := question{Secret: secret, Headers: map[string]string{}, Body: base64.StdEncoding.EncodeToString(sent)}
		for name, values := range h {
			if len(values) > 0 {
				q.Headers[strings.ToLower(name)] = values[0]
			}
		}
		if change != nil {
			change(q.Headers)
		}
		return q
	}
	now, made := time.Now(), GenerateSecret()
	input, err := json.Marshal([]question{
		ask1(made, now, body, nil),
		ask1("sixteen letters!", now, body, nil),
		ask1(made, now, append(bytes.Clone(body), ' '), nil),
		ask1(made, now.Add(-10*time.Minute), body, nil),
		ask1(made, now, body, func(h map[string]string) { h["webhook-id"] = "dlv_2" }),
		ask1(made, now, body, func(h map[string]string) { h["x-service-signature"] = "sha256=00" }),
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", snippet+ask)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.TrimSpace(string(out)); got != "[true, true, false, false, false, false]" {
		t.Errorf("it says %s", got)
	}
}
