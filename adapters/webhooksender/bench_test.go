package webhooksender

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkWorker measures deliveries through the whole loop to one local
// receiver, per operation.
func BenchmarkWorker(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	var claimed, recorded atomic.Int64
	done := make(chan struct{})
	w := &Worker{
		Sender: New(dial), Logger: slog.New(slog.DiscardHandler), Owner: "b",
		Jobs: endless{&claimed, int64(b.N)}, Deliveries: sink{s.URL, &recorded, int64(b.N), done},
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	<-done
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}

// endless hands out so many jobs of many endpoints.
type endless struct {
	claimed *atomic.Int64
	n       int64
}

func (e endless) Claim(_ context.Context, _ string, limit int, _ time.Duration, _ Busy) (jobs []Job, next time.Time, err error) {
	for range limit {
		i := e.claimed.Add(1)
		if i > e.n {
			break
		}
		jobs = append(jobs, Job{DeliveryID: fmt.Sprint(i), Endpoint: fmt.Sprint(i % 100)})
	}
	return jobs, next, nil
}

func (e endless) Lease(context.Context, string, []Job, time.Duration) ([]Job, error) { return nil, nil }

func (e endless) Release(context.Context, string, []Job, uint64) error { return nil }

// sink takes outcomes and tells when all have come.
type sink struct {
	url      string
	recorded *atomic.Int64
	n        int64
	done     chan struct{}
}

func (s sink) Load(_ context.Context, job Job) (Delivery, uint64, error) {
	return Delivery{ID: job.DeliveryID, URL: s.url, Event: "test.progress", Body: []byte("{}"), Attempt: 1}, 0, nil
}

func (s sink) Record(context.Context, Delivery, time.Time, Outcome) (uint64, error) {
	if s.recorded.Add(1) == s.n {
		close(s.done)
	}
	return 0, nil
}
