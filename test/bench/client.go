package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// requestLimit bounds one request.
const requestLimit = 30 * time.Second

// caller keeps a connection for everyone who calls at a time.
var caller = func() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = t.MaxIdleConns
	return &http.Client{Transport: t}
}()

// client uses the interface with one key.
type client struct{ addr, key string }

func (s *service) live() client    { return client{s.addr, s.keys.Live} }
func (s *service) sandbox() client { return client{s.addr, s.keys.Test} }

// testResource is of a test what is measured here.
type testResource struct {
	ID                string
	Status            string
	SessionsTotal     int `json:"sessions_total"`
	SessionsCompleted int `json:"sessions_completed"`
	SessionsFailed    int `json:"sessions_failed"`
}

// send makes a request and tells how long its answer took, read to its end. A
// request that the rate limit refuses is made again when the window ends; the
// refusals are not part of the time. into may be nil.
func (c client) send(ctx context.Context, method, path string, body, into any) (time.Duration, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	for {
		took, retry, err := c.try(ctx, method, path, raw, into)
		if err != nil || retry == 0 {
			return took, err
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (c client) try(ctx context.Context, method, path string, raw []byte, into any) (took, retry time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.addr+path, bytes.NewReader(raw))
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	began := time.Now()
	res, err := caller.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	took = time.Since(began)
	switch {
	case err != nil:
		return took, 0, err
	case res.StatusCode == http.StatusTooManyRequests:
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		return took, time.Duration(max(seconds, 1)) * time.Second, err
	case res.StatusCode >= http.StatusMultipleChoices:
		return took, 0, fmt.Errorf("%s %s: %d %.300s", method, path, res.StatusCode, answer)
	case into == nil:
		return took, 0, nil
	}
	return took, 0, json.Unmarshal(answer, into)
}

// create starts a test.
func (c client) create(ctx context.Context, body any) (t testResource, took time.Duration, err error) {
	took, err = c.send(ctx, http.MethodPost, "/v1/tests", body, &t)
	return t, took, err
}

// await polls a test until it is as wanted.
func (c client) await(ctx context.Context, id string, every, within time.Duration, wanted func(testResource) bool) (testResource, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("test %s took longer than %s", id, within))
	defer cancel()
	for {
		var t testResource
		if _, err := c.send(ctx, http.MethodGet, "/v1/tests/"+id, nil, &t); err != nil || wanted(t) {
			return t, err
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return t, context.Cause(ctx)
		}
	}
}

// ended reports whether a test is over.
func ended(t testResource) bool { return t.Status != "running" }

// completed waits for the end of a test, which must be a good one.
func (c client) completed(ctx context.Context, id string, every, within time.Duration) error {
	t, err := c.await(ctx, id, every, within, ended)
	if err == nil && t.Status != "completed" {
		err = fmt.Errorf("test %s is %s", id, t.Status)
	}
	return err
}
