package main

import (
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
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

// room is what is left of the disks of directories, and what of each is kept free for
// tests that have begun: a disk that is full ends the service, or sessions.
type room struct {
	dirs    []string
	reserve uint64 // bytes
	log     *slog.Logger

	mu     sync.Mutex
	at     time.Time
	scarce bool
}

// volumes are the directories that this process keeps data in, each of which may be a
// disk of its own.
func (c config) volumes() []string {
	dirs := []string{c.dataDir, c.auditDir}
	if !c.shared() {
		dirs = append(dirs, filepath.Join(c.dataDir, "events"))
	}
	if c.databaseURL == "" {
		dirs = append(dirs, filepath.Join(c.dataDir, "postgres"))
	}
	if blobs, err := url.Parse(c.blobURL); err == nil && blobs.Scheme == "file" {
		dirs = append(dirs, filepath.FromSlash(blobs.Path))
	}
	return dirs
}

// freeOn is how many bytes of a file system this account may write yet.
func freeOn(path string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil //nolint:gosec,unconvert // sizes; signed on some systems
}

// least is what is free on the fullest of the disks; false where none tells, which is
// then none that is full.
func (r *room) least() (dir string, free uint64, told bool) {
	for _, d := range r.dirs {
		if n, err := freeOn(d); err == nil && (!told || n < free) {
			dir, free, told = d, n, true
		}
	}
	return dir, free, told
}

// Room refuses what would make the disks fuller while less than the reserve is free on one.
func (r *room) Room() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) > lookEvery {
		dir, free, told := r.least()
		r.at = time.Now()
		if scarce := told && free < r.reserve; scarce != r.scarce {
			r.scarce = scarce
			if scarce {
				r.log.Error("the disk is nearly full: no new tests until there is room", "dir", dir, "free", sizeText(free), "reserve", sizeText(r.reserve))
			} else {
				r.log.Info("there is room on the disk again", "dir", dir, "free", sizeText(free))
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
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "understudy_disk_free_bytes", Help: "Bytes that are free on the fullest of the disks that data is kept on; -1 where the system does not tell.",
	}, func() float64 {
		if _, free, told := r.least(); told {
			return float64(free)
		}
		return -1
	})
}
