package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"understudy/test/patience"
)

// accepted is a connection as an impatient listener gives it, and its client.
func accepted(t *testing.T, stall time.Duration) (conn, client net.Conn) {
	t.Helper()
	inner, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	if client, err = new(net.Dialer).DialContext(t.Context(), "tcp", inner.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if conn, err = (impatient{inner, stall}).Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn, client
}

// more is more than the buffers between a server and its client hold.
var more = bytes.Repeat([]byte("An answer that is long. "), 1<<20)

// TestAClientThatTakesNothingIsGivenUp: who takes nothing for a while is given up, also
// where the server would wait for longer; a server that would wait for less does.
func TestAClientThatTakesNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, bounds := range map[string]struct{ stall, server time.Duration }{
		"the listener's": {100 * time.Millisecond, time.Hour}, "the server's": {time.Hour, 100 * time.Millisecond}, "the listener's alone": {100 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, _ := accepted(t, bounds.stall)
			if bounds.server > 0 {
				if err := conn.SetWriteDeadline(time.Now().Add(bounds.server)); err != nil {
					t.Fatal(err)
				}
			}
			left := patience.For(5 * time.Second)
			n, err := conn.Write(more)
			if !errors.Is(err, os.ErrDeadlineExceeded) || n == len(more) || left.Lost() {
				t.Errorf("%d of %d bytes were written, %v, or late", n, len(more), err)
			}
		})
	}
}

// TestASlowClientGetsItAll: who takes a little at a time gets everything, though all of it
// takes longer than a client may take nothing.
func TestASlowClientGetsItAll(t *testing.T) {
	t.Parallel()
	stall := patience.Scaled(500 * time.Millisecond)
	conn, client := accepted(t, stall)
	sent := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := conn.Write(more)
		sent <- errors.Join(err, conn.Close())
	}()
	got := 0
	for pause := time.NewTicker(stall / 50); ; <-pause.C {
		n, err := io.CopyN(io.Discard, client, int64(len(more)/100))
		if got += int(n); errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := <-sent; err != nil || got != len(more) || time.Since(began) < stall {
		t.Errorf("%d of %d bytes came within %s, %v", got, len(more), time.Since(began), err)
	}
}
