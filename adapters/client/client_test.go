package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/adapters/client"
	"understudy/test/patience"
)

// testLimit bounds what a test waits for.
const testLimit = 30 * time.Second

// call is a request as it came.
type call struct {
	at              time.Time
	method, key     string
	path, body, who string
}

// stage is a server that answers as told, which the real service does only when
// something is wrong with it.
type stage struct {
	*httptest.Server
	mu    sync.Mutex
	calls []call
}

// answers serves: the nth request gets the nth answer, and later ones the last.
func answers(t *testing.T, list ...http.HandlerFunc) (*stage, *client.Client) {
	t.Helper()
	s := &stage{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.calls = append(s.calls, call{time.Now(), r.Method, r.Header.Get("Idempotency-Key"), r.URL.Path, string(body), r.Header.Get("Authorization")})
		n := min(len(s.calls), len(list)) - 1
		s.mu.Unlock()
		list[n](w, r)
	}))
	t.Cleanup(s.Close)
	c, err := client.New(s.URL, "svc_test_key")
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func (s *stage) came() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// says answers like the service; header is names and values.
func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		kind := "application/json"
		if status >= http.StatusBadRequest {
			kind = "application/problem+json"
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("X-RateLimit-Limit", "1000")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func problem(status int, code string) string {
	return fmt.Sprintf(`{"type":"urn:understudy:problem:%s","title":"T","status":%d,"detail":"because","instance":"/v1","code":%q,"request_id":"r-1"}`, code, status, code)
}

// cuts breaks the connection off without an answer.
func cuts(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

var (
	made   = says(http.StatusCreated, `{"id":"test_1","status":"running"}`)
	wished = client.NewTest{URL: "https://shop.example.com/", Task: "look"}
)

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

func TestWhatTheServiceCannotTakeNowIsSentAgainWhenItSays(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{http.StatusServiceUnavailable: "unavailable", http.StatusTooManyRequests: "rate_limited"} {
		s, c := answers(t, says(status, problem(status, code), "Retry-After", "1"), made)
		res, err := c.CreateTestWithResponse(within(t), nil, wished)
		if err != nil || res.JSON201 == nil || res.JSON201.ID != "test_1" {
			t.Fatalf("after %d: %v, %+v", status, err, res)
		}
		came := s.came()
		if len(came) != 2 {
			t.Fatalf("after %d it came %d times", status, len(came))
		}
		if pause := came[1].at.Sub(came[0].at); pause < time.Second {
			t.Errorf("after %d with Retry-After: 1 it came again after %v", status, pause)
		}
	}
}

// TestAPostIsRepeatedUnderOneKey: whatever went wrong on the way, the service can tell
// a repetition from another wish.
func TestAPostIsRepeatedUnderOneKey(t *testing.T) {
	t.Parallel()
	s, c := answers(t, cuts, says(http.StatusServiceUnavailable, problem(503, "unavailable")), says(http.StatusBadGateway, "<html>"), made)
	if _, err := c.CreateTestWithResponse(within(t), nil, wished); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateTestWithResponse(within(t), nil, wished); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateTestWithResponse(within(t), &client.CreateTestParams{IdempotencyKey: new("my-own")}, wished); err != nil {
		t.Fatal(err)
	}
	came := s.came()
	if len(came) != 6 {
		t.Fatalf("it came %d times: %+v", len(came), came)
	}
	for _, again := range came[1:4] {
		if again.key != came[0].key || again.body != came[0].body || again.key == "" {
			t.Errorf("repeated as %+v, and first %+v", again, came[0])
		}
	}
	if came[4].key == came[0].key || came[5].key != "my-own" {
		t.Errorf("other wishes have the keys %q and %q, and the first %q", came[4].key, came[5].key, came[0].key)
	}
	if came[0].who != "Bearer svc_test_key" || came[0].path != "/v1/tests" || !strings.Contains(came[0].body, `"task":"look"`) {
		t.Errorf("sent %+v", came[0])
	}
}

func TestReadingNeedsNoKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	s, c := answers(t, cuts, says(http.StatusOK, `{"id":"test_1","status":"running"}`))
	res, err := c.GetTestWithResponse(within(t), "test_1", nil)
	if err != nil || res.JSON200.ID != "test_1" {
		t.Fatalf("%v %+v", err, res)
	}
	if came := s.came(); len(came) != 2 || came[0].key != "" || came[1].method != http.MethodGet {
		t.Errorf("%+v", came)
	}
}

func TestARefusalIsAnErrorWithItsCode(t *testing.T) {
	t.Parallel()
	body := strings.Replace(problem(422, "validation_failed"), `"request_id"`, `"errors":[{"pointer":"/task","code":"required","message":"task is required"}],"request_id"`, 1)
	s, c := answers(t, says(http.StatusUnprocessableEntity, body))
	_, err := c.CreateTestWithResponse(within(t), nil, wished)
	var refused *client.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %T: %v", err, err)
	}
	if refused.Status != 422 || refused.Code != "validation_failed" || refused.Detail != "because" || refused.RequestID != "r-1" ||
		!slices.Equal(refused.Faults, []client.Fault{{Pointer: "/task", Code: "required", Message: "task is required"}}) {
		t.Errorf("%+v", refused)
	}
	if len(s.came()) != 1 {
		t.Errorf("what is refused was sent %d times", len(s.came()))
	}
}

// TestAnAnswerOfAnotherProgramIsToldAsSuch: a proxy, a captive portal, a wrong address.
func TestAnAnswerOfAnotherProgramIsToldAsSuch(t *testing.T) {
	t.Parallel()
	page := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "<html>Welcome")
		}
	}
	for name, say := range map[string]http.HandlerFunc{
		"a page": page(http.StatusOK), "a missing page": page(http.StatusNotFound), "a login": page(http.StatusUnauthorized),
		"JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"id":"test_1"}`) },
		"a problem of others": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"title":"Forbidden","status":403}`)
		},
	} {
		s, c := answers(t, say)
		_, err := c.GetTestWithResponse(within(t), "test_1", nil)
		var told *client.Error
		if !errors.As(err, &told) || told.Code != "" || !strings.Contains(err.Error(), "no answer of Understudy") || !strings.Contains(err.Error(), s.URL) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatIsSentElsewhereIsToldAsSuch: a redirection is followed with another method, so
// that nothing would be made and everything seem so.
func TestWhatIsSentElsewhereIsToldAsSuch(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusPermanentRedirect} {
		s, c := answers(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}, made)
		_, err := c.CreateTestWithResponse(within(t), nil, wished)
		if told := (*client.Error)(nil); !errors.As(err, &told) || told.Status != status || !strings.Contains(err.Error(), s.URL+"/elsewhere, which is no answer of Understudy") {
			t.Errorf("%d: %v", status, err)
		}
		if came := s.came(); len(came) != 1 {
			t.Errorf("%d: it was followed: %+v", status, came)
		}
	}
}

// TestAStreamEndsWhenThereIsNothingToCallWith: what is missing does not come by waiting.
func TestAStreamEndsWhenThereIsNothingToCallWith(t *testing.T) {
	t.Parallel()
	signedOut := errors.New("nobody is signed in")
	c, err := client.NewWithTokens("http://127.0.0.1:1", func(context.Context) (string, error) { return "", signedOut })
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range c.Watch(within(t), "test_1", func(err error) { t.Errorf("it is tried again: %v", err) }) {
		if !errors.Is(err, signedOut) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ends with %v", err)
		}
	}
}

func TestWaitingToSendAgainEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(within(t))
	_, c := answers(t, func(w http.ResponseWriter, r *http.Request) {
		says(http.StatusServiceUnavailable, problem(503, "unavailable"), "Retry-After", "3600")(w, r)
		time.AfterFunc(10*time.Millisecond, cancel)
	})
	if _, err := c.GetTestWithResponse(ctx, "test_1", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAnAddressIsOfAService(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:8080": "http://127.0.0.1:8080/v1", "https://u.example.com/v1": "https://u.example.com/v1", "https://e.com/under/": "https://e.com/under/v1",
		"https://e.com/v1/": "https://e.com/v1",
	} {
		if c, err := client.New(base, ""); err != nil || c.Base() != want {
			t.Errorf("%s: %v, want %s", base, err, want)
		}
	}
	for _, base := range []string{"", "localhost:8080", "ftp://e.com", "http://", "http://%zz"} {
		if c, err := client.New(base, ""); err == nil {
			t.Errorf("%s: calls %s", base, c.Base())
		}
	}
}

func TestPagesEndsWithTheFirstErrorAndReadsNoMoreThanIsWanted(t *testing.T) {
	t.Parallel()
	read := 0
	list := func(cursor *string) ([]int, string, error) {
		read++
		if cursor == nil {
			return []int{1, 2}, "next", nil
		}
		return nil, "", errors.New("lost")
	}
	var seen []int
	var failed error
	for n, err := range client.Pages(list) {
		if failed = err; err == nil {
			seen = append(seen, n)
		}
	}
	if !slices.Equal(seen, []int{1, 2}) || failed == nil || read != 2 {
		t.Errorf("seen %v, %v after %d pages", seen, failed, read)
	}
	read = 0
	for _, err := range client.Pages(list) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if read != 1 {
		t.Errorf("one was wanted, and %d pages were read", read)
	}
}
