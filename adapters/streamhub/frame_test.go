package streamhub

import (
	"errors"
	"io"
	"net"
	"testing"
)

func TestACloseFrameIsTheLastFrame(t *testing.T) {
	t.Parallel()
	conn, client := net.Pipe()
	w := &wire{Conn: conn}
	got := make(chan []byte, 1)
	go func() {
		all, _ := io.ReadAll(client)
		got <- all
	}()
	ping, end := []byte{0x89, 0}, []byte{0x88, 2, 3, 0xe8}
	for _, write := range []func() error{
		func() error { return w.send(framed([]byte("one"))) },
		func() error { _, err := w.Write(ping); return err },
		func() error { return w.send(framed([]byte("two"))) },
		func() error { _, err := w.Write(end); return err },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.send(framed([]byte("three"))); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a text behind a close frame: %v", err)
	}
	_ = conn.Close()
	if all, want := string(<-got), "\x81\x03one"+string(ping)+"\x81\x03two"+string(end); all != want {
		t.Errorf("%q went over the wire, want %q", all, want)
	}
}
