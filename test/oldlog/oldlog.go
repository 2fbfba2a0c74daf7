// Package oldlog is the fixture of test/golden/log: an installation of an older
// version, as its data directory and as what that version answered. The program
// in record made both.
package oldlog

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"understudy/test/patience"
)

// Settings make the answers independent of where the service listens, and of when.
var Settings = []string{
	"UNDERSTUDY_BASE_URL=https://api.understudy.example/v1",
	"UNDERSTUDY_APP_URL=https://app.understudy.example",
	"UNDERSTUDY_KEEP_DAYS=0",
}

// The files of the fixture.
const (
	Installation = "installation.tar.gz"
	Answers      = "answers.jsonl.zst"
)

// Ask is a GET.
type Ask struct {
	Key    string `json:"key,omitempty"` // live or test; "" is nobody's
	Path   string `json:"path"`
	Accept string `json:"accept,omitempty"`
	Range  string `json:"range,omitempty"`
}

func (a Ask) String() string {
	return strings.Join(strings.Fields(a.Key+" GET "+a.Path+" "+a.Accept+" "+a.Range), " ")
}

// Answer is what an Ask was answered with.
type Answer struct {
	Ask    Ask               `json:"ask"`
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`
}

// told are the headers that belong to an answer.
var told = []string{"ETag", "Content-Type", "Link", "Location", "Content-Disposition", "Content-Range", "Accept-Ranges", "Cache-Control",
	"Content-Security-Policy", "WWW-Authenticate"}

var (
	// signed is what changes at midnight (UTC) in addresses, tagged in ETags.
	signed = regexp.MustCompile(`expires=\d+(&|&amp;|\\u0026)(signature|token)=[\w.-]+`)
	tagged = regexp.MustCompile(`-2\d{4}(["-])`)
	// sealed is when a head of the log was signed: again at every start.
	sealed = regexp.MustCompile(`"signed_at":"[^"]+"`)
	// picture is an image within a page, where a + is &#43;.
	picture = regexp.MustCompile(`data:(image|video)/[a-z]+;base64,[\w+/=&#;]{200,}`)
)

// requestLimit bounds one request, on an idle machine.
const requestLimit = time.Minute

// Get asks the service at an address, with its keys by name.
func Get(ctx context.Context, addr string, keys map[string]string, ask Ask) (Answer, error) {
	ctx, cancel := patience.Context(ctx, requestLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+ask.Path, nil)
	if err != nil {
		return Answer{}, err
	}
	r.Header.Set("X-Request-Id", "the-old-log") // which refusals repeat
	for name, value := range map[string]string{"Accept": ask.Accept, "Range": ask.Range} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if ask.Key != "" {
		r.Header.Set("Authorization", "Bearer "+keys[ask.Key])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", ask, err)
	}
	out := Answer{Ask: ask, Status: res.StatusCode, Header: map[string]string{}, Body: lasting(body)}
	for _, name := range told {
		if value := res.Header.Get(name); value != "" {
			out.Header[name] = value
		}
	}
	if tag, there := out.Header["ETag"]; there {
		out.Header["ETag"] = tagged.ReplaceAllString(tag, "-…$1")
	}
	return out, nil
}

// lasting is a body without what changes with the day. Files and the pictures
// within pages are told by their digests.
func lasting(body []byte) string {
	if !utf8.Valid(body) {
		return digest(body)
	}
	text := signed.ReplaceAllString(string(body), "…")
	text = sealed.ReplaceAllString(text, `"signed_at":"…"`)
	return picture.ReplaceAllStringFunc(text, func(data string) string { return digest([]byte(data)) })
}

func digest(data []byte) string {
	return fmt.Sprintf("%d bytes, SHA-256 %x", len(data), sha256.Sum256(data))
}

// scripts are where pages have the hash of a script's content in its address.
var scripts = regexp.MustCompile(`/assets/[0-9a-f]{16}/`)

// Difference tells the first difference of two answers, "" when there is none. Which version
// of a script a page loads makes none.
func Difference(was, is Answer) string {
	if was.Status != is.Status {
		return fmt.Sprintf("status %d, is %d: %.300s", was.Status, is.Status, is.Body)
	}
	for _, name := range told {
		if was.Header[name] != is.Header[name] {
			return fmt.Sprintf("%s: %q, is %q", name, was.Header[name], is.Header[name])
		}
	}
	was.Body, is.Body = scripts.ReplaceAllString(was.Body, ""), scripts.ReplaceAllString(is.Body, "")
	if was.Body == is.Body {
		return ""
	}
	at := 0
	for at < min(len(was.Body), len(is.Body)) && was.Body[at] == is.Body[at] {
		at++
	}
	around := func(text string) string { return text[max(0, min(at, len(text))-80):min(len(text), at+160)] }
	return fmt.Sprintf("byte %d of the body (%d bytes, are %d)\nwas  …%s…\nis   …%s…", at, len(was.Body), len(is.Body), around(was.Body), around(is.Body))
}

// WriteAnswers writes a file of answers, and where the log ended.
func WriteAnswers(path string, position int, answers []Answer) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	packed, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedBestCompression)) // answers repeat each other from far apart
	if err != nil {
		return err
	}
	lines := json.NewEncoder(packed)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(position); err != nil {
		return err
	}
	for _, a := range answers {
		if err := lines.Encode(a); err != nil {
			return err
		}
	}
	return packed.Close()
}

// ReadAnswers reads a file of answers, and where the log ended.
func ReadAnswers(path string) (position int, answers []Answer, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = f.Close() }()
	plain, err := zstd.NewReader(f)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	defer plain.Close()
	lines := json.NewDecoder(plain)
	if err := lines.Decode(&position); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	for {
		var a Answer
		if err := lines.Decode(&a); errors.Is(err, io.EOF) {
			return position, answers, nil
		} else if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", path, err)
		}
		answers = append(answers, a)
	}
}
