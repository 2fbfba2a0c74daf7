package brain

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// protocol asks a model one question, with the retries of the provider's SDK.
type protocol interface {
	ask(ctx context.Context, q question) (reply, error)
}

// question is what every protocol can say.
type question struct {
	system, user string
	// tokens is the most that may be answered.
	tokens int64
	// seed makes answers repeatable where the protocol knows such a thing.
	seed int64
}

// reply is what came back.
type reply struct {
	// arguments are those of the call of the tool, "" when there was none.
	arguments string
	// text is what was said besides.
	text string
	// input and output are tokens, as the server counts them.
	input, output int64
}

// Unavailable says that a model's server gave no answer that could be used.
// Its text names neither key nor address.
type Unavailable struct {
	// Status is the server's last HTTP status, 0 without an answer.
	Status int
	// Reason is a sentence's end: "its server answers 503".
	Reason string
}

func (e *Unavailable) Error() string { return "the model is not available: " + e.Reason }

const (
	// maxReply bounds what is read of a server's answer.
	maxReply = 4 << 20
	// dialLimit bounds the connecting to a server.
	dialLimit = 10 * time.Second
)

var errRedirect = errors.New("the server redirects; its address must be the final one")

// newClient is a client whose requests, each with its answer, end in time. It
// follows no redirects: they would carry key and page elsewhere.
func newClient(timeout time.Duration) *http.Client {
	transport := &http.Transport{
		Proxy:       http.ProxyFromEnvironment, // the operator's own way out
		DialContext: (&net.Dialer{Timeout: dialLimit}).DialContext, TLSHandshakeTimeout: dialLimit,
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, IdleConnTimeout: 90 * time.Second,
	}
	return &http.Client{
		Transport: bounded{transport}, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// bounded cuts answers that are too long to be meant, and waits: a server that
// wants to be left alone for longer than maxWait is not asked again.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err != nil {
		return res, err
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxReply), res.Body}
	if wait(res.Header) > maxWait.Seconds() {
		res.Header.Set("X-Should-Retry", "false") // the SDKs heed it
	}
	return res, nil
}

// wait is for how many seconds a server wants to be left alone, 0 when it does
// not say.
func wait(h http.Header) float64 {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return ms / 1000
	}
	after := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(after, 64); err == nil {
		return seconds
	}
	if at, err := http.ParseTime(after); err == nil {
		return time.Until(at).Seconds()
	}
	return 0
}

// refusal is what a server answered in place of a reply: the status, 0 without
// an answer, and its words. Servers that are only compatible, and what stands
// before them, answer in shapes that an SDK's error does not take.
func refusal(res *http.Response) (status int, said string) {
	if res == nil || res.StatusCode < http.StatusBadRequest {
		return 0, ""
	}
	body, err := io.ReadAll(res.Body) // the SDKs put back what they have read
	if err != nil {
		return res.StatusCode, ""
	}
	return res.StatusCode, string(body)
}
