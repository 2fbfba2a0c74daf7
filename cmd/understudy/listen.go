package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/adapters/cli"
	"understudy/adapters/client"
	"understudy/adapters/webhooksender"
	"understudy/domain/webhook"
)

// waitingEvents is how many events may wait for a slow receiver before no more
// are read.
const waitingEvents = 1024

func webhooksCommand() *cobra.Command {
	command := &cobra.Command{Use: "webhooks", Short: "Work on webhook receivers"}
	command.AddCommand(listenCommand(), verifyCommand())
	return command
}

// listenSettings are the flags of the listen command.
type listenSettings struct {
	cli.Server
	forwardTo  string
	events     []string
	secretFile string
	after      int64
}

func listenCommand() *cobra.Command {
	var s listenSettings
	command := &cobra.Command{
		Use:   "listen --forward URL",
		Short: "Forward webhook events to a receiver on this machine",
		Long: `Receive the webhook events of a running service and post each to a receiver
on this machine, with the body, headers and signatures of a delivery. Nothing
has to be registered, and the service need not reach the receiver. Runs until
Ctrl-C; a lost connection is made again and nothing is left out. What is replayed
to an endpoint, and its pings, come too. Unlike a delivery, an event is posted
once, whatever the answer.

The service, and the API key of scope admin, are found as for the other commands:
--server and --key-file, understudy login, or what runs on UNDERSTUDY_DATA_DIR
(./data), of which --sandbox takes the sandbox key. Events are signed with the secret from --secret-file or
UNDERSTUDY_WEBHOOK_SECRET; without either with a new one, which is printed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := s.listener(os.Getenv)
			if err != nil {
				return &cli.ExitError{Status: cli.ExitUsage, Err: err}
			}
			l.out = cmd.OutOrStdout()
			if l.service, err = s.Connect(cmd.Context(), frontDoor(), io.Discard); err != nil {
				return err
			}
			return l.run(cmd.Context())
		},
	}
	s.Flags(command)
	flags := command.Flags()
	flags.StringVar(&s.forwardTo, "forward", "", "address to post events to")
	flags.StringSliceVar(&s.events, "events", nil, "events to forward; all when left out: "+strings.Join(webhook.Names, ", "))
	flags.StringVar(&s.secretFile, "secret-file", "", "file that holds the secret to sign with")
	flags.Int64Var(&s.after, "after", -1, "forward the events after this position first, 0 for all there ever were")
	return command
}

// listener forwards events.
type listener struct {
	service  *client.Client
	events   []string
	receiver string
	secret   string
	made     bool   // the secret, by this run
	after    *int64 // the position to begin at; nil: from now on
	out      io.Writer
}

func (s listenSettings) listener(getenv func(string) string) (*listener, error) {
	to, err := url.Parse(s.forwardTo)
	if err != nil || (to.Scheme != "http" && to.Scheme != "https") || to.Host == "" {
		return nil, fmt.Errorf("--forward: %q is not an http or https address", s.forwardTo)
	}
	l := &listener{receiver: s.forwardTo, events: s.events}
	for _, name := range s.events {
		if !slices.Contains(webhook.Names, name) {
			return nil, fmt.Errorf("--events: %q is none of %s", name, strings.Join(webhook.Names, ", "))
		}
	}
	if s.after >= 0 {
		l.after = &s.after
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

// run forwards until ctx ends or the service refuses for good.
func (l *listener) run(ctx context.Context) error {
	if l.made {
		fmt.Fprintf(l.out, "signing secret of this run: %s\n", l.secret)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, failed := make(chan client.WebhookEvent, waitingEvents), make(chan error, 1)
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
			return fmt.Errorf("the service refuses: %w", err)
		case <-ctx.Done():
			return nil
		}
	}
}

// receive reads events into the channel until ctx ends or the service refuses.
func (l *listener) receive(ctx context.Context, events chan<- client.WebhookEvent) error {
	lost := func(err error) { fmt.Fprintf(l.out, "no connection (%v); trying again\n", err) }
	for e, err := range l.service.WebhookEvents(ctx, l.after, lost) {
		switch {
		case err != nil:
			return err
		case e.Type == "ready":
			fmt.Fprintf(l.out, "listening at %s, forwarding to %s\n", l.service.Base(), l.receiver)
		case len(l.events) == 0 || slices.Contains(l.events, e.Event):
			select {
			case events <- e:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return errors.New("it has ended the stream of events")
}

func (l *listener) forward(ctx context.Context, sender *webhooksender.Sender, e client.WebhookEvent) {
	at := time.Now()
	answer := sender.Send(ctx, webhooksender.Request{
		URL: l.receiver, Body: []byte(e.Body), Secrets: webhooksender.Secrets{Current: l.secret},
		Event: e.Event, DeliveryID: e.ID, Attempt: 1, At: at,
	})
	if ctx.Err() != nil {
		return
	}
	said := fmt.Sprint(answer.StatusCode)
	if answer.StatusCode == 0 {
		said = "no answer: " + answer.Error
	}
	fmt.Fprintf(l.out, "%s  %-19s  %s  %s  %d ms\n", at.Format(time.TimeOnly), e.Event, e.TestID, said, answer.Latency.Milliseconds())
}
