package process

import (
	"fmt"

	"understudy/domain/comparison"
	"understudy/domain/testrun"
)

// Compared is a test as a comparison sees it, without its sessions.
func Compared(t testrun.Created) comparison.Test {
	test := comparison.Test{ID: t.TestID, URL: t.URL, Task: t.Task, Model: t.Model, MaxSteps: t.MaxSteps, Criteria: t.Criteria}
	if t.Success != nil {
		test.Success = fmt.Sprintf("%+v", *t.Success)
	}
	return test
}
