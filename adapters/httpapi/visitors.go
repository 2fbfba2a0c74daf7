package httpapi

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/access"
)

// Visitors are people who have signed in with a browser, as another front door knows
// them.
type Visitors interface {
	// SignedIn is who is signed in on a request; service.ErrUnauthenticated for nobody.
	SignedIn(r *http.Request) (service.Principal, error)
	// SignInURL is where people sign in, and from where they come back to a path.
	SignInURL(back string) string
	// Frame is what stands around a page of theirs: what its head links, and what
	// comes before and after its content.
	Frame(who service.Principal, path string) (links, before, after template.HTML, err error)
	// Asset is the address of a script or style that pages load.
	Asset(name string) string
}

// surround is what stands around a page: nothing where it is opened by its token, or is
// a file.
type surround struct {
	Links, Before, After template.HTML
	// Styles and Scripts are the addresses of the page's own; Goes: one of the scripts asks
	// for what is new.
	Styles, Scripts []string
	Goes            bool
}

// whileGoing is the script that keeps the page of something new that goes on.
const whileGoing = "going.js"

// loading is a page that loads the style of all and what else it names.
func (a *api) loading(names ...string) (f surround) {
	if a.Visitors == nil {
		return f
	}
	for _, name := range append([]string{lookStyle}, names...) {
		if at := a.Visitors.Asset(name); strings.HasSuffix(name, ".css") {
			f.Styles = append(f.Styles, at)
		} else {
			f.Scripts, f.Goes = append(f.Scripts, at), f.Goes || name == whileGoing
		}
	}
	return f
}

// around is what stands around the page that is asked for, which loads assets of its own.
func (a *api) around(c echo.Context, names ...string) (f surround, err error) {
	f = a.loading(names...)
	if who := callOf(c).principal; who.SignedIn {
		f.Links, f.Before, f.After, err = a.Visitors.Frame(who, c.Request().URL.Path)
	}
	return f, err
}

// policy is the page's Content-Security-Policy: it runs and looks like what this service
// has as a file, asks this service only, and shows pictures and films of it only.
func (f surround) policy(origin string) string {
	policy := "default-src 'none'; style-src 'self'; img-src 'self' " + origin + "; media-src 'self' " + origin
	if len(f.Scripts) > 0 || f.Links != "" {
		policy += "; script-src 'self'"
	}
	if f.Goes || f.Links != "" {
		policy += "; connect-src 'self'"
	}
	return policy + "; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// withoutToken is until when pages open that need nothing in their address: those that
// somebody opens who has signed in.
const withoutToken = 0

// sentOn is the answer to who has to look elsewhere first.
type sentOn struct{ to string }

func (s *sentOn) Error() string { return "sent on to " + s.to }

// admitVisitor lets somebody through who has signed in, with the environment in which
// there is what they ask for.
func (a *api) admitVisitor(c echo.Context, page pageKind, scope string) (service.Principal, error) {
	who, err := a.Visitors.SignedIn(c.Request())
	if errors.Is(err, service.ErrUnauthenticated) {
		if wantsPage(c) {
			return who, &sentOn{a.Visitors.SignInURL(c.Request().URL.RequestURI())}
		}
		return who, errNoCredential
	}
	if err != nil {
		return who, err
	}
	if !access.Allows(who.Scopes, scope) {
		return who, refuse(domain.CodeForbidden, "your role in the organization does not permit this")
	}
	for _, env := range []domain.Environment{who.Environment, domain.Live, domain.Sandbox} {
		there := who
		there.Environment = env
		if err := page.has(a, c.Request().Context(), there, c.Param("id")); domain.CodeOf(err) != domain.CodeNotFound {
			return there, err
		}
	}
	return who, nil // which finds nothing
}

// pageKind is a kind of page: what its refusals call it, where its address stands, and
// whether there is one for somebody.
type pageKind struct {
	noun, from string
	has        func(a *api, ctx context.Context, p service.Principal, id string) error
}

// pagesOf are the kinds by what their tokens are for.
var pagesOf = map[string]pageKind{
	forReport: {"report", "take its report_url", func(a *api, ctx context.Context, p service.Principal, id string) error {
		_, err := a.Reads.Report(ctx, p, id)
		return err
	}},
	forSession: {"session", "take its links.page", func(a *api, ctx context.Context, p service.Principal, id string) error {
		_, err := a.Reads.Session(ctx, p, id)
		return err
	}},
	forComparison: {"comparison", "take its comparison_url", func(a *api, ctx context.Context, p service.Principal, id string) error {
		_, err := a.Reads.Comparison(ctx, p, id)
		return err
	}},
}
