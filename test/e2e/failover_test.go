package e2e

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"understudy/adapters/postgres"
	"understudy/test/harness"
	"understudy/test/patience"
)

// postgresUser runs a program of Postgres as whoever its servers run as.
func postgresUser(t *testing.T, program string, args ...string) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s: %v", program, err)
	}
	command := append([]string{found[len(found)-1]}, args...)
	if os.Geteuid() == 0 {
		command = append([]string{"runuser", "-u", "postgres", "--"}, command...)
	}
	ctx, cancel := patience.Context(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = "/"
	// A server that it starts keeps what it writes to: a file, for a pipe would be waited for.
	said, err := os.CreateTemp(t.TempDir(), "said")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = said.Close() }()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		t.Fatalf("%v: %v\n%s", command, err, text)
	}
}

// TestAPromotedStandbyTakesOver: the primary is lost for good, its standby is promoted, and
// the service finds it by itself. Nothing acknowledged is lost, and what ran goes on.
func TestAPromotedStandbyTakesOver(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "failover") //nolint:usetesting // which other users may enter, and short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // for the user whom Postgres runs as
		t.Fatal(err)
	}
	primary, err := postgres.StartPrivate(t.Context(), postgres.PrivateOptions{
		DataDir: filepath.Join(dir, "primary"), Logger: slog.New(slog.DiscardHandler),
		Settings: map[string]string{"wal_level": "replica", "max_wal_senders": "4"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = primary.Stop(context.Background()) })
	at, err := url.Parse(primary.URL())
	if err != nil {
		t.Fatal(err)
	}
	socket, port := at.Query().Get("host"), at.Query().Get("port")
	standby := filepath.Join(dir, "standby")
	postgresUser(t, "pg_basebackup", "-h", socket, "-p", port, "-U", at.User.Username(), "-D", standby, "-R", "-X", "stream", "-c", "fast")
	postgresUser(t, "pg_ctl", "-D", standby, "-w", "-l", filepath.Join(standby, "log"),
		"-o", "-k "+dir+" -p "+port+" -c listen_addresses= -c max_connections=60 -c max_wal_senders=4", "start")
	t.Cleanup(func() { postgresUser(t, "pg_ctl", "-D", standby, "-m", "immediate", "stop") })

	q := url.Values{"host": {socket + "," + dir}, "port": {port + "," + port}, "sslmode": {"disable"}, "target_session_attrs": {"read-write"}}
	_, store := startNode(t, nil, "--data-dir", t.TempDir(), "--insecure")
	s := &service{harness.Run(t, "UNDERSTUDY_EVENTSTORE=esdb://"+store+"?tls=false",
		"UNDERSTUDY_DATABASE_URL=postgres://"+at.User.Username()+"@/"+at.User.Username()+"?"+q.Encode())}
	c := s.sandbox()
	ended := c.create(t, signUp(3))
	c.completed(t, ended.ID, time.Minute)
	slow := c.create(t, map[string]any{"url": "https://shop.example.com/", "task": "slow", "sessions": 4})

	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_ = primary.Stop(gone) // at once, without a checkpoint: that is the error
	postgresUser(t, "pg_ctl", "-D", standby, "-w", "promote")

	patience.Eventually(t, time.Minute, "a new test after the standby was promoted", func() bool {
		a, err := c.try(t, http.MethodPost, "/tests", signUp(1))
		if err == nil && a.StatusCode != http.StatusCreated {
			a.wants(t, http.StatusServiceUnavailable, "unavailable")
		}
		return err == nil && a.StatusCode == http.StatusCreated
	})
	if now := c.test(t, ended.ID); now.Status != "completed" || now.SessionsCompleted != 3 {
		t.Errorf("the test before is %+v", now)
	}
	countedOnce(t, c.completed(t, slow.ID, time.Minute), c.sessions(t, slow.ID))
}
