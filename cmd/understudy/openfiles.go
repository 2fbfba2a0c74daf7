package main

import (
	"log/slog"
	"net"

	"golang.org/x/net/netutil"
)

// otherFiles are kept for everything but streams: the event store's files,
// connections to Postgres, requests, Chromium's pipes.
const otherFiles = 1024

// streamLimit is how many streams fit into the files that the process may open.
func streamLimit(wanted, files int, log *slog.Logger) int {
	if files == 0 || wanted <= files-otherFiles {
		return wanted
	}
	fit := max(files-otherFiles, files/2, 1)
	if fit < wanted {
		log.Info("fewer streams than UNDERSTUDY_STREAMS fit into the limit of open files; raise it (ulimit -n, LimitNOFILE=)",
			"wanted", wanted, "streams", fit, "open_files", files)
	}
	return min(wanted, fit)
}

// limited accepts only as many connections at once as leave the other files that the
// process needs: whoever opens more waits, and the event store goes on.
func limited(l net.Listener, files int) net.Listener {
	if files == 0 {
		return l
	}
	return netutil.LimitListener(l, max(files-otherFiles, files/2, 1))
}
