package egress

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"

	"golang.org/x/net/dns/dnsmessage"
)

// names answers the corpus's names without a socket, so that nothing asks the
// machine's own name server.
type names struct {
	// answers hold what each name, in lower case and without its final dot,
	// resolves to in each phase; the last one goes for all later phases.
	answers map[string][][]string
	// phase is 0 while addresses are checked and 1 when they are connected to.
	phase atomic.Int32
}

// resolver asks n for every name.
func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe() // no datagrams: the resolver frames as over TCP
		go n.serve(server)
		return client, nil
	}}
}

func (n *names) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(question) != nil || len(m.Questions) != 1 {
			return
		}
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		if !n.fill(&m, m.Questions[0].Name, m.Questions[0].Type) {
			m.RCode = dnsmessage.RCodeNameError
		}
		out, err := m.Pack()
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...)); err != nil {
			return
		}
	}
}

// fill adds what a name stands for, aliases followed, and reports whether the
// name is known.
func (n *names) fill(m *dnsmessage.Message, name dnsmessage.Name, kind dnsmessage.Type) bool {
	phases, known := n.answers[strings.ToLower(strings.TrimSuffix(name.String(), "."))]
	if !known {
		return false
	}
	for _, answer := range phases[min(int(n.phase.Load()), len(phases)-1)] {
		h := dnsmessage.ResourceHeader{Name: name, Class: dnsmessage.ClassINET}
		if alias, ok := strings.CutPrefix(answer, "cname:"); ok {
			to := dnsmessage.MustNewName(alias + ".")
			h.Type = dnsmessage.TypeCNAME
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.CNAMEResource{CNAME: to}})
			n.fill(m, to, kind)
			continue
		}
		switch addr := netip.MustParseAddr(answer); {
		case addr.Is4() && kind == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && kind == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return true
}
