package webhooksender

import (
	"fmt"
	"testing"

	"understudy/test/patience"
)

// jobsTo are n deliveries to an endpoint.
func jobsTo(endpoint string, n int) (jobs []Job) {
	for i := range n {
		jobs = append(jobs, Job{DeliveryID: fmt.Sprintf("%s-%05d", endpoint, i), Endpoint: endpoint, Organization: organizationOf(endpoint)})
	}
	return jobs
}

// reserve reserves places for all of jobs.
func reserve(t *testing.T, w *Worker, jobs []Job) (r *Reserved) {
	t.Helper()
	patience.Eventually(t, limit, "room for what is reserved", func() bool {
		r = w.Reserve(t.Context(), jobs)
		if len(r.jobs) == len(jobs) {
			return true
		}
		r.End()
		return false
	})
	return r
}

func TestAReservedDeliveryIsSentWithoutAClaim(t *testing.T) {
	t.Parallel()
	l := newLedger()
	url, got := receiver(t)
	w := workerOf(l, 0, New(dial))
	stop := workAs(t, w)
	jobs := jobsTo("a", 3)
	reserved := reserve(t, w, jobs)
	for _, job := range jobs[:2] {
		l.schedule(job, url)
	}
	reserved.Begin(jobs[0].DeliveryID, "")
	reserved.Begin(jobs[0].DeliveryID, "") // once is enough
	if r := <-got; r.Headers["x-service-delivery"] != jobs[0].DeliveryID {
		t.Errorf("received %v", r.Headers)
	}
	l.await(t, "the end of the lease", func() bool { return l.delivered("a") == 1 && l.leased() == 2 })
	// What was not begun is the worklist's, also when it is scheduled later.
	reserved.End()
	if r := <-got; r.Headers["x-service-delivery"] != jobs[1].DeliveryID {
		t.Errorf("received %v", r.Headers)
	}
	l.schedule(jobs[2], url)
	l.await(t, "all three", func() bool { return l.delivered("a") == 3 && l.leased() == 0 })
	stop()
	if r := <-got; r.Headers["x-service-delivery"] != jobs[2].DeliveryID || len(got) != 0 {
		t.Errorf("received %v and %d more", r.Headers, len(got))
	}
}

func TestOnlyWhatCanBeginAtOnceIsReserved(t *testing.T) {
	t.Parallel()
	l, slow := newLedger(), newHanging(t)
	w := workerOf(l, 0, New(dial))
	if n := len(w.Reserve(t.Context(), jobsTo("a", 1)).jobs); n != 0 {
		t.Errorf("%d reserved by a worker that does not run", n)
	}
	workAs(t, w)
	eight := reserve(t, w, jobsTo("acme/0", defaultPerEndpoint))
	count := func(endpoint string) int {
		r := w.Reserve(t.Context(), jobsTo(endpoint, defaultPerEndpoint+1))
		t.Cleanup(r.End)
		return len(r.jobs)
	}
	if n := count("acme/0"); n != 0 {
		t.Errorf("%d more reserved for an endpoint that has its places", n)
	}
	for i := range 7 {
		if n := count(fmt.Sprint("acme/", i+1)); n != defaultPerEndpoint {
			t.Errorf("%d reserved for an endpoint, want its 8 places", n)
		}
	}
	if n := count("acme/8"); n != 0 {
		t.Errorf("%d more reserved for an organization that has half of all places", n)
	}
	if n := count("other"); n != defaultPerEndpoint {
		t.Errorf("%d reserved for another organization, want 8", n)
	}
	eight.End()
	// Places that attempts have are no others'.
	l.add("acme/9", slow.url, 1000)
	awaitHeld(t, slow, defaultPerEndpoint)
	if n := count("acme/10"); n != 0 {
		t.Errorf("%d reserved of an organization whose claimed deliveries have its places", n)
	}
}

func TestAWorkerEndsWithoutWhatIsReserved(t *testing.T) {
	t.Parallel()
	l := newLedger()
	url, got := receiver(t)
	w := workerOf(l, patience.Scaled(limit), New(dial))
	stop := workAs(t, w)
	jobs := jobsTo("a", 2)
	reserved := reserve(t, w, jobs)
	l.schedule(jobs[0], url)
	stop()
	reserved.Begin(jobs[0].DeliveryID, "")
	reserved.End()
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.leased(); n != 0 || l.delivered("a") != 0 || len(got) != 0 {
		t.Errorf("%d leases are kept, %d delivered by a worker that has ended", n, len(got))
	}
}

func TestReservingOutlivesPostgres(t *testing.T) {
	t.Parallel()
	l := newLedger()
	url, got := receiver(t)
	w := workerOf(l, 0, New(dial))
	workAs(t, w)
	reserve(t, w, jobsTo("first", 1)).End()
	l.mu.Lock()
	l.failLeases = true
	l.mu.Unlock()
	jobs := jobsTo("a", 1)
	reserved := w.Reserve(t.Context(), jobs)
	l.schedule(jobs[0], url)
	reserved.Begin(jobs[0].DeliveryID, "")
	reserved.End()
	<-got
	l.await(t, "its delivery by the worklist", func() bool { return l.delivered("a") == 1 && l.leased() == 0 })
}
