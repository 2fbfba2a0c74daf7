package process

import (
	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/delivery"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
)

// BeginsHistory reports whether an event is the first one of a stream of the
// test's history: its own, that of a session, a report, a delivery about it or a
// comparison that it is a side of.
func BeginsHistory(testID string, first domain.Event) bool {
	switch e := first.(type) {
	case testrun.Created:
		return e.TestID == testID
	case session.Queued:
		return e.TestID == testID
	case report.Generated:
		return e.TestID == testID
	case delivery.Scheduled:
		return e.TestID == testID
	case comparison.Created:
		return e.A.TestID == testID || e.B.TestID == testID
	}
	return false
}
