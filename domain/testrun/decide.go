package testrun

import (
	"understudy/domain"
)

// Reasons of a failed test that the test itself knows. The runner adds
// target_unreachable, the report worker report_failed.
const (
	TooManySessionsFailed = "too_many_sessions_failed"
	TargetUnreachable     = "target_unreachable"
	ReportFailed          = "report_failed"
	PersonasUnavailable   = "personas_unavailable"
)

func decide(s State, c Command) ([]Event, error) {
	if _, creates := c.(Create); !creates && s.Status == "" {
		return nil, domain.Refuse(domain.CodeNotFound, "there is no such test")
	}
	switch c := c.(type) {
	case Create:
		return create(s, c)
	case Start:
		if s.Status != Running || s.IsStarted {
			return nil, nil
		}
		return []Event{Started{URL: s.Test.URL, Task: s.Test.Task, SessionsTotal: s.Test.Sessions, At: c.Now}}, nil
	case RecordSessionEnd:
		return recordSessionEnd(s, c)
	case RecordSessionEnds:
		var events []Event
		for _, end := range c.Ends {
			more, err := recordSessionEnd(s, end)
			if err != nil {
				return nil, err
			}
			events = append(events, more...)
			for _, e := range more {
				s = evolve(s, e)
			}
		}
		return events, nil
	case BeginReplay:
		return beginReplay(s, c)
	case EndReplay:
		return endReplay(s, c)
	case EndExamination:
		return endExamination(s, c)
	case Complete:
		return complete(s, c)
	case Fail:
		if s.Status != Running {
			return nil, nil
		}
		return []Event{failed(s, c.Code, c.Message, c.Now)}, nil
	case Cancel:
		switch s.Status {
		case Running:
			return []Event{Cancelled{
				SessionsCompleted: s.Ended, SessionsFailed: s.Failed,
				SessionsTotal: s.Test.Sessions, At: c.Now,
			}}, nil
		case StatusCancelled:
			return nil, nil
		case StatusCompleted, StatusFailed:
		}
		return nil, domain.Refuse(domain.CodeWrongState, "a %s test cannot be cancelled", s.Status)
	case Archive:
		if s.Status == Running {
			return nil, domain.Refuse(domain.CodeWrongState, "a running test cannot be archived")
		}
		if s.Archive != nil {
			return nil, nil
		}
		return []Event{Archived{Archive: c.Name, SHA256: c.SHA256, Events: c.Events, Streams: c.Streams, At: c.Now}}, nil
	}
	return nil, domain.Refuse(domain.CodeConflict, "unknown command %T", c)
}

// recordSessionEnd counts a session once, tells of every tenth, and after the
// last one either asks for the report or fails the test: scores of fewer than
// half of the sessions would not speak for the page.
func recordSessionEnd(s State, c RecordSessionEnd) ([]Event, error) {
	if c.Index < 0 || c.Index >= s.sessions() {
		return nil, domain.Refuse(domain.CodeConflict, "session index %d is outside the test's %d sessions", c.Index, s.sessions())
	}
	if s.Status != Running || s.HasEnded(c.Index) {
		return nil, nil
	}
	events := []Event{SessionEnded{SessionID: c.SessionID, Index: c.Index, Usable: c.Usable, At: c.Now}}
	total, before := s.Test.Sessions, s.Ended
	s = evolve(s, events[0])
	if 10*s.Ended/total > 10*before/total {
		events = append(events, Progressed{
			SessionsCompleted: s.Ended, SessionsTotal: total,
			Percent: 100 * s.Ended / total, At: c.Now,
		})
	}
	if s.Ended < total {
		return events, nil
	}
	if 2*(s.Ended-s.Failed) < total {
		return append(events, failed(s, TooManySessionsFailed,
			"fewer than half of the sessions could be carried out, so no score would speak for the page", c.Now)), nil
	}
	return append(events, SessionsFinished{
		SessionsCompleted: s.Ended, SessionsFailed: s.Failed, ExamineCauses: s.Test.replayed(), At: c.Now,
	}), nil
}

func complete(s State, c Complete) ([]Event, error) {
	if s.Status != Running {
		return nil, nil
	}
	if !s.Finished {
		return nil, domain.Refuse(domain.CodeWrongState, "%d of %d sessions have not ended", s.Test.Sessions-s.Ended, s.Test.Sessions)
	}
	if s.Examining {
		return nil, domain.Refuse(domain.CodeWrongState, "why sessions fell short is still examined")
	}
	return []Event{
		GateJudged{
			Passed: c.Passed, Threshold: s.Test.Gate.Threshold, Score: c.Score,
			FailedCriteria: c.FailedCriteria, Summary: c.Summary, ReportID: c.ReportID, At: c.Now,
		},
		Completed{
			URL: s.Test.URL, Task: s.Test.Task,
			SessionsTotal: s.Test.Sessions, SessionsCompleted: s.Ended, SessionsFailed: s.Failed,
			DurationSeconds: max(int(c.Now.Sub(s.Test.CreatedAt.Time).Seconds()), 0), // clocks of two machines
			AggregateScores: c.AggregateScores,
			GatePassed:      c.Passed, GateThreshold: s.Test.Gate.Threshold,
			ReportID: c.ReportID, At: c.Now,
		},
	}, nil
}

func failed(s State, code, message string, now domain.Time) Failed {
	return Failed{
		Code: code, Message: message,
		SessionsCompleted: s.Ended, SessionsFailed: s.Failed, SessionsTotal: s.Test.Sessions, At: now,
	}
}
