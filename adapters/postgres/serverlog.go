package postgres

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
)

// tailLines is how much of the server's log an error quotes.
const tailLines = 12

// serverLog passes the server's log on line by line at debug level (a PANIC as
// an error) and keeps its end for the error of a start that failed.
type serverLog struct {
	log  *slog.Logger
	mu   sync.Mutex
	rest []byte
	last []string
}

// Write takes any piece of the log; it never fails, so that the server never
// waits for or loses its log.
func (l *serverLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(b), nil
		}
		l.line(string(l.rest[:i]))
		l.rest = l.rest[i+1:]
	}
}

func (l *serverLog) line(s string) {
	level := slog.LevelDebug
	if strings.HasPrefix(s, "PANIC") {
		level = slog.LevelError
	}
	l.log.Log(context.Background(), level, "postgres: "+s)
	l.last = append(l.last, s)
	if len(l.last) > tailLines {
		l.last = l.last[1:]
	}
}

// tail is the end of the log, to be put behind an error; "" when it is empty.
func (l *serverLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) == 0 {
		return ""
	}
	return "; its log ends with:\n" + strings.Join(l.last, "\n")
}
