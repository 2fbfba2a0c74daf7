package httpapi

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"understudy/domain/account"
)

// Deps is everything the interface needs. All fields are required unless they
// say otherwise.
type Deps struct {
	// Links makes the addresses in answers; its signer signs cursors as well.
	Links  *Links
	Logger *slog.Logger
	// Now tells the time.
	Now func() time.Time
	// TrustedProxies may set X-Forwarded-For; none when empty.
	TrustedProxies []*net.IPNet
	// Unavailable reports that an error means a dependency is down (503 rather
	// than 500). Optional: domain.CodeUnavailable and an exceeded deadline
	// always do.
	Unavailable func(error) bool

	Auth   Authenticator
	Rates  RateWindows
	Limits Limits
	// Plans are the limits of every plan.
	Plans    account.Plans
	Requests Requests
	Sealer   Sealer

	Commands  Commands
	Reads     Reads
	Histories Histories
	Models    Models
	People    People
	Artifacts Artifacts
	Stream    Stream
	Audit     Audit
	// Contract is the document that the routes are built from. Optional: without it
	// New reads it.
	Contract *Contract
	// Printer makes PDFs; without one, asking for them is answered with 503.
	Printer Printer

	Readiness Readiness
	// Measure is told of every answer but streams and files; method and route are of few
	// different values. Optional.
	Measure func(method, route string, status int, took time.Duration)
	// Metrics serves /metrics, to operators.
	Metrics http.Handler
	// Pages are those of other front doors, which are named, counted and logged like
	// the rest. Optional.
	Pages *http.ServeMux
	// Visitors open pages without a token, and serve what pages load. Optional.
	Visitors Visitors
	// Operator tells operators from others. Optional: without it all are.
	Operator func(*http.Request) bool
}

// api serves the operations of the document.
type api struct {
	Deps
	document *document
	links    *Links
	signer   *Signer
	// routes are those of the router as the document writes them.
	routes map[string]string
	// secure is in every answer.
	secure   http.Header
	pageSize int
	running  running
	// drawing has a seat for every screenshot that may be drawn on at once.
	drawing chan struct{}
}

// New serves /v1, /healthz, /readyz, /metrics and the pages of reports
// and sessions under /reports and /sessions. It fails when the OpenAPI document and the program disagree.
func New(deps Deps) (http.Handler, error) {
	if deps.Contract == nil {
		var err error
		if deps.Contract, err = NewContract(deps.Links); err != nil {
			return nil, err
		}
	}
	doc := deps.Contract.document
	limit, ok := doc.schemaAt(documentName + "#/components/parameters/Limit/schema")["default"].(float64)
	if !ok {
		return nil, fmt.Errorf("OpenAPI document: the parameter Limit has no default")
	}
	a := &api{Deps: deps, document: doc, links: deps.Links, signer: deps.Links.signer, pageSize: int(limit), routes: map[string]string{}, secure: secureHeaders(deps.Links.base), drawing: make(chan struct{}, annotateAtOnce)}
	e := echo.New()
	e.IPExtractor = AddressOf(deps.TrustedProxies)
	e.HTTPErrorHandler = a.answerError
	e.Use(a.observe, a.guard, a.elsewhere)
	if err := a.route(e); err != nil {
		return nil, err
	}
	e.GET("/healthz", a.healthz)
	e.GET("/readyz", a.readyz)
	e.GET("/metrics", a.metrics)
	e.GET("/reports/:id", a.reportPage)
	e.GET("/sessions/:id", a.sessionPage)
	e.GET("/comparisons/:id", a.comparisonPage)
	for _, r := range e.Routes() {
		a.routes[r.Path] = templated(r.Path)
	}
	return headAsGet(e), nil
}
