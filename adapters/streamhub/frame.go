package streamhub

import (
	"bufio"
	"encoding/binary"
	"net"
	"net/http"
	"sync"
)

// frame is a text message as it goes over the wire to any client: in one
// piece, unmasked and uncompressed (RFC 6455, section 5.2).
type frame []byte

const (
	// wholeText and wholeClose are the first bytes of frames.
	wholeText, wholeClose = 0x81, 0x88
	// A length up to oneByte is in the frame's second byte. Else that is
	// inTwoBytes or inEight, and the length behind it.
	oneByte, inTwoBytes, inEight = 125, 126, 127
)

// framed makes a text ready to send.
func framed(text []byte) frame {
	f := make(frame, 0, 10+len(text))
	switch n := len(text); {
	case n <= oneByte:
		f = append(f, wholeText, byte(n))
	case n < 1<<16:
		f = binary.BigEndian.AppendUint16(append(f, wholeText, inTwoBytes), uint16(n))
	default:
		f = binary.BigEndian.AppendUint64(append(f, wholeText, inEight), uint64(n))
	}
	return append(f, text...)
}

// wire is the connection below a WebSocket. Texts are the same for thousands
// of clients and go past the library, which for each write takes a context,
// three locks and a copy. What it writes itself is control frames, each with
// one Write.
type wire struct {
	net.Conn

	mu     sync.Mutex
	closed bool // by a close frame, the last frame of all
}

// Write is for the library.
func (w *wire) Write(control []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = w.closed || control[0] == wholeClose
	return w.Conn.Write(control)
}

// send writes a text; its error is net.ErrClosed behind a close frame.
func (w *wire) send(f frame) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return net.ErrClosed
	}
	_, err := w.Conn.Write(f)
	return err
}

// controlBuffer holds any control frame: 125 bytes and its header.
const controlBuffer = 128

// upgrade is an answer whose connection is taken over by way of a wire.
type upgrade struct {
	http.ResponseWriter

	wire *wire
}

// Hijack is for the library.
func (u upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(u.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	u.wire.Conn = conn
	return u.wire, bufio.NewReadWriter(buffered.Reader, bufio.NewWriterSize(u.wire, controlBuffer)), nil
}
