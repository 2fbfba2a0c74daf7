package main

import (
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sys/unix"

	"understudy/domain"
)

const (
	// defaultReserveMB is what doctor calls too little.
	defaultReserveMB = scarceData >> 20
	// lookEvery is for how long what was free is believed to be.
	lookEvery = time.Second
)

func reserveSetting(getenv func(string) string, fault func(name string, err error)) uint64 {
	const name = "UNDERSTUDY_DISK_RESERVE_MB"
	n := defaultReserveMB
	if v := getenv(name); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil || n < 0 || n > 1_000_000_000 {
			fault(name, fmt.Errorf("%q is not a number from 0 to 1000000000", v))
			return 0
		}
	}
	return uint64(n) << 20 //nolint:gosec // it is not negative
}

// room is what is left of the disk of a directory, and what of it is kept free for tests
// that have begun: a disk that is full ends the service.
type room struct {
	dir     string
	reserve uint64 // bytes
	log     *slog.Logger

	mu     sync.Mutex
	free   uint64
	at     time.Time
	scarce bool
}

// freeOn is how many bytes of a file system this account may write yet.
func freeOn(path string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:gosec,unconvert // sizes; signed on some systems
}

// Room refuses what would make the disk fuller while no more than the reserve is free.
func (r *room) Room() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) > lookEvery {
		free, err := freeOn(r.dir)
		if err != nil {
			return nil //nolint:nilerr // a file system that does not tell is none that is full
		}
		r.free, r.at = free, time.Now()
		if scarce := free < r.reserve; scarce != r.scarce {
			r.scarce = scarce
			if scarce {
				r.log.Error("the disk is nearly full: no new tests until there is room", "dir", r.dir, "free", sizeText(free), "reserve", sizeText(r.reserve))
			} else {
				r.log.Info("there is room on the disk again", "dir", r.dir, "free", sizeText(free))
			}
		}
	}
	if r.scarce {
		return domain.Refuse(domain.CodeUnavailable, "the disk of the service is nearly full, and what is left is for tests that have begun; nothing was recorded. Its operator has to make room")
	}
	return nil
}

// metric shows what is free.
func (r *room) metric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "understudy_disk_free_bytes", Help: "Bytes that are free on the disk of the data directory."},
		func() float64 {
			free, err := freeOn(r.dir)
			if err != nil {
				return -1
			}
			return float64(free)
		})
}
