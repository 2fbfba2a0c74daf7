package process

import (
	"understudy/domain"
	"understudy/domain/comparison"
	"understudy/domain/delivery"
	"understudy/domain/report"
	"understudy/domain/session"
	"understudy/domain/testrun"
)

// HistoriesOf are the tests to whose histories a stream belongs, by its first event: a
// test's own, that of a session, a report, a delivery about it or a comparison that it is
// a side of.
func HistoriesOf(first domain.Event) (tests []string) {
	switch e := first.(type) {
	case testrun.Created:
		return []string{e.TestID}
	case session.Queued:
		return []string{e.TestID}
	case report.Generated:
		return []string{e.TestID}
	case delivery.Scheduled:
		return []string{e.TestID}
	case comparison.Created:
		if e.A.TestID == e.B.TestID {
			return []string{e.A.TestID}
		}
		return []string{e.A.TestID, e.B.TestID}
	}
	return nil
}
