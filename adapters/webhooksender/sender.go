// Package webhooksender sends webhook deliveries: it signs them, posts each
// one once, tells how that went, and works off the deliveries that are due.
//
// What an attempt's outcome means (retry, give up, disable the endpoint) is
// decided in domain/delivery and domain/webhook, not here.
package webhooksender

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"
)

const (
	// Timeout is how long a receiver may take for its answer, from the begin
	// of the connection to the end of what is read of the body.
	// Source: the interface specification, "Webhook deliveries".
	Timeout = 10 * time.Second
	// maxResponse is how much of an answer is kept, in bytes.
	// Source: the interface decisions, "Webhooks" (first 4 KiB).
	maxResponse = 4 << 10
	// maxDrain is how much more of an answer is read to use the connection
	// again, in bytes. Past it, a new connection is cheaper.
	maxDrain = 64 << 10
	// maxHeader bounds the headers of an answer, in bytes.
	maxHeader = 64 << 10
	// userAgent names the sender.
	userAgent = "Understudy-Webhooks/1"
)

// DialFunc connects to a receiver. The egress policy is enforced in it, on the
// address that is really connected to; a refusal is a *domain.Error with
// domain.CodeTargetNotAllowed somewhere in the error's chain.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Sender posts deliveries. It is safe for concurrent use and keeps
// connections to receivers open between deliveries.
type Sender struct {
	// Timeout bounds a whole exchange; New sets it to the constant of the
	// same name.
	Timeout time.Duration

	client *http.Client
}

// New makes a Sender whose every connection is made by dial.
func New(dial DialFunc) *Sender { return newSender(dial, Timeout) }

func newSender(dial DialFunc, timeout time.Duration) *Sender {
	return &Sender{
		Timeout: timeout,
		client: &http.Client{
			// HTTP/1.1 only: one stuck connection then holds up one delivery.
			Transport: &http.Transport{
				DialContext: dial,
				// A handshake goes on when its exchange has ended, for the next
				// one to use: without a bound of its own a receiver that stays
				// silent would keep the connection for good.
				TLSHandshakeTimeout:    timeout,
				DisableCompression:     true,
				MaxIdleConns:           512,
				MaxIdleConnsPerHost:    defaultConcurrency, // many endpoints can be of one host
				IdleConnTimeout:        90 * time.Second,
				MaxResponseHeaderBytes: maxHeader,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Secrets are the keys that a delivery is signed with.
type Secrets struct {
	// Current is the endpoint's secret.
	Current string
	// Previous is the secret that a rotation is replacing, "" when none is
	// under way. While it is set, X-Service-Signature is made with it and
	// webhook-signature with both.
	Previous string
}

// Request is one attempt of a delivery.
type Request struct {
	URL        string
	Body       []byte // sent as it is
	Secrets    Secrets
	Event      string // public name, such as test.completed
	DeliveryID string // the same on every attempt
	// MessageID is the id of the message, the same for a delivery and its
	// replays; "" is DeliveryID.
	MessageID string
	Attempt   int // from 1
	At        time.Time
}

// Outcome tells how an attempt went.
type Outcome struct {
	// StatusCode is the answer's status, 0 when there was none.
	StatusCode int
	// Error is the class of failure: one of the Class constants or status_NNN;
	// "" when OK.
	Error string
	// Latency is how long the exchange took.
	Latency time.Duration
	// Response is the begin of the answer's body, at most 4 KiB.
	Response []byte
	// OK reports that the receiver answered with a 2xx status in time.
	OK bool
}

// ResponseText is Response as text that JSON and Postgres can hold: what is
// not UTF-8, and zero bytes, are replaced by U+FFFD.
func (o Outcome) ResponseText() string {
	valid := strings.ToValidUTF8(string(o.Response), "\uFFFD")
	return strings.ReplaceAll(valid, "\x00", "\uFFFD")
}

// Send makes one attempt. It follows no redirect, and sends again only when a
// kept connection ends before any answer. It returns after at most s.Timeout.
func (s *Sender) Send(ctx context.Context, r Request) Outcome {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	out := s.exchange(ctx, r)
	out.Latency = time.Since(begin)
	return out
}

func (s *Sender) exchange(ctx context.Context, r Request) Outcome {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil || (req.URL.Scheme != "http" && req.URL.Scheme != "https") || req.URL.Host == "" {
		return Outcome{Error: ClassInvalidURL}
	}
	setHeaders(req.Header, r)
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(req.Header)) // receivers can go on with the trace
	res, err := s.client.Do(req)
	if err != nil {
		return Outcome{Error: class(err)}
	}
	defer res.Body.Close()
	out := Outcome{StatusCode: res.StatusCode}
	// The status has come in time: a body that breaks off changes nothing.
	out.Response, _ = io.ReadAll(io.LimitReader(res.Body, maxResponse))
	_, _ = io.CopyN(io.Discard, res.Body, maxDrain)
	if res.StatusCode < 200 || res.StatusCode > 299 {
		out.Error = "status_" + strconv.Itoa(res.StatusCode)
		return out
	}
	out.OK = true
	return out
}

// setHeaders writes what every delivery carries. The Standard Webhooks trio
// keeps the lower case in which its specification writes it.
func setHeaders(h http.Header, r Request) {
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", userAgent)
	h.Set("X-Service-Event", r.Event)
	h.Set("X-Service-Delivery", r.DeliveryID)
	h.Set("X-Service-Attempt", strconv.Itoa(r.Attempt))

	message := cmp.Or(r.MessageID, r.DeliveryID)
	service := r.Secrets.Current
	standard := SignStandard(r.Secrets.Current, message, r.At, r.Body)
	if r.Secrets.Previous != "" {
		service = r.Secrets.Previous
		standard += " " + SignStandard(r.Secrets.Previous, message, r.At, r.Body)
	}
	h.Set("X-Service-Signature", SignService(service, r.Body))
	h["webhook-id"] = []string{message}
	h["webhook-timestamp"] = []string{strconv.FormatInt(r.At.Unix(), 10)}
	h["webhook-signature"] = []string{standard}

	// Never sent: it tells net/http to use a new connection when a kept one
	// turns out closed by the receiver. Else that would count as a failure.
	h["Idempotency-Key"] = nil
}
