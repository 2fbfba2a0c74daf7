// Package mailtest is an SMTP server on loopback that keeps what it is sent.
package mailtest

import (
	"bufio"
	"fmt"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
)

// Mail is what the server took.
type Mail struct {
	From, To string // of the envelope
	*mail.Message

	Text string
}

// Server speaks as much SMTP (RFC 5321) as it takes to be sent mail, without TLS.
type Server struct {
	// Addr is its host and port.
	Addr string

	mu     sync.Mutex
	taken  []Mail
	tried  int
	refuse string
}

// Start serves until the end of the test.
func Start(t testing.TB) *Server {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &Server{Addr: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // closed
			}
			go s.talk(c)
		}
	}()
	return s
}

// Refuse answers every recipient from now on with a line such as "550 no"; ""
// takes them.
func (s *Server) Refuse(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = line
}

// Taken is what the server has been sent so far, and how often somebody tried.
func (s *Server) Taken() (mails []Mail, tried int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail{}, s.taken...), s.tried
}

func (s *Server) talk(c net.Conn) {
	defer func() { _ = c.Close() }()
	in := bufio.NewReader(c)
	say := func(line string) { _, _ = fmt.Fprintf(c, "%s\r\n", line) } // a client that has gone is noticed by reading
	say("220 mailtest")
	var m Mail
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "EHLO", "HELO":
			say("250 mailtest")
		case "MAIL":
			m = Mail{From: address(line)}
			say("250 ok")
		case "RCPT":
			say(s.recipient(&m, address(line)))
		case "DATA":
			say("354 go on")
			say(s.take(in, m))
		case "QUIT":
			say("221 bye")
			return
		case "RSET", "NOOP":
			say("250 ok")
		default:
			say("502 not here")
		}
	}
}

// address is what stands between the angle brackets.
func address(line string) string {
	_, line, _ = strings.Cut(line, "<")
	line, _, _ = strings.Cut(line, ">")
	return line
}

func (s *Server) recipient(m *Mail, to string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried++
	if s.refuse != "" {
		return s.refuse
	}
	m.To = to
	return "250 ok"
}

func (s *Server) take(in *bufio.Reader, m Mail) string {
	var text strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "451 broken off"
		}
		if line == ".\r\n" {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "."))
	}
	read, err := mail.ReadMessage(strings.NewReader(text.String()))
	if err != nil {
		return "550 not a mail"
	}
	m.Message = read
	_, m.Text, _ = strings.Cut(text.String(), "\r\n\r\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, m)
	return "250 ok"
}
