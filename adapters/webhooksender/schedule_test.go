package webhooksender

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"understudy/domain/delivery"
)

// pipes are a network in memory, so that its waits are the test's clock's.
type pipes struct {
	accepting chan net.Conn
	closed    chan struct{}
}

func newPipes() pipes { return pipes{make(chan net.Conn), make(chan struct{})} }

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.accepting <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accepting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// The schedule to the second: a failed attempt is made again after 5 seconds,
// 30 seconds and 5 minutes, and never after that.
func TestAttemptsAreMadeOnSchedule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failures int
		at       []time.Duration
		ends     delivery.Status
	}{
		"one that recovers at last": {3, []time.Duration{0, 5 * time.Second, 35 * time.Second, 335 * time.Second}, delivery.StatusDelivered},
		"one that recovers soon":    {1, []time.Duration{0, 5 * time.Second}, delivery.StatusDelivered},
		"one that does not":         {100, []time.Duration{0, 5 * time.Second, 35 * time.Second, 335 * time.Second}, delivery.StatusAbandoned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l, network, begin := newLedger(), newPipes(), time.Now()
				var at []time.Duration
				var attempts, ids []string
				receiver := &http.Server{
					ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
					Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						at = append(at, time.Since(begin))
						attempts = append(attempts, r.Header.Get("X-Service-Attempt"))
						ids = append(ids, r.Header.Get("webhook-id"))
						if len(at) <= c.failures {
							w.WriteHeader(http.StatusInternalServerError)
						}
					}),
				}
				served := make(chan error, 1)
				go func() { served <- receiver.Serve(network) }()
				l.add("a", "http://receiver.example/", 1)
				stop := workOver(t, l, 0, network.dial)
				<-time.After(time.Hour)
				stop()
				if err := receiver.Close(); err != nil {
					t.Error(err)
				}
				if err := <-served; !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
				if !slices.Equal(at, c.at) || !slices.Equal(attempts, []string{"1", "2", "3", "4"}[:len(c.at)]) {
					t.Errorf("attempts %v at %v, want %v", attempts, at, c.at)
				}
				if len(slices.Compact(ids)) != 1 {
					t.Errorf("they are of the messages %v", ids)
				}
				if e := l.entries["a-00000"]; e.state.Status != c.ends || e.owner != "" {
					t.Errorf("the delivery is %s and leased to %q", e.state.Status, e.owner)
				}
			})
		})
	}
}
