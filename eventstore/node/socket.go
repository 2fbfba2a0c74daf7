package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

// maxSocketPath is the room for a path in a unix socket address on Linux
// (sun_path, 108 bytes with its closing zero; see unix(7)).
const maxSocketPath = 107

// ErrSocketPath says that the path is too long for a unix socket.
var ErrSocketPath = errors.New("the path is too long for a unix socket")

// ErrSocketInUse says that another process listens on the socket, or the path is taken
// by something that is no socket.
var ErrSocketInUse = errors.New("the socket path is in use")

func checkSocketPath(path string) error {
	if len(path) > maxSocketPath {
		return fmt.Errorf("event store socket %s: %w: it has %d bytes, the limit is %d; choose a shorter data directory",
			path, ErrSocketPath, len(path), maxSocketPath)
	}
	return nil
}

// dialWait bounds the question whether a socket file still has a listener.
const dialWait = 2 * time.Second

// listen listens on a unix socket that only its owner may open (mode 0600).
// A socket file that a killed process left behind is removed.
func listen(ctx context.Context, path string) (net.Listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, fmt.Errorf("event store socket %s: %w", path, err)
	}
	config := net.ListenConfig{
		// The mode of an unbound socket is that of the file bind creates, so
		// there is no moment at which others could connect.
		Control: func(_, _ string, c syscall.RawConn) error {
			var modeErr error
			if err := c.Control(func(fd uintptr) { modeErr = syscall.Fchmod(int(fd), 0o600) }); err != nil {
				return err
			}
			return modeErr
		},
	}
	l, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("event store socket %s: %w", path, err)
	}
	return l, nil
}

func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%w: there is a file that is no socket", ErrSocketInUse)
	}
	dialer := net.Dialer{Timeout: dialWait}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		return errors.Join(fmt.Errorf("%w: another process listens on it", ErrSocketInUse), conn.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}
