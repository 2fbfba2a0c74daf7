package walk

import "slices"

// Sent are the requests by which a step had its server change something: all that
// were accepted where a form was sent, else those that the act caused. What pages tell
// other hosts of their visitors and what puts a banner away sends nothing, unless it
// carries what was typed.
func (r *StepRecord) Sent() []Request {
	d := &r.Decision
	return slices.DeleteFunc(r.Effect.accepted(), func(q Request) bool {
		told := d.Purpose == Dismiss || Host(q.URL) != Host(r.Page.URL) && beacon.MatchString(q.URL)
		return told && q.Carries == 0 || d.Purpose != Submit && !q.Caused
	})
}

// accepted are the requests of the page that asked a server, wherever it is, to change
// something and were answered with 2xx or 3xx.
func (e *Effect) accepted() (out []Request) {
	for _, q := range e.Requests {
		if q.Changes() && q.Status >= 200 && q.Status < 400 && (q.Kind == "document" || q.Kind == "xhr" || q.Kind == "fetch") {
			out = append(out, q)
		}
	}
	return out
}

// Changes reports whether a request asks its server to change something (RFC 9110:
// all but the safe methods).
func (q *Request) Changes() bool {
	return !slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE"}, q.Method)
}
