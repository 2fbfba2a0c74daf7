package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"understudy/test/harness"

	"golang.org/x/sync/errgroup"
)

const (
	// crowdCommand makes this program the process that has the sockets.
	crowdCommand = "sockets"
	// perAddress is how many sockets share a local address: those with a stream
	// token may connect 6,000 times a minute from one.
	perAddress = 2000
	// connectingAtOnce is how many connect side by side.
	connectingAtOnce = 64
	// hearingLimit bounds the wait for the last message.
	hearingLimit = 30 * time.Second
)

// runCrowd connects n sockets to the address on the first line of in, says so,
// and once it reads a number of messages there, and has got them, how late
// they were.
func runCrowd(ctx context.Context, n int, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	address, err := lines.ReadString('\n')
	if err != nil {
		return err
	}
	late := lateness{times: make(times, 0, n*toldMessages)}
	g, connecting := errgroup.WithContext(ctx)
	g.SetLimit(connectingAtOnce)
	for i := range n {
		g.Go(func() error {
			conn, frames, err := connect(connecting, strings.TrimSpace(address), i)
			if err == nil {
				go late.note(conn, frames)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	fmt.Fprintln(out, "connected")
	wanted, err := lines.ReadString('\n')
	if errors.Is(err, io.EOF) {
		return nil // nobody asks any more
	}
	if err != nil {
		return err
	}
	messages, err := strconv.Atoi(strings.TrimSpace(wanted))
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(late.all(messages))
}

// connect opens the i-th socket, whose frames are what is read from it next.
func connect(ctx context.Context, address string, i int) (net.Conn, *bufio.Reader, error) {
	ctx, cancel := context.WithTimeout(ctx, harness.RequestLimit)
	defer cancel()
	target, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+i/perAddress))}
	conn, err := (&net.Dialer{LocalAddr: local}).DialContext(ctx, "tcp", target.Host)
	if err != nil {
		return nil, nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n", target.RequestURI(), target.Host, base64.StdEncoding.EncodeToString(make([]byte, 16)))
	if err != nil {
		return nil, nil, err
	}
	frames := bufio.NewReader(conn)
	res, err := http.ReadResponse(frames, nil) //nolint:bodyclose // it has none
	if err == nil && res.StatusCode != http.StatusSwitchingProtocols {
		err = fmt.Errorf("socket %d: %s", i, res.Status)
	}
	return conn, frames, err
}

// lateness is how late the messages of all sockets were.
type lateness struct {
	mu    sync.Mutex
	times times
	lost  error
}

// note reads a socket to its end. It does without a WebSocket library, so that
// what is measured is the service: both have the same two cores.
func (l *lateness) note(conn net.Conn, frames *bufio.Reader) {
	for {
		message, at, err := next(conn, frames)
		_, rest, stamped := bytes.Cut(message, []byte(stampPrefix))
		digits, _, _ := bytes.Cut(rest, []byte(`"`))
		l.mu.Lock()
		if err != nil {
			l.lost = errors.Join(l.lost, err)
			l.mu.Unlock()
			return
		}
		if stamped {
			told, err := strconv.ParseInt(string(digits), 10, 64)
			l.lost = errors.Join(l.lost, err)
			l.times = append(l.times, time.Duration(at.UnixNano()-told))
		}
		l.mu.Unlock()
	}
}

// next is the next message, good until the next call, and when it came. It
// answers pings (RFC 6455, section 5). Messages must not be larger than the
// reader's buffer.
func next(conn net.Conn, frames *bufio.Reader) (message []byte, at time.Time, err error) {
	for {
		header, err := frames.Peek(2)
		at := time.Now()
		if err != nil {
			return nil, at, err
		}
		start, n := 2, int(header[1])
		if n == 126 {
			if header, err = frames.Peek(4); err != nil {
				return nil, at, err
			}
			start, n = 4, int(binary.BigEndian.Uint16(header[2:]))
		}
		whole, err := frames.Peek(start + n)
		if err != nil {
			return nil, at, err
		}
		_, _ = frames.Discard(len(whole)) // it is there
		switch payload := whole[start:]; whole[0] {
		case 0x81:
			return payload, at, nil
		case 0x89: // a mask of zeros hides nothing
			if _, err := conn.Write(append([]byte{0x8a, 0x80 | byte(n), 0, 0, 0, 0}, payload...)); err != nil {
				return nil, at, err
			}
		default:
			return nil, at, fmt.Errorf("a frame of %d bytes with %#x: %.200q", n, whole[0], payload)
		}
	}
}

// all waits until so many messages have come.
func (l *lateness) all(messages int) reception {
	for deadline := time.Now().Add(hearingLimit); ; time.Sleep(100 * time.Millisecond) {
		l.mu.Lock()
		n := len(l.times)
		if n >= messages || time.Now().After(deadline) {
			defer l.mu.Unlock()
			if l.lost != nil {
				fmt.Fprintf(os.Stderr, "sockets were lost: %.300v\n", l.lost)
			}
			return reception{n, l.times.at(0.5), l.times.at(0.99), l.times.at(1)}
		}
		l.mu.Unlock()
	}
}
