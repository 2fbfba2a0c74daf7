package fuzzapi

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"
)

// sample is an answer in JSON and the schema that it is of.
type sample struct {
	Place string          `json:"place"`
	Body  json.RawMessage `json:"body"`
	sent  string
}

const (
	// samplesOf is how many answers of each operation and status are looked at twice.
	samplesOf = 3
	// opinionLimit bounds the second validator.
	opinionLimit = time.Minute
)

// sample keeps an answer for the second opinion.
func (f *fuzz) sample(q *request, res *http.Response, raw []byte) {
	mediaType, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	said := q.op.answers[strconv.Itoa(res.StatusCode)]
	if said == nil {
		said = q.op.answers["default"]
	}
	if err != nil || said == nil || said.content[mediaType] == nil || q.method == http.MethodHead {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	kind := q.op.id + " " + strconv.Itoa(res.StatusCode)
	if len(f.samples[kind]) < samplesOf {
		place := said.place + pointer("content", mediaType, "schema")[1:]
		f.samples[kind] = append(f.samples[kind], sample{place, slices.Clone(raw), q.String()})
	}
}

// secondOpinion has validators of another language look at the document and at
// answers of each operation and status. So that their silence says something, they
// also get a document and answers that are wrong.
func (f *fuzz) secondOpinion(t *testing.T) {
	t.Helper()
	var all []sample
	for _, of := range f.samples {
		all = append(all, of...)
	}
	said := f.validated(t, f.served, all)
	if said.Version != "3.1" || len(said.Document) > 0 {
		t.Errorf("the second validator takes the document for OpenAPI %s and says: %s", said.Version, said.Document)
	}
	for i, faults := range said.Answers {
		at, _ := strconv.Atoi(i)
		t.Errorf("the second validator says of an answer: %s\n%s\n%.1000s", faults, all[at].sent, all[at].Body)
	}
	t.Logf("a second validator agrees about the document and %d answers of %d kinds", len(all)-len(said.Answers), len(f.samples))

	var broken []sample
	for kind, of := range f.samples {
		if kind == "getTest 200" || kind == "listTests 200" || kind == "getTest 404" {
			broken = append(broken, sample{of[0].Place, json.RawMessage(`{"id": 1, "data": {}, "status": "x"}`), ""})
		}
	}
	wrong := bytes.Replace(f.served, []byte(`"operationId":"getTest"`), []byte(`"operationId":1`), 1)
	if said := f.validated(t, wrong, broken); len(said.Document) == 0 || len(said.Answers) != 3 {
		t.Errorf("the second validator lets a wrong document or wrong answers pass: %+v", said)
	}
}

// opinion is what is wrong, in the second validator's words.
type opinion struct {
	Version  string
	Document []json.RawMessage
	Answers  map[string]json.RawMessage
}

func (f *fuzz) validated(t *testing.T, document json.RawMessage, answers []sample) (said opinion) {
	t.Helper()
	in, err := json.Marshal(map[string]any{"document": document, "answers": answers})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := patience.Context(t.Context(), opinionLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "validate.mjs")
	cmd.Env = append(os.Environ(), "MODULES="+filepath.Join(harness.Root(), ".cache", "api-clients", "current", "node_modules"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	if err != nil {
		t.Fatalf("the second validator: %v: %.500s", err, out)
	}
	return said
}
