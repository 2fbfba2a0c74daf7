package webhooksender

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// mostTimedOut bounds the memory of endpoints that timed out; when it is full it
// starts anew.
const mostTimedOut = 10_000

// lanes are the places that attempts run in, and the jobs that wait for one, by
// endpoint. Organizations take turns, and within each its endpoints. They are safe
// for concurrent use.
type lanes struct {
	// total bounds the places, perOrganization and perEndpoint those that one of
	// these takes. An endpoint whose last attempt timed out takes one.
	total, perOrganization, perEndpoint int

	mu sync.Mutex
	// taken is the places that are, reserved those of them whose attempt has not
	// begun.
	taken, reserved int

	organizations map[string]*organization
	endpoints     map[string]*lane
	// held are the deliveries that wait, have a place or are under way: none is taken in
	// once more, as one may be claimed whose lease a crash of Postgres has lost.
	held     map[string]struct{}
	timedOut map[string]struct{}
	// ready are the organizations with a ready lane, and room.
	ready []*organization
	// leftEndpoints, with their organizations, and leftOrganizations are those
	// that the last claim left out.
	leftEndpoints     map[string]string
	leftOrganizations map[string]struct{}
	// behind: there may be due jobs that the last claim had no room for.
	behind bool
	// closed: no place is reserved any more, and nothing begins in those that are.
	closed bool
}

type organization struct {
	id           string
	lanes, taken int
	ready        []*lane // with jobs that wait, and room
	listed       bool    // in lanes.ready
}

type lane struct {
	of      *organization
	id      string
	taken   int
	waiting []waitingJob
	listed  bool // in of.ready
}

type waitingJob struct {
	Job

	startBy time.Time
}

func newLanes(total, perEndpoint int) *lanes {
	return &lanes{
		total: total, perOrganization: max(1, total/2), perEndpoint: perEndpoint, behind: true,
		organizations: make(map[string]*organization), endpoints: make(map[string]*lane),
		held: make(map[string]struct{}), timedOut: make(map[string]struct{}),
	}
}

// free is how many more jobs may run.
func (l *lanes) free() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total - l.taken
}

// leaveOut is whom a claim is to leave out: who can take no more jobs for now.
func (l *lanes) leaveOut() Busy {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leftEndpoints, l.leftOrganizations = make(map[string]string), make(map[string]struct{})
	for id := range l.organizations {
		if !l.hasRoom(id) {
			l.leftOrganizations[id] = struct{}{}
		}
	}
	for id, e := range l.endpoints {
		if !l.isIdle(id) {
			l.leftEndpoints[id] = e.of.id
		}
	}
	return Busy{Endpoints: slices.Collect(maps.Keys(l.leftEndpoints)), Organizations: slices.Collect(maps.Keys(l.leftOrganizations))}
}

// opened reports whether somebody whom the last claim left out can take jobs now.
func (l *lanes) opened() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.leftOrganizations {
		if l.hasRoom(id) {
			return true
		}
	}
	for id, organizationID := range l.leftEndpoints {
		if l.isIdle(id) && l.hasRoom(organizationID) {
			return true
		}
	}
	return false
}

// claimed notes whether there may be more jobs than the claim had room for.
func (l *lanes) claimed(more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.behind = more
}

// add takes a claimed job in; begun after startBy, it would outlive its lease.
func (l *lanes) add(job Job, startBy time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, again := l.held[job.DeliveryID]; again {
		return
	}
	l.held[job.DeliveryID] = struct{}{}
	e := l.lane(job)
	e.waiting = append(e.waiting, waitingJob{job, startBy})
	l.list(e)
}

// next takes out a job to run now, and a place for it.
func (l *lanes) next() (Job, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.taken < l.total && len(l.ready) > 0 {
		o := l.ready[0]
		l.ready, o.listed = l.ready[1:], false
		if o.taken >= l.perOrganization || len(o.ready) == 0 {
			continue
		}
		e := o.ready[0]
		o.ready, e.listed = o.ready[1:], false
		if len(e.waiting) == 0 || e.taken >= l.width(e.id) {
			l.list(e)
			continue
		}
		job := e.waiting[0].Job
		e.waiting = e.waiting[1:]
		l.take(e)
		l.list(e)
		return job, true
	}
	return Job{}, false
}

// reserve takes places for jobs that nobody has to wait for, and returns those
// jobs: none while the worklist may have others that have waited longer.
func (l *lanes) reserve(jobs []Job) (reserved []Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.behind || l.closed {
		return nil
	}
	for _, job := range jobs {
		_, leftEndpoint := l.leftEndpoints[job.Endpoint]
		_, leftOrganization := l.leftOrganizations[job.Organization]
		_, again := l.held[job.DeliveryID]
		if leftEndpoint || leftOrganization || again || l.taken >= l.total || !l.hasRoom(job.Organization) || !l.isIdle(job.Endpoint) {
			continue
		}
		l.take(l.lane(job))
		l.held[job.DeliveryID] = struct{}{}
		l.reserved++
		reserved = append(reserved, job)
	}
	return reserved
}

// use lets an attempt begin in a place that is reserved, if it may.
func (l *lanes) use() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.reserved--
	return true
}

// unreserve gives back a place in which nothing has begun.
func (l *lanes) unreserve(job Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved--
	delete(l.held, job.DeliveryID)
	l.leave(l.endpoints[job.Endpoint])
}

// end gives back the place of a job and notes what its attempt says of its
// endpoint.
func (l *lanes) end(r result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.endpoints[r.job.Endpoint]
	delete(l.held, r.job.DeliveryID)
	switch {
	case r.timedOut:
		if len(l.timedOut) == mostTimedOut {
			clear(l.timedOut)
		}
		l.timedOut[e.id] = struct{}{}
	case r.attempted:
		delete(l.timedOut, e.id)
	}
	l.leave(e)
}

// late takes out the waiting jobs that must not begin any more at now, and all but
// one of an endpoint that takes one place; the zero time takes out all of them.
func (l *lanes) late(now time.Time) []Job {
	l.mu.Lock()
	defer l.mu.Unlock()
	var jobs []Job
	for id, e := range l.endpoints {
		kept := e.waiting[:0]
		for _, job := range e.waiting {
			if now.IsZero() || now.After(job.startBy) || l.width(id) == 1 && len(kept) == 1 {
				jobs = append(jobs, job.Job)
				delete(l.held, job.DeliveryID)
			} else {
				kept = append(kept, job)
			}
		}
		e.waiting = kept
		l.forget(e)
	}
	return jobs
}

// close ends reserving.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// underWay is how many attempts are.
func (l *lanes) underWay() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken - l.reserved
}

// lane is that of a job's endpoint.
func (l *lanes) lane(job Job) *lane {
	e := l.endpoints[job.Endpoint]
	if e == nil {
		o := l.organizations[job.Organization]
		if o == nil {
			o = &organization{id: job.Organization}
			l.organizations[o.id] = o
		}
		o.lanes++
		e = &lane{of: o, id: job.Endpoint}
		l.endpoints[e.id] = e
	}
	return e
}

// forget lets go of a lane that nothing is in.
func (l *lanes) forget(e *lane) {
	if e.taken > 0 || len(e.waiting) > 0 {
		return
	}
	delete(l.endpoints, e.id)
	if e.of.lanes--; e.of.lanes == 0 {
		delete(l.organizations, e.of.id)
	}
}

func (l *lanes) take(e *lane) {
	e.taken++
	e.of.taken++
	l.taken++
}

func (l *lanes) leave(e *lane) {
	e.taken--
	e.of.taken--
	l.taken--
	l.list(e)
	l.forget(e)
}

// list lets a lane, and its organization, take their next turn where they can use
// one.
func (l *lanes) list(e *lane) {
	if !e.listed && len(e.waiting) > 0 && e.taken < l.width(e.id) {
		e.of.ready, e.listed = append(e.of.ready, e), true
	}
	if o := e.of; !o.listed && len(o.ready) > 0 && o.taken < l.perOrganization {
		l.ready, o.listed = append(l.ready, o), true
	}
}

// width is how many places an endpoint may take.
func (l *lanes) width(endpoint string) int {
	if _, slow := l.timedOut[endpoint]; slow {
		return 1
	}
	return l.perEndpoint
}

// hasRoom reports whether an organization may take one more place.
func (l *lanes) hasRoom(organizationID string) bool {
	o := l.organizations[organizationID]
	return o == nil || o.taken < l.perOrganization
}

// isIdle reports whether an endpoint may take one more place, and no job waits for
// one.
func (l *lanes) isIdle(endpoint string) bool {
	e := l.endpoints[endpoint]
	return e == nil || e.taken < l.width(endpoint) && len(e.waiting) == 0
}
