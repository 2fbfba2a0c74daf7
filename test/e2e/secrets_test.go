package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"understudy/test/sites"
)

// secrets are what must be nowhere in plain, by what they are.
type secrets map[string]string

// disguises are the forms in which a text may stand somewhere.
func disguises(secret string) map[string][]byte {
	quoted, err := json.Marshal(secret)
	if err != nil {
		panic(err)
	}
	forms := map[string]string{
		"plain": secret, "JSON": string(quoted[1 : len(quoted)-1]), "query": url.QueryEscape(secret), "path": url.PathEscape(secret),
		"HTML": html.EscapeString(secret), "hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"UTF-16": strings.Join(strings.Split(secret, ""), "\x00"),
	}
	// In base64 a text looks different by the place at which it begins; what
	// its neighbours decide of the first and last characters is cut off.
	for shift := range 3 {
		raw := append(make([]byte, shift), secret...)
		from, to := (shift*8+5)/6, len(raw)*8/6
		forms[fmt.Sprint("base64 from ", shift)] = base64.StdEncoding.EncodeToString(raw)[from:to]
		forms[fmt.Sprint("base64url from ", shift)] = base64.URLEncoding.EncodeToString(raw)[from:to]
	}
	out := map[string][]byte{}
	for name, form := range forms {
		out[name] = []byte(form)
	}
	return out
}

// hunt looks for the secrets in texts that are told one by one.
func (s secrets) hunt(t *testing.T) (look func(where string, text []byte)) {
	t.Helper()
	type prey struct {
		what  string
		bytes []byte
	}
	var all []prey
	for what, secret := range s {
		if len(secret) < 8 {
			t.Fatalf("%s is too short to look for", what)
		}
		for form, b := range disguises(secret) {
			all = append(all, prey{what + " (" + form + ")", b})
		}
	}
	return func(where string, text []byte) {
		for _, p := range all {
			if i := bytes.Index(text, p.bytes); i >= 0 {
				t.Errorf("%s stands in %s: …%.300q", p.what, where, text[max(0, i-100):])
			}
		}
	}
}

// leaveSecrets gives the service every kind of secret that it takes, and lets a
// simulated user type some. It returns what must not be found.
func leaveSecrets(t *testing.T, s *service) secrets {
	t.Helper()
	live := s.live()
	raw, err := os.ReadFile(filepath.Join(s.Data(), "keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	var first struct{ Live, Test, Email, Password string }
	if err := json.Unmarshal(raw, &first); err != nil {
		t.Fatal(err)
	}
	type endpoint struct{ ID, Secret string }
	target := "http://" + closedPort(t) + "/hooks"
	given := "given: <secret> & \"quoted\" \u00fc"
	register := func(body map[string]any, key string) endpoint {
		return read[endpoint](t, live.send(t, http.MethodPost, "/webhooks", body, "Idempotency-Key", key).wants(t, http.StatusCreated, ""))
	}
	register(map[string]any{"url": target, "secret": given, "events": []string{"quality_gate.failed"}}, "given")
	generated := register(map[string]any{"url": target, "events": []string{"quality_gate.failed"}}, "generated")
	if again := register(map[string]any{"url": target, "events": []string{"quality_gate.failed"}}, "generated"); again != generated {
		t.Errorf("the stored answer is not the first one: %v, %v", again, generated)
	}
	renew := func(id string, body any, key string) endpoint {
		return read[endpoint](t, live.send(t, http.MethodPost, "/webhooks/"+id+"/rotate_secret", body, "Idempotency-Key", key).wants(t, http.StatusOK, ""))
	}
	renewed := renew(generated.ID, nil, "renewed")
	if again := renew(generated.ID, nil, "renewed"); again != renewed || again.Secret == generated.Secret {
		t.Errorf("the stored answer is not the first one: %v, %v", again, renewed)
	}
	chosen := "chosen: <secret> & \"quoted\" \u00f6"
	renew(register(map[string]any{"url": target, "events": []string{"quality_gate.failed"}}, "third").ID, map[string]any{"secret": chosen}, "chosen")
	inside, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(generated.Secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	typed := "tideline-demo"
	test := live.create(t, map[string]any{
		"url": serveSite(t, sites.SaaS) + "/", "task": "Log in as {{email}} with the password {{password}}", "sessions": 1, "seed": 4,
		"inputs": map[string]string{"email": "demo@tidewater.example", "password": typed},
	})
	live.ended(t, test.ID, liveLimit)
	wrote := false
	for _, step := range get[trace](t, live, "/sessions/"+live.sessions(t, test.ID)[0].ID+"/trace").Steps {
		wrote = wrote || strings.Contains(step.Action.Text, "{{password}}")
	}
	if !wrote {
		t.Error("the simulated user has typed no password")
	}
	repeated := "Quill.Harbour.77@tern.example"
	echoed := live.create(t, map[string]any{
		"url": serveEcho(t), "task": "Sign in with the e-mail address {{email}}", "sessions": 1, "seed": 4, "inputs": map[string]string{"email": repeated},
	})
	live.ended(t, echoed.ID, liveLimit)
	told, _ := json.Marshal(get[map[string]any](t, live, "/sessions/"+live.sessions(t, echoed.ID)[0].ID+"/trace"))
	if !strings.Contains(string(told), "/welcome/•••") {
		t.Errorf("the page that repeats what was typed was not reached: %s", told)
	}
	return secrets{
		"an input that the page repeats": repeated,
		"a secret that was given":        given, "a generated secret": generated.Secret, "what a generated secret encodes": string(inside),
		"a secret of a rotation": renewed.Secret, "a secret chosen for a rotation": chosen,
		"an input": typed, "the live key": first.Live, "the sandbox key": first.Test, "the owner's password": first.Password, "the owner's address": first.Email,
	}
}

// serveEcho serves a page that repeats what it is told wherever a page can say something.
func serveEcho(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang=en><title>Sign in</title><h1>Sign in</h1><form onsubmit="location='/welcome/'+encodeURIComponent(mail.value);return false">
			<label>E-mail address <input id=mail type=email name=mail></label><button>Sign in</button></form>`)
	})
	mux.HandleFunc("/welcome/", func(w http.ResponseWriter, r *http.Request) {
		x := strings.TrimPrefix(r.URL.Path, "/welcome/")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang=en><title>Welcome %[1]s</title><h1>Welcome %[1]s</h1><p>You are signed in as %[1]s.</p>
			<a href="/?as=%[2]s">Sign out %[1]s</a><p>Your code is %[3]s</p><script>
			const x=%[4]q;console.error('lost '+x, btoa('me:'+x));alert('Hello '+x);fetch('/nothing/'+btoa(x)+'?'+x);setTimeout(()=>{throw new Error('for '+x)})</script>`,
			html.EscapeString(x), url.QueryEscape(x), base64.StdEncoding.EncodeToString([]byte("me:"+x)), x)
	})
	mux.HandleFunc("/nothing/", http.NotFound)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// nowhere looks for secrets in all that a stopped service has left behind but
// the keyring and the file that tells the first keys.
func nowhere(t *testing.T, s *service, hidden secrets) {
	t.Helper()
	look := hidden.hunt(t)
	output := s.Output()
	look("the service's output", []byte(output))
	rows := 0
	onPostgres(t, filepath.Join(s.Data(), "postgres"), func(ctx context.Context, conn *pgx.Conn) {
		tables := queried(ctx, t, conn, `SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
		for _, table := range tables {
			for _, row := range queried(ctx, t, conn, `SELECT r::text FROM `+table+` r`) {
				look("table "+table, []byte(row))
				rows++
			}
		}
	})
	files := 0
	err := filepath.WalkDir(s.Data(), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "keyring.json" || d.Name() == "keys.json" {
			return err
		}
		text, err := os.ReadFile(path)
		look(path, text)
		files++
		return err
	})
	if err != nil || rows < 30 || files < 100 {
		t.Errorf("looked at %d rows and %d files: %v", rows, files, err)
	}
}

func queried(ctx context.Context, t *testing.T, conn *pgx.Conn, sql string) []string {
	t.Helper()
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The hunt itself finds what there is.
func TestSecretsAreFoundInEveryDisguise(t *testing.T) {
	t.Parallel()
	const secret = "a <secret> of \"ours\"+"
	texts := []string{secret, "x" + url.QueryEscape(secret), html.EscapeString(secret)}
	for before := range 3 {
		for after := range 3 {
			text := []byte(strings.Repeat("b", before) + secret + strings.Repeat("a", after))
			texts = append(texts, base64.StdEncoding.EncodeToString(text), base64.RawURLEncoding.EncodeToString(text), hex.EncodeToString(text))
		}
	}
	for _, text := range texts {
		found := false
		for _, form := range disguises(secret) {
			found = found || strings.Contains(text, string(form))
		}
		if !found {
			t.Errorf("not found in %s", text)
		}
	}
}
