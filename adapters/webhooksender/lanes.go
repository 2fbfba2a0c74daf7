package webhooksender

import "time"

// lanes are the claimed jobs by endpoint: so many run, the rest wait. Only the
// worker's loop touches them.
type lanes struct {
	total, perEndpoint int

	running   int
	endpoints map[string]*lane
	// ready names an endpoint once for each of its waiting jobs that it may
	// have room to run.
	ready []string
}

type lane struct {
	running int
	waiting []waitingJob
}

type waitingJob struct {
	Job

	startBy time.Time
}

func newLanes(total, perEndpoint int) *lanes {
	return &lanes{total: total, perEndpoint: perEndpoint, endpoints: make(map[string]*lane)}
}

// free is how many more jobs may run.
func (l *lanes) free() int { return l.total - l.running }

// busy are the endpoints that can take no more jobs for now.
func (l *lanes) busy() []string {
	var ids []string
	for id, lane := range l.endpoints {
		if lane.running >= l.perEndpoint || len(lane.waiting) > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// add takes a claimed job in; begun after startBy, it would outlive its lease.
func (l *lanes) add(job Job, startBy time.Time) {
	e := l.endpoints[job.Endpoint]
	if e == nil {
		e = &lane{}
		l.endpoints[job.Endpoint] = e
	}
	e.waiting = append(e.waiting, waitingJob{job, startBy})
	l.ready = append(l.ready, job.Endpoint)
}

// next takes out a job to run now.
func (l *lanes) next() (Job, bool) {
	for l.free() > 0 && len(l.ready) > 0 {
		id := l.ready[0]
		l.ready = l.ready[1:]
		e := l.endpoints[id]
		if e == nil || len(e.waiting) == 0 || e.running >= l.perEndpoint {
			continue
		}
		job := e.waiting[0].Job
		e.waiting = e.waiting[1:]
		e.running++
		l.running++
		return job, true
	}
	return Job{}, false
}

// end notes that a job no longer runs. It reports whether its endpoint, or a
// worker that was full, can now take jobs that it could not take before.
func (l *lanes) end(job Job) bool {
	e := l.endpoints[job.Endpoint]
	opened := l.free() == 0 || e.running == l.perEndpoint && len(e.waiting) == 0
	e.running--
	l.running--
	switch {
	case len(e.waiting) > 0:
		l.ready = append(l.ready, job.Endpoint)
	case e.running == 0:
		delete(l.endpoints, job.Endpoint)
	}
	return opened
}

// late takes out the waiting jobs that must not begin any more at now; the
// zero time takes out all of them.
func (l *lanes) late(now time.Time) []Job {
	var jobs []Job
	for id, e := range l.endpoints {
		kept := e.waiting[:0]
		for _, job := range e.waiting {
			if now.IsZero() || now.After(job.startBy) {
				jobs = append(jobs, job.Job)
			} else {
				kept = append(kept, job)
			}
		}
		e.waiting = kept
		if len(kept) == 0 && e.running == 0 {
			delete(l.endpoints, id)
		}
	}
	return jobs
}
