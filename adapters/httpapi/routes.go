package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/domain"
)

// handlers are the operations of the document by their operationId.
func (a *api) handlers() map[string]echo.HandlerFunc {
	return map[string]echo.HandlerFunc{
		"createTest":           a.CreateTest,
		"listTests":            withQuery(a.ListTests),
		"getTestSession":       withID(a.GetTestSession),
		"getTest":              withBoth(a.GetTest),
		"cancelTest":           withID(a.CancelTest),
		"listTestSessions":     withBoth(a.ListTestSessions),
		"listTestEvents":       withBoth(a.ListTestEvents),
		"getTestReport":        withBoth(a.GetTestReport),
		"createReport":         withID(a.CreateReport),
		"streamTest":           withBoth(a.StreamTest),
		"getSession":           withBoth(a.GetSession),
		"listSessionEvents":    withBoth(a.ListSessionEvents),
		"getTrace":             withID(a.GetTrace),
		"getRecording":         withID(a.GetRecording),
		"listScreenshots":      withBoth(a.ListScreenshots),
		"getArtifact":          withBoth(a.GetArtifact),
		"listReports":          withQuery(a.ListReports),
		"getReport":            withBoth(a.GetReport),
		"createComparison":     a.CreateComparison,
		"listComparisons":      withQuery(a.ListComparisons),
		"getComparison":        withID(a.GetComparison),
		"createPersona":        a.CreatePersona,
		"listPersonas":         withQuery(a.ListPersonas),
		"getPersona":           withID(a.GetPersona),
		"changePersona":        withID(a.ChangePersona),
		"deletePersona":        withID(a.DeletePersona),
		"listPersonaPacks":     withQuery(a.ListPersonaPacks),
		"getPersonaPack":       withID(a.GetPersonaPack),
		"listModels":           a.ListModels,
		"createWebhook":        a.CreateWebhook,
		"listWebhooks":         withQuery(a.ListWebhooks),
		"streamWebhookEvents":  withQuery(a.StreamWebhookEvents),
		"getWebhook":           withBoth(a.GetWebhook),
		"changeWebhook":        withID(a.ChangeWebhook),
		"deleteWebhook":        withID(a.DeleteWebhook),
		"listWebhookEvents":    withBoth(a.ListWebhookEvents),
		"pauseWebhook":         withID(a.PauseWebhook),
		"enableWebhook":        withID(a.EnableWebhook),
		"rotateSecret":         withID(a.RotateSecret),
		"promoteSecret":        withID(a.PromoteSecret),
		"testWebhook":          withID(a.TestWebhook),
		"replayDeliveries":     withID(a.ReplayDeliveries),
		"listDeliveries":       withBoth(a.ListDeliveries),
		"replayDelivery":       withID(a.ReplayDelivery),
		"getDelivery":          withBoth(a.GetDelivery),
		"listDeliveryEvents":   withBoth(a.ListDeliveryEvents),
		"createKey":            a.CreateKey,
		"listKeys":             withQuery(a.ListKeys),
		"getKey":               withID(a.GetKey),
		"changeKey":            withID(a.ChangeKey),
		"revokeKey":            withID(a.RevokeKey),
		"rotateKey":            withID(a.RotateKey),
		"listKeyEvents":        withBoth(a.ListKeyEvents),
		"getMe":                a.GetMe,
		"listMembers":          withQuery(a.ListMembers),
		"listAuditEvents":      withQuery(a.ListAuditEvents),
		"getMember":            withID(a.GetMember),
		"changeMember":         withID(a.ChangeMember),
		"removeMember":         withID(a.RemoveMember),
		"createInvitation":     a.CreateInvitation,
		"listInvitations":      withQuery(a.ListInvitations),
		"revokeInvitation":     withID(a.RevokeInvitation),
		"transferOrganization": a.TransferOrganization,

		"createOAuthClient":       a.CreateOAuthClient,
		"listOAuthClients":        withQuery(a.ListOAuthClients),
		"getOAuthClient":          withID(a.GetOAuthClient),
		"changeOAuthClient":       withID(a.ChangeOAuthClient),
		"deleteOAuthClient":       withID(a.DeleteOAuthClient),
		"rotateOAuthClientSecret": withID(a.RotateOAuthClientSecret),
		"listOAuthGrants":         withQuery(a.ListOAuthGrants),
		"revokeOAuthGrant":        withID(a.RevokeOAuthGrant),

		"getOrganization":     a.GetOrganization,
		"changeOrganization":  a.ChangeOrganization,
		"changePlan":          a.ChangePlan,
		"deleteOrganization":  withQuery(a.DeleteOrganization),
		"listPlans":           a.ListPlans,
		"getUsage":            withQuery(a.GetUsage),
		"getAuditHead":        a.GetAuditHead,
		"getAuditProof":       withQuery(a.GetAuditProof),
		"getAuditConsistency": withQuery(a.GetAuditConsistency),
		"getOpenAPI":          a.GetOpenAPI,
	}
}

// route lets the document's operations be served. It fails when the document
// and the program disagree on which there are.
func (a *api) route(e *echo.Echo) error {
	handlers := a.handlers()
	for route, op := range a.document.operations {
		handler, known := handlers[op.id]
		if !known {
			return fmt.Errorf("OpenAPI document: %s has no handler", op.id)
		}
		delete(handlers, op.id)
		method, path, _ := strings.Cut(route, " ")
		e.Add(method, path, handler)
	}
	for id := range handlers {
		return fmt.Errorf("OpenAPI document: it has no operation %s", id)
	}
	return nil
}

// withID is the handler of a path with an id.
func withID(handle func(c echo.Context, id string) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		id, err := pathParam(c, "id")
		if err != nil {
			return err
		}
		return handle(c, id)
	}
}

// withQuery is the handler of an operation with parameters in its query.
func withQuery[P any](handle func(c echo.Context, params P) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		params, err := queryOf[P](c)
		if err != nil {
			return err
		}
		return handle(c, params)
	}
}

// withBoth is the handler of a path with an id and parameters in the query.
func withBoth[P any](handle func(c echo.Context, id string, params P) error) echo.HandlerFunc {
	return withID(func(c echo.Context, id string) error {
		return withQuery(func(c echo.Context, params P) error { return handle(c, id, params) })(c)
	})
}

// pathParam is a part of the path, decoded.
func pathParam(c echo.Context, name string) (value string, err error) {
	value = c.Param(name)
	if c.Request().URL.RawPath != "" {
		value, err = url.PathUnescape(value)
	}
	if err != nil || value == "" {
		return "", echo.NewHTTPError(http.StatusBadRequest, name+" in the path cannot be read")
	}
	if !keptText(value) {
		return "", refuse(domain.CodeNotFound, "there is nothing with this %s", name)
	}
	return value, nil
}

// queryOf are the parameters that were given, which their schemas take.
func queryOf[P any](c echo.Context) (params P, err error) {
	given := callOf(c).query
	if len(given) == 0 {
		return params, nil
	}
	text, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(text, &params)
	}
	if err != nil { // its schema takes more than Go
		return params, echo.NewHTTPError(http.StatusBadRequest, err.Error())
	}
	return params, nil
}
