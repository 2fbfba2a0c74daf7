package harness

import (
	"context"
	"net"
	"sync"
	"time"
)

// Line leads to a server, as a network does: it can be cut, stand still and be slow.
type Line struct {
	// Address is where it begins.
	Address string

	listener net.Listener
	mu       sync.Mutex
	open     map[net.Conn]bool
	made     int
	cut      bool
	late     time.Duration
	held     chan struct{} // closed when it no longer stands still; nil: it does not
}

// NewLine leads to an address of a network ("tcp", "unix").
func NewLine(ctx context.Context, network, to string) (*Line, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Line{Address: listener.Addr().String(), listener: listener, open: map[net.Conn]bool{}}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go l.connect(ctx, from, network, to)
		}
	}()
	return l, nil
}

func (l *Line) connect(ctx context.Context, from net.Conn, network, to string) {
	server, err := new(net.Dialer).DialContext(ctx, network, to)
	if err != nil {
		_ = from.Close()
		return
	}
	l.mu.Lock()
	l.made++
	l.open[from], l.open[server] = true, true
	cut := l.cut
	l.mu.Unlock()
	if cut {
		l.end(from, server)
		return
	}
	go l.pass(from, server)
	l.pass(server, from)
}

// pass copies until either end is closed.
func (l *Line) pass(to, from net.Conn) {
	defer l.end(to, from)
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		l.mu.Lock()
		late, held := l.late, l.held
		l.mu.Unlock()
		if held != nil {
			<-held
		}
		if late > 0 {
			time.Sleep(late)
		}
		if _, failed := to.Write(piece[:n]); failed != nil || err != nil {
			return
		}
	}
}

func (l *Line) end(both ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range both {
		_ = c.Close()
		delete(l.open, c)
	}
}

// Break ends the connections that are open. New ones come through.
func (l *Line) Break() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.Close()
	}
}

// Cut breaks the line, and lets nobody through until it is mended.
func (l *Line) Cut(cut bool) {
	l.mu.Lock()
	l.cut = cut
	l.mu.Unlock()
	if cut {
		l.Break()
	}
}

// Hold lets nothing pass, while connections stay, until it is let go.
func (l *Line) Hold(hold bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case hold && l.held == nil:
		l.held = make(chan struct{})
	case !hold && l.held != nil:
		close(l.held)
		l.held = nil
	}
}

// Slow has every piece come that much later; 0: as soon as it is sent.
func (l *Line) Slow(late time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = late
}

// Made is how many connections there were.
func (l *Line) Made() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.made
}

// Close ends it.
func (l *Line) Close() error {
	err := l.listener.Close()
	l.Hold(false)
	l.Break()
	return err
}
