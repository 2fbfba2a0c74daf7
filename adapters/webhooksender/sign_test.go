package webhooksender

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// verifier checks a delivery with nothing but Node's crypto module, as the
// documentation tells receivers to. It prints who verified what.
const verifier = `
const { createHmac, timingSafeEqual } = require("crypto")
const { headers, body, service, standard } = JSON.parse(require("fs").readFileSync(0, "utf8"))
const raw = Buffer.from(body, "base64")
const same = (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
const serviceOK = same(headers["x-service-signature"], "sha256=" + createHmac("sha256", service).update(raw).digest("hex"))
const signed = Buffer.concat([Buffer.from(headers["webhook-id"] + "." + headers["webhook-timestamp"] + "."), raw])
const sent = headers["webhook-signature"].split(" ")
const standardOK = standard.map(secret => {
	const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret)
	const want = createHmac("sha256", key).update(signed).digest("base64")
	return sent.some(s => s.startsWith("v1,") && same(s.slice(3), want))
})
console.log(JSON.stringify({ service: serviceOK, standard: standardOK, signatures: sent.length }))`

func verify(t *testing.T, r received, service string, standard ...string) string {
	t.Helper()
	input, _ := json.Marshal(map[string]any{
		"headers": r.Headers, "body": base64.StdEncoding.EncodeToString(r.Body), "service": service, "standard": standard,
	})
	cmd := exec.CommandContext(t.Context(), "node", "-e", verifier)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func TestReceiversCanVerifyEverySignature(t *testing.T) {
	t.Parallel()
	url, got := receiver(t)
	s := New(dial)
	generated, next := GenerateSecret(), GenerateSecret()
	for _, c := range []struct {
		name     string
		secrets  Secrets
		service  string
		standard []string
		want     string
	}{
		{"own secret", Secrets{Current: "sixteen letters!"}, "sixteen letters!", []string{"sixteen letters!"},
			`{"service":true,"standard":[true],"signatures":1}`},
		{"generated secret", Secrets{Current: generated}, generated, []string{generated},
			`{"service":true,"standard":[true],"signatures":1}`},
		{"rotation", Secrets{Current: next, Previous: generated}, generated, []string{generated, next},
			`{"service":true,"standard":[true,true],"signatures":2}`},
		{"rotation from an own secret", Secrets{Current: next, Previous: "sixteen letters!"}, "sixteen letters!", []string{next, "sixteen letters!"},
			`{"service":true,"standard":[true,true],"signatures":2}`},
		{"wrong secret", Secrets{Current: generated}, next, []string{next},
			`{"service":false,"standard":[false],"signatures":1}`},
	} {
		r := request(url)
		r.Secrets = c.secrets
		if out := s.Send(t.Context(), r); !out.OK {
			t.Fatalf("%s: %+v", c.name, out)
		}
		if verdict := verify(t, <-got, c.service, c.standard...); verdict != c.want {
			t.Errorf("%s: receiver says %s, want %s", c.name, verdict, c.want)
		}
	}
}

func TestSignaturesOfKnownInput(t *testing.T) {
	t.Parallel()
	// RFC 4231, test case 2.
	if got := SignService("Jefe", []byte("what do ya want for nothing?")); got !=
		"sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" {
		t.Errorf("SignService = %s", got)
	}
	// A customer's own secret may begin like a generated one: it is its own key.
	for _, own := range []string{"whsec_not base64!", "whsec_"} {
		h := hmac.New(sha256.New, []byte(own))
		h.Write([]byte("id.1.{}"))
		want := "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
		if got := SignStandard(own, "id", time.Unix(1, 0), []byte("{}")); got != want {
			t.Errorf("SignStandard(%q) = %s, want %s", own, got, want)
		}
	}
	a, b := GenerateSecret(), GenerateSecret()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(a, "whsec_"))
	if a == b || !strings.HasPrefix(a, "whsec_") || err != nil || len(raw) != 32 {
		t.Errorf("secrets %s and %s", a, b)
	}
}
