package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"
)

const (
	// tries is how often a request is sent at most, with pauses that double from
	// firstPause to lastPause or as long as Retry-After says.
	tries                 = 6
	firstPause, lastPause = 250 * time.Millisecond, 8 * time.Second
	// answerLimit bounds the wait for one answer, a PDF of a long report included.
	answerLimit = 2 * time.Minute
)

// everyAnswer is a header of each answer of the interface.
const everyAnswer = "X-RateLimit-Limit"

// Client calls one service for one caller. It can be used from many goroutines.
type Client struct {
	*ClientWithResponses
	base   *url.URL
	bearer func(context.Context) (string, error)
}

// New is a client of the service at base, its address with or without /v1, that calls
// with an API key.
func New(base, key string) (*Client, error) {
	return NewWithTokens(base, func(context.Context) (string, error) { return key, nil })
}

// NewWithTokens is New with what gives the bearer token for each request, such as an
// access token that is renewed in time.
func NewWithTokens(base string, bearer func(context.Context) (string, error)) (*Client, error) {
	at, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || (at.Scheme != "http" && at.Scheme != "https") || at.Host == "" {
		return nil, fmt.Errorf("%q is no http or https address of a service", base)
	}
	if !strings.HasSuffix(at.Path, "/v1") {
		at = at.JoinPath("v1")
	}
	c := &Client{base: at, bearer: bearer}
	c.ClientWithResponses, err = NewClientWithResponses(at.String(), WithHTTPClient(newSender()), WithRequestEditorFn(c.sign))
	return c, err
}

// Base is the REST root that is called, which ends in /v1.
func (c *Client) Base() string { return c.base.String() }

// sign gives a request its key and, where it creates, the name that its repetitions share.
func (c *Client) sign(ctx context.Context, r *http.Request) error {
	bearer, err := c.bearer(ctx)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	if r.Method == http.MethodPost && r.Header.Get("Idempotency-Key") == "" {
		r.Header.Set("Idempotency-Key", uuid.NewString())
	}
	return nil
}

// sender sends requests, again where that may help, and makes errors of refusals.
type sender struct{ client *retryablehttp.Client }

func newSender() sender {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax, c.RetryWaitMin, c.RetryWaitMax = tries-1, firstPause, lastPause
	c.HTTPClient.Timeout = answerLimit
	c.ErrorHandler = retryablehttp.PassthroughErrorHandler // the last answer says why
	// Who is sent elsewhere would go there with another method, and without a key.
	c.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return sender{c}
}

// Do sends a request. What is not answered at all, or with a status of 300 or more, is an error.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	again, err := retryablehttp.FromRequest(r)
	if err != nil {
		return nil, err
	}
	res, err := s.client.Do(again)
	if err != nil {
		return nil, &UnreachableError{Address: r.URL.Scheme + "://" + r.URL.Host, Cause: err}
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = res.Body.Close() }()
		return nil, refusal(res)
	}
	if res.Header.Get(everyAnswer) == "" {
		_ = res.Body.Close()
		return nil, foreign(res)
	}
	return res, nil
}
