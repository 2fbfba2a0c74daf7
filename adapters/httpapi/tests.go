package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/testrun"
	"understudy/projections"
)

// CreateTest starts a test.
func (a *api) CreateTest(c echo.Context) error {
	var request NewTest
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.once(c, func(ctx context.Context, id string, command service.Call) (answer, error) {
		doc, err := a.Commands.CreateTest(ctx, command, id, request.asked())
		if err != nil {
			return answer{}, err
		}
		return a.created("/tests/"+id, a.testRevision(doc), doc, a.testFields(command.Principal))
	})
}

// asked is the test that a body asks for.
func (in NewTest) asked() service.NewTest {
	out := service.NewTest{
		Wish: testrun.Wish{
			Name: in.Name, URL: in.URL, Task: in.Task, Sessions: in.Sessions, Model: in.Model,
			Personas: testrun.Personas{Source: string(in.Personas.Source), PackID: in.Personas.PackID, PersonaIDs: in.Personas.PersonaIds},
			Criteria: texts(in.Criteria), Viewports: texts(in.Viewport), MaxSteps: in.MaxSteps, Locale: in.Locale, Metadata: in.Metadata,
		},
		Seed: in.Seed, Inputs: in.Inputs,
	}
	if in.Success != nil {
		out.Success = &testrun.Success{
			URLMatches: in.Success.URLMatches, TextVisible: in.Success.TextVisible,
			SelectorVisible: in.Success.SelectorVisible, RequestMade: in.Success.RequestMade,
		}
	}
	if in.QualityGate != nil {
		out.Gate = gate.Rule{Threshold: in.QualityGate.Threshold, Criteria: in.QualityGate.Criteria}
	}
	return out
}

// texts are names without their type; nil stays nil.
func texts[T ~string](names []T) []string {
	var out []string
	for _, name := range names {
		out = append(out, string(name))
	}
	return out
}

// created is the answer of a POST that made the resource at a path.
func (a *api) created(path, etag string, doc projections.Document, add adder) (answer, error) {
	body := []byte(doc.JSON)
	if add != nil {
		var err error
		if body, err = decorate(doc.JSON, add); err != nil {
			return answer{}, err
		}
	}
	return answer{
		status:  http.StatusCreated,
		headers: map[string]string{"Location": a.links.APIURL(path), "ETag": etag},
		body:    body,
	}, nil
}

// ListTests lists tests.
func (a *api) ListTests(c echo.Context, params ListTestsParams) error {
	q := service.Query{Status: string(params.Status), CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore}
	return a.list(c, a.Reads.Tests, q, params.Limit, params.Cursor, a.testFields(callOf(c).principal))
}

// find reads a document, or refuses an id that cannot be one.
func find(c echo.Context, from getter, prefix, id string) (projections.Document, error) {
	if !domain.ValidID(prefix, id) {
		return projections.Document{}, refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return from(c.Request().Context(), callOf(c).principal, id)
}

// GetTest answers with a test, as it is or was.
func (a *api) GetTest(c echo.Context, id TestID, params GetTestParams) error {
	doc, _, err := a.found(c, a.Reads.Test, domain.PrefixTest, id, params.At)
	if err != nil {
		return err
	}
	return sendDocument(c, a.testRevision(doc), doc, a.testFields(callOf(c).principal))
}

// hasReport is in every document of a test with a report: read models store
// compact JSON, and no text can hold a bare quote. A customer's metadata could
// have such a field, too; then the ETag changes with the day for nothing.
var hasReport = []byte(`"report_id":"` + domain.PrefixReport + `_`)

// testRevision is the ETag of a test: once there is a report, its document has
// an address that changes from day to day.
func (a *api) testRevision(doc projections.Document) string {
	if !bytes.Contains(doc.JSON, hasReport) {
		return revision(doc.Revision)
	}
	return dailyRevision(doc.Revision, a.Now())
}

// CancelTest cancels a test.
func (a *api) CancelTest(c echo.Context, id TestID) error {
	if !domain.ValidID(domain.PrefixTest, id) {
		return refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	call := callOf(c)
	doc, err := a.Commands.CancelTest(c.Request().Context(), call.command(uuid.New()), id)
	if err != nil {
		return err
	}
	body, err := decorate(doc.JSON, a.testFields(call.principal))
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", a.testRevision(doc))
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// ListTestSessions lists a test's sessions.
func (a *api) ListTestSessions(c echo.Context, id TestID, params ListTestSessionsParams) error {
	if _, err := find(c, a.Reads.Test, domain.PrefixTest, id); err != nil {
		return err
	}
	q := service.Query{TestID: id, Status: string(params.Status)}
	return a.list(c, a.Reads.Sessions, q, params.Limit, params.Cursor, a.sessionFields(callOf(c).principal, a.Now()))
}

// GetTestSession answers with a session of a test.
func (a *api) GetTestSession(c echo.Context, id TestID) error {
	sid, err := pathParam(c, "sid")
	if err != nil {
		return err
	}
	doc, err := find(c, a.Reads.Session, domain.PrefixSession, sid)
	if err != nil {
		return err
	}
	var session struct {
		TestID string `json:"test_id"`
	}
	if err := json.Unmarshal(doc.JSON, &session); err != nil {
		return fmt.Errorf("session %s: %w", sid, err)
	}
	if session.TestID != id {
		return refuse(domain.CodeNotFound, "this test has no such session")
	}
	now := a.Now()
	return sendDocument(c, dailyRevision(doc.Revision, now), doc, a.sessionFields(callOf(c).principal, now))
}

// testState is what the edge itself reads of a test's document.
type testState struct {
	URL      string  `json:"url"`
	Task     string  `json:"task"`
	Status   string  `json:"status"`
	ReportID *string `json:"report_id"`
	// SessionsTotal is how many simulated users the test has.
	SessionsTotal int        `json:"sessions_total"`
	CompletedAt   *time.Time `json:"completed_at"`
	// DurationSeconds is real time, nil until the test has ended.
	DurationSeconds *float64 `json:"duration_seconds"`
}

// stateOf reads a test.
func (a *api) stateOf(c echo.Context, id string) (testState, error) {
	doc, err := find(c, a.Reads.Test, domain.PrefixTest, id)
	if err != nil {
		return testState{}, err
	}
	var state testState
	if err := json.Unmarshal(doc.JSON, &state); err != nil {
		return testState{}, fmt.Errorf("test %s: %w", id, err)
	}
	return state, nil
}

// GetTestReport answers with the report that was made when the test completed.
func (a *api) GetTestReport(c echo.Context, id TestID, params GetTestReportParams) error {
	test, err := a.stateOf(c, id)
	if err != nil {
		return err
	}
	if test.ReportID == nil {
		return refuse(domain.CodeNotFound, "this test has no report; it is %s", test.Status)
	}
	return a.sendReport(c, *test.ReportID, string(params.Format))
}

// CreateReport makes another report of a test.
func (a *api) CreateReport(c echo.Context, id TestID) error {
	if _, err := find(c, a.Reads.Test, domain.PrefixTest, id); err != nil {
		return err
	}
	var request NewReport
	if err := json.Unmarshal(callOf(c).body, &request); err != nil {
		return fmt.Errorf("a body that its schema takes: %w", err)
	}
	return a.once(c, func(ctx context.Context, reportID string, command service.Call) (answer, error) {
		doc, err := a.Commands.GenerateReport(ctx, command, id, reportID, texts(request.Criteria))
		if err != nil {
			return answer{}, err
		}
		now := a.Now()
		return a.created("/reports/"+reportID, dailyRevision(doc.Revision, now), doc, a.reportFields(command.Principal, now))
	})
}
