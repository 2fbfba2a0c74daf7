// Package mail sends plain-text mail through the operator's SMTP server.
package mail

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// timeout bounds one mail, from the connection to the server's last answer.
const timeout = 30 * time.Second

// Sender sends mails from one address through one server.
type Sender struct {
	host    string
	from    string
	options []gomail.Option
}

// Message is a mail to one person.
type Message struct {
	// ID names the mail: sent again under the same one, programs that read mail
	// know it is the same.
	ID      string
	To      string
	Subject string
	Text    string
}

// New makes a Sender for a server, given as smtp://user:password@host:587,
// which must offer STARTTLS, or smtps://…:465, which speaks TLS from the
// start. smtp://…?starttls=off sends in the clear, for a server on the same
// machine or network, and then takes no password. Errors never quote the URL.
func New(server, from string) (*Sender, error) {
	u, err := url.Parse(server)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") || (u.Path != "" && u.Path != "/") {
		return nil, errors.New("must be smtp://host:587 or smtps://host:465, with user:password@ before the host where the server asks for it")
	}
	s := &Sender{host: u.Hostname(), from: from, options: []gomail.Option{gomail.WithTimeout(timeout)}}
	plain := false
	for name, values := range u.Query() {
		if name != "starttls" || len(values) != 1 || values[0] != "off" || u.Scheme != "smtp" {
			return nil, errors.New("takes no parameter but ?starttls=off, and that with smtp:// only")
		}
		plain = true
	}
	switch {
	case u.Scheme == "smtps":
		s.options = append(s.options, gomail.WithSSLPort(false))
	case plain:
		s.options = append(s.options, gomail.WithTLSPortPolicy(gomail.NoTLS))
	default:
		s.options = append(s.options, gomail.WithTLSPortPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		port, err := strconv.Atoi(u.Port())
		if err != nil || port < 1 || port > 65535 {
			return nil, errors.New("has no valid port")
		}
		s.options = append(s.options, gomail.WithPort(port))
	}
	if u.User != nil {
		if plain {
			return nil, errors.New("has a password, which is not sent without TLS; leave ?starttls=off or the password away")
		}
		password, _ := u.User.Password()
		s.options = append(s.options,
			gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	if err := gomail.NewMsg().From(from); err != nil {
		return nil, errors.New("needs a sender: set UNDERSTUDY_MAIL_FROM to an address such as understudy@example.com")
	}
	return s, nil
}

// Send hands a mail to the server. Its error is a *Error, which quotes neither
// the address nor what the server said, since that may hold it.
func (s *Sender) Send(ctx context.Context, m Message) error {
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(s.from), msg.To(m.To)); err != nil {
		return &Error{Class: "invalid_address"}
	}
	msg.SetMessageIDWithValue(m.ID + "@" + s.host)
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: nobody answers
	msg.Subject(m.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return &Error{Class: "settings"}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := client.DialWithContext(ctx); err != nil {
		return &Error{Class: "unreachable"}
	}
	defer func() { _ = client.Close() }() // the server has taken the mail, or the error says more
	if err := client.Send(msg); err != nil {
		refused := (*gomail.SendError)(nil)
		if errors.As(err, &refused) && refused.ErrorCode() != 0 {
			return &Error{Class: fmt.Sprintf("smtp_%d", refused.ErrorCode())}
		}
		return &Error{Class: "broken_off"}
	}
	return nil
}

// Error is a failure to send. Class is smtp_NNN with the server's code,
// unreachable (also: its certificate or the log-in failed), broken_off,
// invalid_address or settings; callers may have classes of their own.
type Error struct{ Class string }

func (e *Error) Error() string { return "mail: " + e.Class }
