package mail_test

import (
	"errors"
	"io"
	"mime/quotedprintable"
	"net"
	"strings"
	"testing"

	"understudy/adapters/mail"
	"understudy/adapters/mail/mailtest"
)

const from = "Understudy <understudy@example.com>"

func sender(t *testing.T, url string) *mail.Sender {
	t.Helper()
	s, err := mail.New(url, from)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var letter = mail.Message{ID: "ntc_1", To: "owner@example.com", Subject: "Naïve — 10 failed", Text: "First line.\n.\n..dots, ümlauts\n"}

func TestAMailArrivesAsItWasWritten(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	s := sender(t, "smtp://"+server.Addr+"?starttls=off")
	if err := s.Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	mails, _ := server.Taken()
	if len(mails) != 1 {
		t.Fatalf("%d mails", len(mails))
	}
	m := mails[0]
	if m.From != "understudy@example.com" || m.To != letter.To || m.Header.Get("Message-ID") != "<ntc_1@127.0.0.1>" ||
		m.Header.Get("Auto-Submitted") != "auto-generated" || m.Header.Get("Date") == "" {
		t.Errorf("from %s to %s: %v", m.From, m.To, m.Header)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(m.Text)))
	if got := strings.ReplaceAll(string(text), "\r\n", "\n"); err != nil || strings.TrimRight(got, "\n") != strings.TrimRight(letter.Text, "\n") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFailuresHaveAClass(t *testing.T) {
	t.Parallel()
	server := mailtest.Start(t)
	server.Refuse("550 owner@example.com does not live here")
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ url, to, class string }{
		{"smtp://" + server.Addr + "?starttls=off", letter.To, "smtp_550"},
		{"smtp://" + server.Addr + "?starttls=off", "no address", "invalid_address"},
		{"smtp://" + nobody + "?starttls=off", letter.To, "unreachable"},
		// A server without STARTTLS gets nothing, least of all the password.
		{"smtp://user:hunter22@" + server.Addr, letter.To, "unreachable"},
		{"smtps://user:hunter22@" + server.Addr, letter.To, "unreachable"},
	} {
		m := letter
		m.To = c.to
		err := sender(t, c.url).Send(t.Context(), m)
		failure := (*mail.Error)(nil)
		if !errors.As(err, &failure) || failure.Class != c.class {
			t.Errorf("%s: %v, want %s", c.url, err, c.class)
		}
		if err != nil && (strings.Contains(err.Error(), letter.To) || strings.Contains(err.Error(), "hunter22")) {
			t.Errorf("the error says too much: %v", err)
		}
	}
	if _, tried := server.Taken(); tried != 1 {
		t.Errorf("%d tries came to a recipient, want the first alone", tried)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for url, ok := range map[string]bool{
		"smtp://mail.example.com": true, "smtp://user:hunter22@mail.example.com:587": true, "smtps://mail.example.com:465": true,
		"smtp://127.0.0.1:2525?starttls=off": true, "mail.example.com": false, "http://mail.example.com": false, "smtp://": false,
		"smtp://user:hunter22@mail.example.com:99999": false, "smtp://user:hunter22@mail.example.com?starttls=off": false,
		"smtps://mail.example.com?starttls=off": false, "smtp://mail.example.com?tls=no": false, "smtp://user:hunter22@mail example.com": false,
		"smtp://user:hunter22@mail.example.com/path": false,
	} {
		_, err := mail.New(url, from)
		if (err == nil) != ok {
			t.Errorf("%s: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter22") {
			t.Errorf("the error quotes the password: %v", err)
		}
	}
	for _, from := range []string{"", "nobody"} {
		if _, err := mail.New("smtp://mail.example.com", from); err == nil || !strings.Contains(err.Error(), "UNDERSTUDY_MAIL_FROM") {
			t.Errorf("from %q: %v", from, err)
		}
	}
}
