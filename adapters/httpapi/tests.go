package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/gate"
	"understudy/domain/testrun"
	"understudy/projections"
	"understudy/projections/sessions"
	"understudy/projections/tests"
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
		body, etag, err := a.testAnswer(command.Principal, doc)
		return a.created("/tests/"+id, etag, body), err
	})
}

// asked is the test that a body asks for.
func (in NewTest) asked() service.NewTest {
	out := service.NewTest{
		Wish: testrun.Wish{
			Name: in.Name, URL: in.URL, Task: in.Task, Sessions: in.Sessions, Model: in.Model,
			Personas: testrun.Personas{Source: string(in.Personas.Source), PackID: in.Personas.PackID, PersonaIDs: in.Personas.PersonaIds},
			Criteria: texts(in.Criteria), Viewports: texts(in.Viewport), MaxSteps: in.MaxSteps, Locale: in.Locale,
			Replays: string(in.Replays), Metadata: in.Metadata, InputsOrigins: in.InputsOrigins, PrivateOrigins: in.PrivateOrigins,
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
func (a *api) created(path, etag string, body []byte) answer {
	return answer{
		status:  http.StatusCreated,
		headers: map[string]string{"Location": a.links.APIURL(path), "ETag": etag},
		body:    body,
	}
}

// ListTests lists tests.
func (a *api) ListTests(c echo.Context, params ListTestsParams) error {
	q := service.Query{Status: string(params.Status), Name: params.Name, CreatedAfter: params.CreatedAfter, CreatedBefore: params.CreatedBefore}
	return list(a, c, a.Reads.Tests, q, params.Limit, params.Cursor, a.shownTest(callOf(c).principal))
}

// find reads a document, or refuses an id that cannot be one.
func find[T any](c echo.Context, from getter[T], prefix, id string) (projections.Document[T], error) {
	if !domain.ValidID(prefix, id) {
		return projections.Document[T]{}, refuse(domain.CodeNotFound, "there is nothing with this id")
	}
	return from(c.Request().Context(), callOf(c).principal, id)
}

// GetTest answers with a test, as it is or was.
func (a *api) GetTest(c echo.Context, id TestID, params GetTestParams) error {
	doc, err := found(a, c, a.Reads.Test, a.Histories.TestAsOf, domain.PrefixTest, id, params.At)
	if err != nil {
		return err
	}
	body, etag, err := a.testAnswer(callOf(c).principal, doc)
	if err != nil {
		return err
	}
	return send(c, etag, body)
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
	body, etag, err := a.testAnswer(call.principal, doc)
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", etag)
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// ListTestSessions lists a test's sessions.
func (a *api) ListTestSessions(c echo.Context, id TestID, params ListTestSessionsParams) error {
	if _, err := find(c, a.Reads.Test, domain.PrefixTest, id); err != nil {
		return err
	}
	q := service.Query{TestID: id, Status: string(params.Status), Ascending: string(params.Order) == string(OrderAsc)}
	return list(a, c, a.Reads.Sessions, q, params.Limit, params.Cursor, a.shownSession(callOf(c).principal, a.Now(), nil))
}

// GetTestSession answers with a session of a test.
func (a *api) GetTestSession(c echo.Context, id TestID) error {
	sid, err := pathParam(c, "sid")
	if err != nil {
		return err
	}
	doc, err := find(c, func(ctx context.Context, p service.Principal, sid string) (projections.Document[sessions.Document], error) {
		return a.Reads.SessionOf(ctx, p, id, sid)
	}, domain.PrefixSession, sid)
	if err != nil {
		return err
	}
	session, err := doc.Decode()
	if err != nil {
		return err
	}
	if session.TestID != id {
		return refuse(domain.CodeNotFound, "this test has no such session")
	}
	now := a.Now()
	return sendDocument(c, dailyRevision(doc.Revision, now), doc, a.shownSession(callOf(c).principal, now, nil))
}

// stateOf reads a test.
func (a *api) stateOf(c echo.Context, id string) (tests.Document, error) {
	doc, err := find(c, a.Reads.Test, domain.PrefixTest, id)
	if err != nil {
		return tests.Document{}, err
	}
	return doc.Decode()
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
	return a.sendReport(c, *test.ReportID, string(params.Format), pageExpiry(a.Now()))
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
		body, err := with(a.shownReport(command.Principal, now, pageExpiry(now)))(doc)
		return a.created("/reports/"+reportID, dailyRevision(doc.Revision, now), body), err
	})
}
