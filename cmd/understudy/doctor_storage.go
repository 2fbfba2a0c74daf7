package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"understudy/adapters/postgres"
	"understudy/domain/process"
	"understudy/eventstore"
	"understudy/eventstore/node/engine"
)

// How much is to be free: below scarce a service ends soon, below modest it does after
// some tests with films. What Chromium and films need in the temporary directory goes
// when a session ends.
const (
	scarceData, modestData = 500 << 20, 5 << 30
	scarceTemp, modestTemp = 100 << 20, 1 << 30
)

func (d doctor) postgres(ctx context.Context) []finding {
	const check = "postgres"
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	url, what := d.cfg.databaseURL, "UNDERSTUDY_DATABASE_URL"
	if url == "" {
		dir := filepath.Join(d.cfg.dataDir, "postgres")
		programs, err := postgres.FindPrograms(ctx, dir)
		if err != nil {
			return []finding{failing(check, "install the Debian package postgresql, as the message says, or set UNDERSTUDY_DATABASE_URL", "no private server can run: %v", err)}
		}
		url, err = postgres.RunningURL(ctx, dir)
		switch {
		case errors.Is(err, postgres.ErrNotRunning) && programs.Cluster:
			return []finding{fine(check, "private, at rest: PostgreSQL %d (%s) on %s", programs.Major, programs.Dir, dir)}
		case errors.Is(err, postgres.ErrNotRunning):
			return []finding{fine(check, "private: PostgreSQL %d (%s); the first start makes %s", programs.Major, programs.Dir, dir)}
		case err != nil:
			return []finding{failing(check, "run this as the user of the service", "the private server cannot be asked: %v", err)}
		}
		what = "private, " + dir
	}
	pool, err := postgres.Connect(ctx, url, postgres.PoolOptions{MaxConns: 1, Wait: askLimit, Name: "doctor"})
	if err != nil {
		return []finding{failing(check, "is the server up, the address, user and password right, and the way to it open? `psql` with the same address tells", "%s: %v", what, err)}
	}
	defer pool.Close()
	version, err := postgres.CheckServer(ctx, pool)
	if err != nil {
		return []finding{failing(check, "give the service a database of its own on a server of a newer version, with CREATE", "%s: %v", what, err)}
	}
	return []finding{fine(check, "%s: PostgreSQL %s answers", what, version)}
}

func (d doctor) eventStore(ctx context.Context) []finding {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if d.cfg.shared() {
		return []finding{d.cluster(ctx)}
	}
	return []finding{d.embedded(ctx)}
}

func (d doctor) cluster(ctx context.Context) finding {
	const check, remedy = "event store", "is the cluster up, the esdb:// address right (tls=, user, password), and the way to it open?"
	store, err := eventstore.Open(eventstore.Config{URL: d.cfg.eventStore, Codec: eventstore.NewCodec(process.Catalogue()), Logger: d.log, CallTimeout: askLimit})
	if err != nil {
		return failing(check, remedy, "UNDERSTUDY_EVENTSTORE: %v", err)
	}
	defer func() { _ = store.Close() }()
	head, err := store.Head(ctx)
	if err != nil {
		return failing(check, remedy, "UNDERSTUDY_EVENTSTORE does not answer: %v", err)
	}
	return fine(check, "UNDERSTUDY_EVENTSTORE answers; the log ends at position %d", head)
}

func (d doctor) embedded(ctx context.Context) finding {
	const check = "event store"
	dir := filepath.Join(d.cfg.dataDir, "events")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fine(check, "embedded; the first start makes %s", dir)
	}
	asUser := "run this, and the service, as the user that the directory belongs to"
	if err != nil {
		return failing(check, asUser, "%v", err)
	}
	running, err := runs(ctx, d.cfg)
	if err != nil {
		return failing(check, asUser, "%v", err)
	}
	if running {
		s := &storage{app: &app{}, cfg: d.cfg, log: d.log}
		store, err := s.joinStore(d.cfg, d.log)
		if err != nil {
			return failing(check, "see the log of the service", "%v", err)
		}
		defer func() { _ = s.close() }()
		head, err := store.Head(ctx)
		if err != nil {
			return failing(check, "see the log of the service", "a service runs on %s and its event store does not answer: %v", dir, err)
		}
		return fine(check, "embedded, in use: a service runs on %s; the log ends at position %d", dir, head)
	}
	used, err := engine.InUse(dir)
	switch {
	case err != nil:
		return failing(check, asUser, "%v", err)
	case used:
		return doubtful(check, "wait until the service has started, or stop what has it (`understudy node`, a command of the operator) before you start one",
			"embedded: another process has %s open", dir)
	}
	if err := errors.Join(ownEvents(d.cfg), usable(d.cfg.dataDir)); err != nil {
		return failing(check, asUser, "%v", err)
	}
	return fine(check, "embedded, at rest, readable: %s, %d files (`understudy node check` verifies each)", dir, len(entries))
}

// disk tells of the data directory and of that for temporary files.
func (d doctor) disk(context.Context) []finding {
	return []finding{
		place("disk", d.cfg.dataDir, "UNDERSTUDY_DATA_DIR", scarceData, modestData),
		place("temp", os.TempDir(), "TMPDIR", scarceTemp, modestTemp),
	}
}

// place tells whether files can be written below a directory, and how many.
func place(check, dir, setting string, scarce, modest uint64) finding {
	at := dir
	for _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at); _, err = os.Stat(at) {
		at = filepath.Dir(at)
	}
	elsewhere := "let the service's user write there, or name another directory by " + setting
	what := dir
	if at == dir {
		// More than permissions say: quotas, file systems that are read-only.
		f, err := os.CreateTemp(dir, ".doctor-")
		if err == nil {
			_, err = f.WriteString("doctor")
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
		if err != nil {
			return failing(check, elsewhere, "nothing can be written: %v", err)
		}
	} else {
		what += " is not made yet"
		if err := unix.Access(at, unix.W_OK|unix.X_OK); err != nil {
			return failing(check, elsewhere, "%s cannot be made in %s: %v", dir, at, err)
		}
	}
	var s unix.Statfs_t
	if err := unix.Statfs(at, &s); err != nil {
		return doubtful(check, "look by `df -h "+at+"`", "%s: the space left is not told: %v", what, err)
	}
	free, _ := freeOn(at) // it has just told
	room := "make room on it, or name another directory by " + setting
	switch {
	case s.Files > 0 && s.Ffree < 1000:
		return failing(check, room, "%s: %d more files fit on its file system", what, s.Ffree)
	case free < scarce:
		return failing(check, room, "%s: %s free", what, sizeText(free))
	case free < modest:
		return doubtful(check, room, "%s: %s free", what, sizeText(free))
	}
	return fine(check, "%s: %s free, writable", what, sizeText(free))
}

// sizeText writes a size for people.
func sizeText(n uint64) string {
	const unit = 1024
	if n < unit<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<30)), ".0") + " GiB"
}

// span writes a duration for people.
func span(d time.Duration) string { return d.Abs().Round(time.Second).String() }
