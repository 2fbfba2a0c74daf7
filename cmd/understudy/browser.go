package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"understudy/adapters/blob"
	"understudy/adapters/browser"
	"understudy/adapters/egress"
	"understudy/adapters/keyring"
	"understudy/adapters/runner"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/session"
	"understudy/domain/testrun"
)

// programs are what walks and prints on this machine; the error tells what is missing.
func (c config) programs(temp string, log *slog.Logger) (browser.Config, error) {
	return browser.Locate(browser.Config{DriverDir: c.driverDir, TempDir: temp, MaxContexts: c.browsers, NoSandbox: c.noSandbox, Logger: log})
}

// printer is the browser as reports see it.
type printer struct{ browser *browser.Browser }

// PDF prints a page.
func (p printer) PDF(ctx context.Context, html []byte) ([]byte, error) {
	pdf, err := p.browser.PDF(ctx, html)
	if errors.Is(err, browser.ErrBrowserLost) || errors.Is(err, browser.ErrClosed) {
		return nil, fmt.Errorf("%w (%w)", domain.Refuse(domain.CodeUnavailable, "the browser that prints is being started again; try again in a moment"), err)
	}
	return pdf, err
}

// films encodes recordings.
type films struct{ ffmpeg, tempDir string }

// Encode makes a WebM film of pictures.
func (f films) Encode(ctx context.Context, frames []runner.Frame, total time.Duration) ([]byte, error) {
	pictures := make([]browser.Frame, len(frames))
	for i, frame := range frames {
		pictures[i] = browser.Frame{JPEG: frame.JPEG, At: frame.At}
	}
	return browser.EncodeRecording(ctx, f.ffmpeg, f.tempDir, pictures, total)
}

// runnerFacts is what the runner reads.
type runnerFacts struct {
	*service.Streams
	keys *keyring.Keyring
}

// Session is the session, as this process has seen it last if it has.
func (f runnerFacts) Session(ctx context.Context, stream string) (session.State, error) {
	if kept, ok := f.Sessions.Kept(stream); ok {
		return kept.State, nil
	}
	result, err := f.Sessions.Load(ctx, stream)
	return result.State, err
}

// Inputs decrypts a test's inputs.
func (f runnerFacts) Inputs(_ context.Context, t testrun.Created) (map[string]string, error) {
	return service.OpenInputs(f.keys, t)
}

// examined is what the runner reads of a test whose sessions have ended.
type examined struct {
	*service.Streams
	service.Evidence
}

// target asks the egress policy's probe.
type target struct{ *egress.Policy }

// Probe says why a target cannot be tested, "" when it can.
func (t target) Probe(ctx context.Context, url string, private ...string) string {
	return reason(t.Policy.Probe(ctx, url, private...))
}

// reason is why a probe failed, "" when it did not.
func reason(err error) string {
	var unreachable *egress.Unreachable
	switch {
	case err == nil:
		return ""
	case errors.As(err, &unreachable):
		return unreachable.Message
	case domain.CodeOf(err) != "":
		return err.Error()
	}
	return "the target could not be reached"
}

// blobStore is the blob store as the runner sees it.
type blobStore struct{ *blob.Store }

// Put stores bytes by their content.
func (b blobStore) Put(ctx context.Context, data []byte, contentType string) (string, error) {
	ref, err := b.Store.Put(ctx, data, contentType)
	return ref.SHA256, err
}
