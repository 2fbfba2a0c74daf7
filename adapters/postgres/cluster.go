package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	versionFile = "PG_VERSION"
	socketPort  = "5432" // part of the socket's name; there is no TCP
	// maxSocketPath is what fits into a sockaddr_un with its final NUL:
	// 104 bytes on BSD and macOS, 108 on Linux.
	maxSocketPath = 103
	// pipeLimit is how long the log of an ended server is waited for.
	pipeLimit = 5 * time.Second
)

// serverSettings keep an idle server below 40 MB; everything about durability
// stays as Postgres has it. Standby servers are never attached, so the least
// of write-ahead log is enough.
var serverSettings = map[string]string{
	"listen_addresses":                "",
	"port":                            socketPort,
	"unix_socket_permissions":         "0700",
	"shared_buffers":                  "32MB",
	"work_mem":                        "8MB",
	"maintenance_work_mem":            "32MB",
	"max_connections":                 "60",
	"max_wal_senders":                 "0",
	"wal_level":                       "minimal",
	"max_parallel_workers_per_gather": "0",
	"autovacuum":                      "on",
	"autovacuum_max_workers":          "2",
	"jit":                             "off",
	"huge_pages":                      "off",
	"fsync":                           "on",
	"synchronous_commit":              "on",
	"timezone":                        "UTC",
	"log_timezone":                    "UTC",
	"logging_collector":               "off",
	"log_destination":                 "stderr",
	"log_line_prefix":                 "",
	// What was written since the last checkpoint is read again after a crash, before
	// anybody is answered. Measured under load: mostly half a second for what these let
	// pile up, three to five where it was five minutes of it.
	"max_wal_size":                 "128MB",
	"checkpoint_timeout":           "30s",
	"checkpoint_completion_target": "0.5",
	// Errors of statements are told to whoever sent them.
	"log_min_messages":        "log",
	"log_min_error_statement": "panic",
	"cluster_name":            roleName,
}

// prepare brings the directory into the state that the server starts from:
// programs and account chosen, nobody else in it, a whole cluster on disk.
func (p *Private) prepare(ctx context.Context) error {
	major, err := clusterVersion(p.dir)
	if err != nil {
		return err
	}
	if p.bin, err = chooseBinaries(installed(ctx), major); err != nil {
		return err
	}
	if p.as, err = accountFor(p.dir); err != nil {
		return err
	}
	if err := p.stopOrphan(ctx); err != nil {
		return err
	}
	if major == 0 {
		began := time.Now()
		if err := p.initialise(ctx); err != nil {
			return err
		}
		p.log.Info("made a new postgres cluster", "dir", p.dir, "version", p.bin.major, "took", time.Since(began).Round(time.Millisecond))
	}
	p.socket, err = p.socketDir()
	return err
}

// clusterVersion is the major version of the cluster in dir, 0 when there is
// none. A directory with other things in it is refused rather than cleared.
func clusterVersion(dir string) (int, error) {
	raw, err := os.ReadFile(filepath.Join(dir, versionFile))
	if err == nil {
		major, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			return 0, fmt.Errorf("%s is damaged: %w", versionFile, err)
		}
		return major, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if len(entries) > 0 {
		return 0, errors.New("the directory is not empty and holds no PostgreSQL cluster")
	}
	return 0, nil
}

// initialise makes a cluster beside the directory, syncs it and moves it into
// place, so that a cluster is there wholly or not at all.
func (p *Private) initialise(ctx context.Context) error {
	draft := p.dir + ".initdb"
	if err := os.RemoveAll(draft); err != nil {
		return fmt.Errorf("remove an unfinished cluster: %w", err)
	}
	if err := p.as.own(draft); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	steps := [][]string{
		{"--no-sync", "--no-instructions", "--auth=trust", "--encoding=UTF8", "--locale=" + clusterLocale, "--username=" + roleName},
		{"--sync-only"},
	}
	for _, args := range steps {
		if err := p.initdb(ctx, draft, args...); err != nil {
			return err
		}
	}
	// An empty directory may be there already; nothing renames onto one.
	if err := os.Remove(p.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make way for the new cluster: %w", err)
	}
	if err := os.Rename(draft, p.dir); err != nil {
		return fmt.Errorf("move the new cluster into place: %w", err)
	}
	return syncDir(filepath.Dir(p.dir))
}

func (p *Private) initdb(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, p.bin.path("initdb"), args...)
	p.as.apply(cmd, syscall.SIGKILL) // what it has made so far is thrown away anyway
	inside, file, err := p.as.pass(cmd, dir)
	if err != nil {
		return err
	}
	defer closeAll([]*os.File{file})
	cmd.Args = append(cmd.Args, "--pgdata="+inside)
	cmd.WaitDelay = pipeLimit
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// serverCommand is the server, ready to start. SIGINT is its death signal: a
// fast shutdown that leaves nothing to recover; its children go with it. The
// files belong to the caller, who closes them after the start.
func (p *Private) serverCommand() (cmd *exec.Cmd, files []*os.File, err error) {
	cmd = exec.Command(p.bin.path("postgres"))
	p.as.apply(cmd, syscall.SIGINT)
	var inside [2]string
	for i, dir := range []string{p.dir, p.socket} {
		path, file, err := p.as.pass(cmd, dir)
		if err != nil {
			closeAll(files)
			return nil, nil, err
		}
		inside[i], files = path, append(files, file)
	}
	settings := maps.Clone(serverSettings)
	if p.bin.major >= syncsAtOnce {
		// After a crash one call instead of a flush of each of some 1,500 files, which
		// takes seconds on a busy disk.
		settings["recovery_init_sync_method"] = "syncfs"
	}
	maps.Copy(settings, p.settings)
	settings["unix_socket_directories"] = inside[1]
	cmd.Args = append(cmd.Args, "-D", inside[0])
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		cmd.Args = append(cmd.Args, "-c", name+"="+settings[name])
	}
	cmd.WaitDelay = pipeLimit
	return cmd, files, nil
}

// socketDir is where the socket goes: the data directory, which is closed to
// others already, or when the path would be too long for a socket a directory
// of the same kind below the system's temporary one. Its name follows from the
// data directory, so that none is left behind at every crash; one that
// somebody else has put there is refused.
func (p *Private) socketDir() (string, error) {
	if len(filepath.Join(p.dir, ".s.PGSQL."+socketPort)) <= maxSocketPath {
		return p.dir, nil
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("understudy-%x", sha256.Sum256([]byte(p.dir)))[:27])
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return dir, p.as.own(dir)
	}
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || info.Mode().Perm() != 0o700 || (st.Uid != p.as.uid && int(st.Uid) != os.Geteuid()) {
		return "", fmt.Errorf("%s is not this server's private directory: remove it, or choose a data directory with a shorter path", dir)
	}
	return dir, p.as.own(dir)
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
