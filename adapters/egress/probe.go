package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

const (
	// probeTimeout bounds a whole probe, redirects included.
	probeTimeout = 15 * time.Second
	// probeBody is how much of the page the probe reads, in bytes: what a
	// browser looks at to guess a missing content type.
	probeBody = 512
	// titleWithin is how much of the page is searched for its title, in bytes, and
	// maxTitle how much of that is told, in characters.
	titleWithin = 64 << 10
	maxTitle    = 200
	// probeAgent names a browser, because many sites answer programs with
	// something else than they answer people.
	probeAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
)

// The codes of Unreachable beside the classes of failed connections.
const (
	CodeRedirectLoop = "redirect_loop" // more than 10 redirects
	CodeBadRedirect  = "bad_redirect"  // a redirect to what is no web address
	CodeNotHTML      = "not_html"      // something else than a page
	CodeHTTPError    = "http_error"    // a 4xx or 5xx status in place of the page
	CodeInvalidURL   = "invalid_url"   // not an address at all
)

// Unreachable says why a target cannot be tested.
type Unreachable struct {
	// Code is one of the Class and Code constants.
	Code string
	// Message is for people and holds no secrets.
	Message string
	// Status is the HTTP status of the answer, 0 when there was none.
	Status int

	cause error
}

func (u *Unreachable) Error() string { return "target unreachable: " + u.Code + ": " + u.Message }

// Unwrap returns the error that the request failed with, if any.
func (u *Unreachable) Unwrap() error { return u.cause }

// Probe finds out whether raw answers with a page that a browser would show, to a
// session that may also reach the private origins. It returns nil, an *Unreachable,
// or an error of ctx when that ended first.
//
// It takes at most 15 s and 10 redirects, each of them under the policy.
// 401, 403 and 429 pass whatever they carry: sites say that to programs they
// do not know and let browsers in.
func (p *Policy) Probe(ctx context.Context, raw string, private ...string) error {
	return p.visit(ctx, raw, private, func(*http.Response, io.Reader) {})
}

// Page is what is told of a page that answers.
type Page struct {
	// Title is its own, "" where it says none at its beginning, URL where it is after
	// all redirects.
	Title, URL string
	// Status is the HTTP status of the answer.
	Status int
}

// Look is Probe, and tells of the page that was found.
func (p *Policy) Look(ctx context.Context, raw string, private ...string) (page Page, err error) {
	err = p.visit(ctx, raw, private, func(res *http.Response, body io.Reader) {
		page = Page{URL: res.Request.URL.String(), Title: titleOf(body, res.Header.Get("Content-Type")), Status: res.StatusCode}
	})
	return page, err
}

// visit probes, and lets what comes next see a page that was found.
func (p *Policy) visit(ctx context.Context, raw string, private []string, found func(*http.Response, io.Reader)) error {
	target, _, err := parseTarget(raw)
	if err != nil {
		return &Unreachable{Code: CodeInvalidURL, Message: err.Error()}
	}
	target.Fragment, target.RawFragment = "", ""
	bounded, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(bounded, http.MethodGet, target.String(), nil)
	if err != nil {
		return &Unreachable{Code: CodeInvalidURL, Message: "the URL is malformed", cause: err}
	}
	req.Header.Set("User-Agent", probeAgent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	req.Header.Set("Accept-Language", "en-US,en;q=0.9")

	client := p.Reach(bounded, slices.Concat(private, []string{raw})...).client()
	defer client.CloseIdleConnections()
	// Sites that set a cookie and redirect to themselves loop without one.
	if client.Jar, err = cookiejar.New(nil); err != nil {
		return fmt.Errorf("cookie jar: %w", err)
	}
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("probe: %w", ctx.Err())
		}
		return unreachable(err)
	}
	defer res.Body.Close()
	start := bufio.NewReaderSize(io.LimitReader(res.Body, titleWithin), probeBody)
	if err := judge(res, start); err != nil {
		return err
	}
	found(res, start)
	return nil
}

// unreachable explains an error of the request.
func unreachable(err error) *Unreachable {
	u := &Unreachable{Code: Class(err), cause: err}
	switch {
	case errors.Is(err, errRedirects):
		u.Code, u.Message = CodeRedirectLoop, fmt.Sprintf("the page redirects more than %d times", maxRedirects)
		return u
	case errors.Is(err, errBadRedirect):
		u.Code, u.Message = CodeBadRedirect, "the page redirects to something that is not a web address"
		return u
	}
	switch u.Code {
	case ClassBlocked:
		u.Message = "the target or a redirect leads to an address that this installation does not connect to"
	case ClassUnlisted:
		u.Message = "the target leads to " + originOf(err) + ", a private address that the test does not name: if it may be reached, list it in private_origins"
	case ClassDNS:
		u.Message = "the host name does not resolve"
	case ClassRefused:
		u.Message = "the host refuses the connection"
	case ClassTimeout:
		u.Message = "the target does not answer in time"
	case ClassTLS:
		u.Message = "no trusted TLS connection to the target is possible"
	default:
		u.Message = "the connection to the target failed"
	}
	return u
}

// originOf is where a client's request failed.
func originOf(err error) string {
	var failed *url.Error
	if !errors.As(err, &failed) {
		return "another host"
	}
	u, err := url.Parse(failed.URL)
	if err != nil {
		return "another host"
	}
	return u.Scheme + "://" + u.Host
}

// judge tells whether an answer is a page; body is what is read of it.
func judge(res *http.Response, body *bufio.Reader) error {
	switch status := res.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return nil
	case status == http.StatusNoContent, status == http.StatusResetContent:
		return &Unreachable{Code: CodeNotHTML, Status: status, Message: fmt.Sprintf("the target answers %d, which shows no page", status)}
	case status < 200 || status > 299:
		return &Unreachable{Code: CodeHTTPError, Status: status, Message: fmt.Sprintf("the target answers with status %d", status)}
	}
	if disposition, _, err := mime.ParseMediaType(res.Header.Get("Content-Disposition")); err == nil && disposition == "attachment" {
		return &Unreachable{Code: CodeNotHTML, Status: res.StatusCode, Message: "the target is a download"}
	}
	declared := res.Header.Get("Content-Type")
	if declared == "" {
		start, err := body.Peek(probeBody)
		if err != nil && !errors.Is(err, io.EOF) {
			return unreachable(err)
		}
		declared = http.DetectContentType(start)
	}
	// As browsers do, whatever the parameters after it look like.
	media, _, _ := strings.Cut(declared, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	if media != "text/html" && media != "application/xhtml+xml" {
		return &Unreachable{Code: CodeNotHTML, Status: res.StatusCode, Message: "the target is not an HTML page but " + media}
	}
	return nil
}

// titleOf is the title that a page begins with, on one line, "" for none.
func titleOf(page io.Reader, contentType string) string {
	text, err := charset.NewReader(page, contentType)
	if err != nil {
		return ""
	}
	z := html.NewTokenizer(text)
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		name, _ := z.TagName()
		if kind == html.StartTagToken && string(name) == "title" && z.Next() == html.TextToken {
			title := []rune(strings.Join(strings.Fields(string(z.Text())), " "))
			return string(title[:min(len(title), maxTitle)])
		}
	}
	return ""
}
