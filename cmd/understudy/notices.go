package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"strconv"
	"strings"
	"time"

	"understudy/adapters/mail"
	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/notice"
	"understudy/domain/webhook"
	"understudy/projections/worklist"
)

// notices tells owners of webhooks that fail: by mail where there is a server
// for it, else by a line in the log.
type notices struct {
	streams *service.Streams
	// owners is the address of an organization's owner.
	owners func(ctx context.Context, organizationID string) (string, error)
	mail   *mail.Sender // nil: the log
	to     string       // in place of the owner's address
	appURL string
	log    *slog.Logger
}

// mailSettings reads the mail server, nil for none, and who gets the mails in
// place of the owners. fault is told of settings that are wrong; the server's
// password is never part of it.
func mailSettings(getenv func(string) string, fault func(name string, err error)) (_ *mail.Sender, to string) {
	server, err := secret(getenv("UNDERSTUDY_SMTP_URL"), getenv("UNDERSTUDY_SMTP_URL_FILE"))
	if err != nil {
		fault("UNDERSTUDY_SMTP_URL_FILE", err)
		return nil, ""
	}
	if server == "" {
		return nil, ""
	}
	if to = getenv("UNDERSTUDY_MAIL_TO"); to != "" {
		if _, err := netmail.ParseAddress(to); err != nil {
			fault("UNDERSTUDY_MAIL_TO", errors.New("is no mail address"))
		}
	}
	sender, err := mail.New(server, getenv("UNDERSTUDY_MAIL_FROM"))
	if err != nil {
		fault("UNDERSTUDY_SMTP_URL", err)
	}
	return sender, to
}

// Tell makes one try at a notice and records it. A failed try is recorded too,
// with the time of the next, so that it waits without holding up others.
func (n *notices) Tell(ctx context.Context, item worklist.Item) (uint64, error) {
	loaded, err := n.streams.Notices.Load(ctx, item.Stream)
	if err != nil || loaded.State.Ended {
		return loaded.Position, err
	}
	told := loaded.State.Notice
	outcome := notice.RecordAttempt{Attempt: loaded.State.Attempts + 1}
	if outcome.Channel, err = n.tell(ctx, told); err != nil {
		failure := (*mail.Error)(nil)
		if !errors.As(err, &failure) {
			return 0, err
		}
		outcome.Error = failure.Class
		n.log.Warn("an owner could not be told of a failing webhook by mail",
			"webhook", told.WebhookID, "organization_id", told.OrganizationID, "attempt", outcome.Attempt, "error", failure.Class)
	}
	outcome.Now = domain.At(time.Now())
	result, err := n.streams.Notices.Handle(ctx, domain.DeriveUUID(told.NoticeID, "attempt", strconv.Itoa(outcome.Attempt)), item.Stream, outcome,
		domain.Meta{CorrelationID: told.WebhookID, Actor: "notices", OrganizationID: told.OrganizationID, Environment: told.Environment})
	return result.Position, err
}

func (n *notices) tell(ctx context.Context, told notice.Requested) (notice.Channel, error) {
	if n.mail == nil {
		n.log.Warn("a webhook is failing",
			"webhook", told.WebhookID, "organization_id", told.OrganizationID, "abandoned_in_a_row", told.Consecutive, "disabled", told.Disabled)
		return notice.Log, nil
	}
	to := n.to
	if to == "" {
		var err error
		if to, err = n.owner(ctx, told.OrganizationID); err != nil {
			return "", err
		}
	}
	if err := n.mail.Send(ctx, n.letter(to, told)); err != nil {
		return "", err
	}
	return notice.Mail, nil
}

// owner is the address of an organization's owner.
func (n *notices) owner(ctx context.Context, organizationID string) (string, error) {
	address, err := n.owners(ctx, organizationID)
	if err != nil {
		// Tried again as often as a mail: the right keyring may come back.
		n.log.Warn("the address of an owner cannot be read", "organization_id", organizationID, "error", err)
		return "", &mail.Error{Class: "address_unreadable"}
	}
	return address, nil
}

// letter says what happened, what it means and what to do. The endpoint's
// address stays out of it, because it may give access to something.
func (n *notices) letter(to string, told notice.Requested) mail.Message {
	subject := fmt.Sprintf("Webhook %s: %d deliveries in a row were abandoned", told.WebhookID, told.Consecutive)
	var b strings.Builder
	fmt.Fprintf(&b, "%d deliveries in a row to the webhook %s (%s environment) were abandoned,\nthe last at %s: "+
		"its receiver did not answer with 2xx within 10 seconds, in four attempts each.\n\n", told.Consecutive, told.WebhookID, told.Environment, told.At)
	if told.Disabled {
		subject = fmt.Sprintf("Webhook %s is disabled", told.WebhookID)
		b.WriteString("The webhook is now disabled. What happens from here on is recorded as skipped and can be replayed for 72 hours.\n\n" +
			"Once the receiver answers again:\n")
		fmt.Fprintf(&b, "  POST /v1/webhooks/%s/test     tries it with a ping\n", told.WebhookID)
		fmt.Fprintf(&b, "  POST /v1/webhooks/%s/enable   lets deliveries go to it again\n", told.WebhookID)
		fmt.Fprintf(&b, "  POST /v1/webhooks/%s/replay   sends what it has missed\n", told.WebhookID)
	} else {
		fmt.Fprintf(&b, "After %d in a row it is disabled. One delivery that arrives starts the count again from 0.\n\n", webhook.DisableAfter)
		fmt.Fprintf(&b, "GET /v1/webhooks/%s/deliveries?status=abandoned shows every attempt and what the receiver answered.\n", told.WebhookID)
	}
	fmt.Fprintf(&b, "\nUnderstudy at %s\n", n.appURL)
	return mail.Message{ID: told.NoticeID, To: to, Subject: subject, Text: b.String()}
}
