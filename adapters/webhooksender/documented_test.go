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

// asking are what calls the functions of docs/webhooks.md with what stands on standard
// input and writes what they say, by language.
var asking = map[string]string{
	"python": `
import json, sys
given = json.load(sys.stdin)
print(json.dumps([genuine(g["secret"], g["headers"], base64.b64decode(g["body"])) for g in given], separators=(",", ":")))
`,
	"javascript": `
const given = JSON.parse(require('node:fs').readFileSync(0))
console.log(JSON.stringify(given.map((g) => genuine(g.secret, g.headers, Buffer.from(g.body, 'base64')))))
`,
	"go": `
func main() {
	var given []struct{ Secret, Body string; Headers map[string]string }
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	said := []bool{}
	for _, g := range given {
		header := http.Header{}
		for name, value := range g.Headers {
			header.Set(name, value)
		}
		body, _ := base64.StdEncoding.DecodeString(g.Body)
		said = append(said, genuine(g.Secret, header, body))
	}
	_ = json.NewEncoder(os.Stdout).Encode(said)
}
`,
}

// documented is the code of a language in docs/webhooks.md, with what asks it.
func documented(t *testing.T, language string) string {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "webhooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(document), "```"+language+"\n")
	snippet, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("docs/webhooks.md has nothing in %s", language)
	}
	if language == "go" {
		snippet = strings.Replace(snippet, "package receiver\n\nimport (\n", "package main\n\nimport (\n\"encoding/json\"\n\"os\"\n", 1)
	}
	return snippet + asking[language]
}

// TestTheDocumentedReceiversVerify runs what docs/webhooks.md gives receivers.
func TestTheDocumentedReceiversVerify(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(program, []byte(documented(t, "go")), 0o600); err != nil {
		t.Fatal(err)
	}
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
	for language, command := range map[string][]string{
		"python": {"python3", "-c", documented(t, "python")}, "javascript": {"node", "-e", documented(t, "javascript")}, "go": {"go", "run", program},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...) //nolint:gosec // of ours
		cmd.Stdin = bytes.NewReader(input)
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != "[true,true,false,false,false,false]" {
			t.Errorf("%s says %s (%v)", language, got, err)
		}
	}
}
