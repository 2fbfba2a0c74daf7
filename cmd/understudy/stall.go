package main

import (
	"errors"
	"net"
	"sync"
	"time"
)

const (
	// stallLimit is how long a client may take next to nothing of what it asked for before
	// its connection is given up.
	stallLimit = 30 * time.Second
	// portion is how many bytes have to find room within that, and buffer what waits for the
	// client on this side: Linux tells of room once a third of twice that is free, 85 KiB, so
	// that a client has to take 3 KB a second.
	portion = 64 << 10
	buffer  = 128 << 10
)

// impatient is a listener whose connections are given up when the client takes next to
// nothing of what is written to it for a while. The server's own deadlines hold as well.
type impatient struct {
	net.Listener
	stall time.Duration
}

// Accept waits for the next connection.
func (l impatient) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		if err := tcp.SetWriteBuffer(buffer); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return &stalling{Conn: conn, stall: l.stall}, nil
}

type stalling struct {
	net.Conn
	stall time.Duration

	mu    sync.Mutex
	until time.Time // the deadline that was set for writing, zero for none
}

// SetDeadline bounds reading and writing.
func (c *stalling) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	return c.Conn.SetDeadline(t)
}

// SetWriteDeadline bounds writing.
func (c *stalling) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	return c.Conn.SetWriteDeadline(t)
}

// Write writes portion by portion, each of which has to be taken in time. What
// SetWriteDeadline says meanwhile holds for the portion under way.
func (c *stalling) Write(all []byte) (written int, err error) {
	for {
		if err := c.giveTime(); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(all[written:min(written+portion, len(all))])
		if written += n; err != nil || written == len(all) {
			return written, err
		}
	}
}

func (c *stalling) giveTime() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := time.Now().Add(c.stall)
	if !c.until.IsZero() && c.until.Before(until) {
		until = c.until
	}
	return c.Conn.SetWriteDeadline(until)
}
