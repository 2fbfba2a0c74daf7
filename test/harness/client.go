package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// RequestLimit bounds one request. It is above the service's own limits, of
	// which that for printing a report is the longest.
	RequestLimit = 2 * time.Minute
	// callLimit bounds a call that the service asks to make again later.
	callLimit = 5 * time.Minute
)

// HTTP has connections of its own, one for everyone who calls at a time: whoever
// closes a test server closes idle ones of the default transport, and with them
// what others are about to send.
var HTTP = func() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = t.MaxIdleConns
	return &http.Client{Transport: t}
}()

// Client is a program that uses the service's interface with one key.
type Client struct{ Addr, Key string }

// Live is a client for tests in browsers.
func (s *Service) Live() Client { return Client{s.Addr, s.Keys.Live} }

// Sandbox is a client for simulated tests.
func (s *Service) Sandbox() Client { return Client{s.Addr, s.Keys.Test} }

// Answer is a response, read to its end.
type Answer struct {
	*http.Response
	Body []byte
	Took time.Duration
}

// Decode reads JSON into what is not nil, if there is any.
func (a Answer) Decode(into any) error {
	if into == nil || len(a.Body) == 0 {
		return nil
	}
	return json.Unmarshal(a.Body, into)
}

// Refused is an answer that is not what was asked for.
type Refused struct{ Answer }

func (r *Refused) Error() string {
	return fmt.Sprintf("%s %s: %d %.300s", r.Request.Method, r.Request.URL.Path, r.StatusCode, r.Body)
}

// leastPause is what a service that names none is given.
const leastPause = 200 * time.Millisecond

// later is for how long the service asks not to be asked again.
func (a Answer) later() (pause time.Duration, asked bool) {
	if a.StatusCode != http.StatusTooManyRequests && a.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	seconds, _ := strconv.Atoi(a.Header.Get("Retry-After")) // none is 0
	return max(time.Duration(seconds)*time.Second, leastPause), true
}

// Send makes a request. path begins after /v1, or is a whole address. A string
// or []byte is the body as it is, anything else but nil is sent as JSON.
// headers are names and values; one with the value "" is left out. An error
// says that nobody knows whether the request was carried out.
func (c Client) Send(ctx context.Context, method, path string, body any, headers ...string) (Answer, error) {
	url := path
	if strings.HasPrefix(path, "/") {
		url = "http://" + c.Addr + "/v1" + path
	}
	raw, err := encoded(body)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, RequestLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(raw))
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	began := time.Now()
	res, err := HTTP.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	read, err := io.ReadAll(res.Body)
	return Answer{res, read, time.Since(began)}, err
}

func encoded(body any) ([]byte, error) {
	switch b := body.(type) {
	case nil:
		return nil, nil
	case string:
		return []byte(b), nil
	case []byte:
		return b, nil
	default:
		return json.Marshal(b)
	}
}

// Call is Send for what must succeed: an answer of another kind is a *Refused.
// It asks again when the service says later; the time that it tells is that of
// the last request. into gets the answer's JSON, unless it is nil.
func (c Client) Call(ctx context.Context, method, path string, body, into any, headers ...string) (time.Duration, error) {
	for late := time.Now().Add(callLimit); ; {
		a, err := c.Send(ctx, method, path, body, headers...)
		if err != nil {
			return 0, err
		}
		if pause, asked := a.later(); asked && time.Now().Before(late) {
			select {
			case <-time.After(pause):
				continue
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
		}
		if a.StatusCode >= http.StatusMultipleChoices {
			return a.Took, &Refused{a}
		}
		return a.Took, a.Decode(into)
	}
}

// TakenIn tells where the log ends, and whether every read model and reactor has
// taken it in.
func (s *Service) TakenIn(ctx context.Context) (position int, all bool, err error) {
	a, err := Client{Key: OperatorToken}.Send(ctx, http.MethodGet, "http://"+s.Addr+"/readyz", nil)
	if err != nil {
		return 0, false, err
	}
	type follower struct {
		LagEvents int `json:"lag_events"`
	}
	var told struct {
		LogPosition int        `json:"log_position"`
		ReadModels  []follower `json:"read_models"`
		Reactors    []follower
	}
	if err := json.Unmarshal(a.Body, &told); err != nil {
		return 0, false, fmt.Errorf("/readyz: %w: %s", err, a.Body)
	}
	if len(told.ReadModels) == 0 || len(told.Reactors) == 0 {
		return 0, false, fmt.Errorf("/readyz names nobody: %s", a.Body)
	}
	behind := slices.ContainsFunc(slices.Concat(told.ReadModels, told.Reactors), func(f follower) bool { return f.LagEvents > 0 })
	return told.LogPosition, a.StatusCode == http.StatusOK && !behind, nil
}

// Page is a part of a list.
type Page[T any] struct {
	Data       []T
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

// List reads a whole list, page by page, of 100 items each unless the path has a limit.
func List[T any](path string, get func(path string) (Page[T], error)) (out []T, err error) {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	if !strings.Contains(path, "limit=") {
		path, sep = path+sep+"limit=100", "&"
	}
	for cursor := ""; ; {
		p, err := get(path + cursor)
		if err != nil {
			return nil, err
		}
		out = append(out, p.Data...)
		if !p.HasMore {
			return out, nil
		}
		cursor = sep + "cursor=" + *p.NextCursor
	}
}

// All is List by a client that must succeed.
func All[T any](ctx context.Context, c Client, path string) ([]T, error) {
	return List(path, func(path string) (page Page[T], err error) {
		_, err = c.Call(ctx, http.MethodGet, path, nil, &page)
		return page, err
	})
}

// Test is a test as clients read it; only the fields that somebody looks at.
type Test struct {
	ID                string
	Status            string
	URL               string
	Task              string
	Environment       string
	Seed              int64
	SessionsTotal     int       `json:"sessions_total"`
	SessionsCompleted int       `json:"sessions_completed"`
	SessionsFailed    int       `json:"sessions_failed"`
	CreatedAt         time.Time `json:"created_at"`
	StreamURL         string    `json:"stream_url"`
	ReportURL         *string   `json:"report_url"`
	ReportID          *string   `json:"report_id"`
	Progress          float64
	QualityGate       *struct {
		Passed         bool
		Threshold      float64
		FailedCriteria []string `json:"failed_criteria"`
	} `json:"quality_gate"`
	Scores  map[string]float64 `json:"aggregate_scores"`
	Failure *struct{ Code, Message string }
}

// Ended reports whether the test is over.
func (t Test) Ended() bool { return t.Status != "running" }

// SignUp is an ordinary test for the sandbox, which never calls its address.
func SignUp(sessions int) map[string]any {
	return map[string]any{
		"url": "https://shop.example.com/", "task": "Sign up for the newsletter", "sessions": sessions, "seed": 7,
		"viewport": []string{"desktop", "mobile"},
	}
}

// Create starts a test and tells how long the answer took.
func (c Client) Create(ctx context.Context, body map[string]any, headers ...string) (t Test, took time.Duration, err error) {
	took, err = c.Call(ctx, http.MethodPost, "/tests", body, &t, headers...)
	return t, took, err
}

// Await reads a test until it is as wanted.
func (c Client) Await(ctx context.Context, id string, every time.Duration, wanted func(Test) bool) (t Test, err error) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		if _, err := c.Call(ctx, http.MethodGet, "/tests/"+id, nil, &t); err != nil || wanted(t) {
			return t, err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return t, fmt.Errorf("test %s is %s with %d of %d sessions: %w", id, t.Status, t.SessionsCompleted, t.SessionsTotal, context.Cause(ctx))
		}
	}
}

// Register makes an endpoint for the events named, all when there are none.
func (c Client) Register(ctx context.Context, url, secret string, events ...string) (id string, err error) {
	body := map[string]any{"url": url, "secret": secret}
	if len(events) > 0 {
		body["events"] = events
	}
	var made struct{ ID string }
	_, err = c.Call(ctx, http.MethodPost, "/webhooks", body, &made)
	return made.ID, err
}
