package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"understudy/adapters/postgres"
	"understudy/test/patience"
)

// waitLimit bounds every wait of these tests, on an idle machine.
const waitLimit = 30 * time.Second

// start runs a private server in dir until the test ends.
func start(t *testing.T, dir string) *postgres.Private {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	p, err := postgres.StartPrivate(ctx, postgres.PrivateOptions{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, p) })
	return p
}

func stop(t *testing.T, p *postgres.Private) {
	t.Helper()
	ctx, cancel := patience.Context(context.Background(), waitLimit)
	defer cancel()
	if err := p.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func connect(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.Connect(t.Context(), url, postgres.PoolOptions{MaxConns: 4, Wait: patience.Scaled(waitLimit)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func exec1(t *testing.T, pool *pgxpool.Pool, q string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), q); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

// eventually waits for a condition with a bound.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	patience.Eventually(t, waitLimit, what, ok)
}

// postmasterOf is the process id that the cluster's pid file names.
func postmasterOf(t *testing.T, dir string) int {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// serversIn lists the live processes that work in the cluster's directory.
func serversIn(t *testing.T, dir string) []int {
	t.Helper()
	here, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, proc := range procs {
		cwd, err := os.Stat(proc + "/cwd") // fails for processes that have ended
		if err == nil && os.SameFile(cwd, here) {
			pid, _ := strconv.Atoi(filepath.Base(proc))
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestPrivateKeepsItsDataOverRestarts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "my closed+dir", "postgres")
	p := start(t, dir)
	pool := connect(t, p.URL())
	exec1(t, pool, "create table kept (word text)")
	exec1(t, pool, "insert into kept values ('zażółć')")

	var encoding, tcp string
	if err := pool.QueryRow(t.Context(), "select current_setting('server_encoding'), current_setting('listen_addresses')").Scan(&encoding, &tcp); err != nil {
		t.Fatal(err)
	}
	if encoding != "UTF8" || tcp != "" {
		t.Errorf("encoding %q, TCP addresses %q; want UTF8 and none", encoding, tcp)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != fs.FileMode(0o700) {
		t.Errorf("data directory: %v, %v; want mode 0700", info.Mode(), err)
	}
	pool.Close()
	stop(t, p)
	if pids := serversIn(t, dir); len(pids) > 0 {
		t.Fatalf("processes %v run after Stop", pids)
	}

	began := time.Now()
	p = start(t, dir)
	t.Logf("start on an existing cluster: %s", time.Since(began))
	var word string
	if err := connect(t, p.URL()).QueryRow(t.Context(), "select word from kept").Scan(&word); err != nil || word != "zażółć" {
		t.Errorf("after the restart: %q, %v", word, err)
	}
}

func TestPrivateRefusesASecondServiceInItsDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	start(t, dir)
	_, err := postgres.StartPrivate(t.Context(), postgres.PrivateOptions{DataDir: dir})
	if err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("second start: %v; want to be told of the first", err)
	}
}

// An operator's command finds the server of a service, and is told when there is
// none.
func TestRunningServerIsFound(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	if _, err := postgres.RunningURL(t.Context(), dir); !errors.Is(err, postgres.ErrNotRunning) {
		t.Errorf("of no server: %v", err)
	}
	p := start(t, dir)
	url, err := postgres.RunningURL(t.Context(), dir)
	if err != nil || url != p.URL() {
		t.Errorf("%q: %v; want %q", url, err, p.URL())
	}
	stop(t, p)
	if _, err := postgres.RunningURL(t.Context(), dir); !errors.Is(err, postgres.ErrNotRunning) {
		t.Errorf("after it was stopped: %v", err)
	}
}

func TestPrivateReachesItsSocketUnderALongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30), "postgres")
	p := start(t, dir)
	pool := connect(t, p.URL())
	var one int
	if err := pool.QueryRow(t.Context(), "select 1").Scan(&one); err != nil {
		t.Fatal(err)
	}
	socket := pool.Config().ConnConfig.Host
	t.Cleanup(func() { _ = os.RemoveAll(socket) })
	info, err := os.Stat(socket)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("socket directory %s: %v, %v; want mode 0700", socket, info, err)
	}
}

func TestPrivateRefusesAnotherVersionsCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "PG_VERSION"), []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := postgres.StartPrivate(t.Context(), postgres.PrivateOptions{DataDir: dir})
	if err == nil || !strings.Contains(err.Error(), "PostgreSQL 9") || !strings.Contains(err.Error(), "install postgresql-9") {
		t.Errorf("start: %v; want both versions and what to do", err)
	}
}

func TestPrivateRefusesADirectoryOfOtherThings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	thesis := filepath.Join(dir, "thesis.tex")
	if err := os.WriteFile(thesis, []byte("…"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := postgres.StartPrivate(t.Context(), postgres.PrivateOptions{DataDir: dir})
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("start: %v; want a refusal", err)
	}
	if _, err := os.Stat(thesis); err != nil {
		t.Errorf("the directory's file: %v", err)
	}
}

func TestPrivateSaysWhyTheServerDoesNotStart(t *testing.T) {
	t.Parallel()
	_, err := postgres.StartPrivate(t.Context(), postgres.PrivateOptions{
		DataDir:  filepath.Join(t.TempDir(), "postgres"),
		Settings: map[string]string{"shared_buffers": "plenty"},
	})
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("start: %v; want the server's own words", err)
	}
}

func TestPrivateStartsAKilledServerAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	p := start(t, dir)
	pool := connect(t, p.URL())
	exec1(t, pool, "create table kept (n int)")
	exec1(t, pool, "insert into kept values (7)")
	first := postmasterOf(t, dir)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var n int
	eventually(t, "the pool works again", func() bool {
		err := pool.QueryRow(t.Context(), "select n from kept").Scan(&n)
		if err != nil && !postgres.IsOutage(err) {
			t.Errorf("not told to be an outage: %v", err)
		}
		return err == nil && postmasterOf(t, dir) != first
	})
	t.Logf("back after %s", time.Since(began))
	if n != 7 {
		t.Errorf("read %d after the crash, want 7", n)
	}
	select {
	case <-p.Done():
		t.Error("Done is closed though the server runs")
	default:
	}
}

// TestKilledServiceLeavesNoServer kills a service with SIGKILL while it writes.
func TestKilledServiceLeavesNoServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() })
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pool := connect(t, strings.TrimSpace(url))
	exec1(t, pool, "create table kept (n int)")
	exec1(t, pool, "insert into kept select generate_series(1, 1000)")
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "insert into kept values (0)"); err != nil {
		t.Fatal(err)
	}
	if len(serversIn(t, dir)) < 2 {
		t.Fatal("no server processes found in its directory: the check below would prove nothing")
	}

	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = child.Wait()             // reports the kill
	_ = tx.Rollback(t.Context()) // fails with the server; gives the connection back
	// The next service does not wait for the old server to be gone.
	p := start(t, dir)
	t.Logf("started after %s", time.Since(began))
	var n int
	if err := connect(t, p.URL()).QueryRow(t.Context(), "select count(*) from kept").Scan(&n); err != nil || n != 1000 {
		t.Errorf("%d rows, %v; want the 1,000 committed ones", n, err)
	}
	stop(t, p)
	if pids := serversIn(t, dir); len(pids) > 0 {
		t.Errorf("processes %v run after all have stopped", pids)
	}
}

func TestKilledServiceTakesItsServerAlong(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	pids := serversIn(t, dir)
	if len(pids) == 0 {
		t.Fatal("no server runs")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = child.Wait()
	eventually(t, fmt.Sprintf("processes %v end", pids), func() bool { return len(serversIn(t, dir)) == 0 })
	t.Logf("gone after %s", time.Since(began))
}

// TestStartStopsAnOrphan puts a server into the directory that no service
// watches, as a killed one leaves behind where the kernel has no death signal.
func TestStartStopsAnOrphan(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	p := start(t, dir)
	pool := connect(t, p.URL())
	exec1(t, pool, "create table kept (n int)")
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", postmasterOf(t, dir)))
	if err != nil {
		t.Fatal(err)
	}
	pool.Close()
	stop(t, p)

	home, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = home.Close() }()
	info, err := home.Stat()
	if err != nil {
		t.Fatal(err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	orphan := exec.Command(program, "-D", "/proc/self/fd/3", "-c", "listen_addresses=", "-c", "unix_socket_directories=/proc/self/fd/3")
	orphan.Dir = "/"
	orphan.ExtraFiles = []*os.File{home}
	orphan.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		orphan.SysProcAttr.Credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = orphan.Wait(); close(ended) }()
	connect(t, p.URL()).Close()

	p = start(t, dir)
	patience.Receive(t, waitLimit, "the end of the orphan", ended)
	exec1(t, connect(t, p.URL()), "insert into kept values (1)")
}

// TestStartIsNotStoppedByAReusedProcessID leaves a pid file that names a
// process which is no server: this test itself.
func TestStartIsNotStoppedByAReusedProcessID(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	stop(t, start(t, dir))
	content := fmt.Sprintf("%d\n%s\n1700000000\n5432\n%s\n\n", os.Getppid(), dir, dir)
	if err := os.WriteFile(filepath.Join(dir, "postmaster.pid"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	exec1(t, connect(t, start(t, dir).URL()), "select 1")
}
