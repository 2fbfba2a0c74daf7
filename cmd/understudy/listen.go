package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/spf13/cobra"

	"understudy/adapters/streamhub"
	"understudy/adapters/webhooksender"
	"understudy/domain"
	"understudy/domain/webhook"
)

const (
	// connectLimit bounds one try to connect.
	connectLimit = 15 * time.Second
	// firstRetry and lastRetry bound the pauses between tries, which double.
	firstRetry, lastRetry = 250 * time.Millisecond, 5 * time.Second
	// silenceLimit is how long nothing may come, not even a ping, which the
	// service sends every 20 s.
	silenceLimit = 45 * time.Second
	// waitingEvents is how many events may wait for a slow receiver before no
	// more are read.
	waitingEvents = 1024
	// largestEvent bounds a message, in bytes; bodies are a few KB.
	largestEvent = 4 << 20
)

func webhooksCommand() *cobra.Command {
	command := &cobra.Command{Use: "webhooks", Short: "Work on webhook receivers"}
	command.AddCommand(listenCommand(), verifyCommand())
	return command
}

// listenSettings are the flags of the listen command.
type listenSettings struct {
	forwardTo, url string
	events         []string
	keyFile        string
	secretFile     string
	environment    string
	after          int64
}

func listenCommand() *cobra.Command {
	var s listenSettings
	command := &cobra.Command{
		Use:   "listen --forward-to URL",
		Short: "Forward webhook events to a receiver on this machine",
		Long: `Receive the webhook events of a running service and post each to a receiver
on this machine, with the body, headers and signatures of a delivery. Nothing
has to be registered, and the service need not reach the receiver. Runs until
Ctrl-C; a lost connection is made again and nothing is left out. Unlike a
delivery, an event is posted once, whatever the answer.

The API key (scope admin) comes from --key-file or UNDERSTUDY_API_KEY; without
either, and without --url, from keys.json in UNDERSTUDY_DATA_DIR (./data).
Events are signed with the secret from --secret-file or
UNDERSTUDY_WEBHOOK_SECRET; without either with a new one, which is printed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := s.listener(os.Getenv)
			if err != nil {
				return err
			}
			l.out = cmd.OutOrStdout()
			return l.run(cmd.Context())
		},
	}
	flags := command.Flags()
	flags.StringVar(&s.forwardTo, "forward-to", "", "address to post events to")
	flags.StringSliceVar(&s.events, "events", nil, "events to forward; all when left out: "+strings.Join(webhook.Names, ", "))
	flags.StringVar(&s.url, "url", "", "the service's base URL, ending in /v1 (default that of UNDERSTUDY_LISTEN)")
	flags.StringVar(&s.keyFile, "key-file", "", "file that holds the API key")
	flags.StringVar(&s.secretFile, "secret-file", "", "file that holds the secret to sign with")
	flags.StringVar(&s.environment, "environment", string(domain.Live), "which key of keys.json to use: live or test")
	flags.Int64Var(&s.after, "after", -1, "forward the events after this position first, 0 for all there ever were")
	return command
}

// listener forwards events.
type listener struct {
	stream   *url.URL // of the service
	key      string
	events   []string
	receiver string
	secret   string
	made     bool // the secret, by this run
	position *uint64
	out      io.Writer
}

func (s listenSettings) listener(getenv func(string) string) (*listener, error) {
	to, err := url.Parse(s.forwardTo)
	if err != nil || (to.Scheme != "http" && to.Scheme != "https") || to.Host == "" {
		return nil, fmt.Errorf("--forward-to: %q is not an http or https address", s.forwardTo)
	}
	l := &listener{receiver: s.forwardTo, events: s.events}
	for _, name := range s.events {
		if !slices.Contains(webhook.Names, name) {
			return nil, fmt.Errorf("--events: %q is none of %s", name, strings.Join(webhook.Names, ", "))
		}
	}
	if s.after >= 0 {
		l.position = new(uint64)
		*l.position = uint64(s.after)
	}
	base := s.url
	if base == "" {
		listen := getenv("UNDERSTUDY_LISTEN")
		if listen == "" {
			listen = defaultListen
		}
		base = "http://" + dialable(listen) + "/v1"
	}
	if l.stream, err = url.Parse(base); err != nil || (l.stream.Scheme != "http" && l.stream.Scheme != "https") || l.stream.Host == "" {
		return nil, fmt.Errorf("--url: %q is not an http or https address", base)
	}
	l.stream = l.stream.JoinPath("webhooks", "stream")
	if l.key, err = s.key(getenv); err != nil {
		return nil, err
	}
	l.secret, err = secret(getenv("UNDERSTUDY_WEBHOOK_SECRET"), s.secretFile)
	if err != nil {
		return nil, fmt.Errorf("--secret-file, UNDERSTUDY_WEBHOOK_SECRET: %w", err)
	}
	if l.made = l.secret == ""; l.made {
		l.secret = webhooksender.GenerateSecret()
	}
	return l, nil
}

// key is the API key to listen with. The local one never goes to a service
// that was named by --url.
func (s listenSettings) key(getenv func(string) string) (string, error) {
	key, err := secret(getenv("UNDERSTUDY_API_KEY"), s.keyFile)
	if err != nil {
		return "", fmt.Errorf("--key-file, UNDERSTUDY_API_KEY: %w", err)
	}
	if key != "" {
		return key, nil
	}
	if s.url != "" {
		return "", errors.New("--key-file or UNDERSTUDY_API_KEY is missing: the key for the service at --url")
	}
	dir := getenv("UNDERSTUDY_DATA_DIR")
	if dir == "" {
		dir = defaultDataDir
	}
	raw, err := os.ReadFile(filepath.Join(dir, keysFile))
	if err != nil {
		return "", fmt.Errorf("no API key in --key-file, UNDERSTUDY_API_KEY or the data directory: %w", err)
	}
	var keys credentials
	if err := json.Unmarshal(raw, &keys); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(dir, keysFile), err)
	}
	switch domain.Environment(s.environment) {
	case domain.Live:
		return keys.Live, nil
	case domain.Sandbox:
		return keys.Test, nil
	}
	return "", fmt.Errorf("--environment: %q is neither %s nor %s", s.environment, domain.Live, domain.Sandbox)
}

// run forwards until ctx ends or the service refuses for good.
func (l *listener) run(ctx context.Context) error {
	if l.made {
		fmt.Fprintf(l.out, "signing secret of this run: %s\n", l.secret)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, failed := make(chan streamhub.Event, waitingEvents), make(chan error, 1)
	go func() { failed <- l.receive(ctx, events) }()
	sender := webhooksender.New((&net.Dialer{Timeout: webhooksender.Timeout}).DialContext)
	for {
		select {
		case e := <-events:
			l.forward(ctx, sender, e)
		case err := <-failed:
			if ctx.Err() != nil {
				return nil //nolint:nilerr // asked to stop
			}
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

func (l *listener) forward(ctx context.Context, sender *webhooksender.Sender, e streamhub.Event) {
	at := time.Now()
	answer := sender.Send(ctx, webhooksender.Request{
		URL: l.receiver, Body: []byte(e.Body), Secrets: webhooksender.Secrets{Current: l.secret},
		Event: e.Name, DeliveryID: e.ID, Attempt: 1, At: at,
	})
	if ctx.Err() != nil {
		return
	}
	said := fmt.Sprint(answer.StatusCode)
	if answer.StatusCode == 0 {
		said = "no answer: " + answer.Error
	}
	fmt.Fprintf(l.out, "%s  %-19s  %s  %s  %d ms\n", at.Format(time.TimeOnly), e.Name, e.TestID, said, answer.Latency.Milliseconds())
}

// receive reads events into the channel and connects again when it must. It
// returns when ctx ends or the service refuses for good.
func (l *listener) receive(ctx context.Context, events chan<- streamhub.Event) error {
	pause, told := firstRetry, false
	for {
		err := l.connected(ctx, events, func() {
			fmt.Fprintf(l.out, "listening at %s, forwarding to %s\n", l.stream, l.receiver)
			pause, told = firstRetry, false
		})
		if refusal := (*refusedError)(nil); errors.As(err, &refusal) || ctx.Err() != nil {
			return err
		}
		if !told {
			told = true
			fmt.Fprintf(l.out, "no connection (%v); trying again\n", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause = min(2*pause, lastRetry)
	}
}

// refusedError is an answer that trying again would not change.
type refusedError struct{ status, detail string }

func (e *refusedError) Error() string { return "the service refuses: " + e.status + " " + e.detail }

// connected reads from one connection until it ends; ready is called once
// events can come.
func (l *listener) connected(ctx context.Context, events chan<- streamhub.Event, ready func()) error {
	address := *l.stream
	if l.position != nil {
		address.RawQuery = fmt.Sprintf("after=%d", *l.position)
	}
	dial, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	heard := make(chan struct{}, 1)
	conn, res, err := websocket.Dial(dial, address.String(), &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		HTTPHeader:     http.Header{"Authorization": {"Bearer " + l.key}},
		OnPingReceived: func(context.Context, []byte) bool { nudge(heard); return true },
	})
	if err != nil {
		return dialFault(res, err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(largestEvent)
	reading, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go endSilence(reading, stop, heard)
	for {
		_, raw, err := conn.Read(reading)
		if err != nil {
			return errors.Join(context.Cause(reading), err)
		}
		nudge(heard)
		var m struct {
			Type string
			streamhub.Event
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return fmt.Errorf("not a message: %w", err)
		}
		switch {
		case m.Type == "ready":
			ready()
		case len(l.events) == 0 || slices.Contains(l.events, m.Name):
			select {
			case events <- m.Event:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		l.position = &m.Position
	}
}

// dialFault tells a refusal for good from one for now.
func dialFault(res *http.Response, err error) error {
	if res == nil || res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= http.StatusInternalServerError {
		return err
	}
	var p struct{ Detail string }
	if json.NewDecoder(res.Body).Decode(&p) != nil {
		p.Detail = "which is no answer of an interface of Understudy; its address ends in /v1"
	}
	return &refusedError{res.Status, p.Detail}
}

func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is signalled
	}
}

// endSilence ends a connection on which nothing comes any more.
func endSilence(ctx context.Context, stop context.CancelCauseFunc, heard <-chan struct{}) {
	for {
		select {
		case <-heard:
		case <-time.After(silenceLimit):
			stop(fmt.Errorf("nothing came for %s", silenceLimit))
			return
		case <-ctx.Done():
			return
		}
	}
}
