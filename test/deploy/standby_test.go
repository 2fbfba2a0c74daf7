//go:build linux

package deploy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/jackc/pgx/v5"

	"understudy/test/harness"
	"understudy/test/patience"
)

// failoverLimit bounds each wait for servers and those who use them.
const failoverLimit = time.Minute

// entrypoint stands for what of Postgres's image compose.yaml starts servers by: it makes
// one where there is none, and becomes it.
const entrypoint = `#!/bin/bash -eu
shift
unset PGPORT PGHOSTADDR
set -- "$@" -p "$SERVES" -k "$HERE/sockets"
ask() { psql -v ON_ERROR_STOP=1 -h "$HERE/sockets" -p "$SERVES" -U "$POSTGRES_USER" "$@"; }
if ! test -e "$PGDATA/PG_VERSION"; then
  initdb -U "$POSTGRES_USER" --pwfile=<(echo "$POSTGRES_PASSWORD")
  pg_ctl -w -o "$(printf '%q ' "$@") -c listen_addresses=" start
  ask -d postgres -c "CREATE DATABASE $POSTGRES_DB"
  ask -d "$POSTGRES_DB" -f "$HERE/init.sql"
  pg_ctl -w -m fast stop
fi
exec postgres "$@"
`

// asPostgres stands for gosu; the script runs as the user already.
const asPostgres = `#!/bin/sh
shift
exec "$@"
`

// TestAPromotedStandbyIsFound: two Postgres as compose.yaml starts them, of which the first
// is lost. What was acknowledged is on the second; promoted, it is found by the nodes, and
// the first follows it, as docs/operations.md has it.
func TestAPromotedStandbyIsFound(t *testing.T) {
	t.Parallel()
	project := composed(t)
	on := place{dir: shortDir(t), binary: built(t)}
	s := pair{place: on, project: project, address: map[string]string{"postgres1": free(t), "postgres2": free(t)}}
	s.prepare(t)
	first := s.start(t, "postgres1", "postgres1")
	second := s.start(t, "postgres2", "postgres1")
	s.replicates(t, "postgres1")

	database := strings.NewReplacer("postgres1:5432", s.address["postgres1"], "postgres2:5432", s.address["postgres2"]).
		Replace(*project.Services["api1"].Environment["UNDERSTUDY_DATABASE_URL"])
	settings := map[string]string{
		"UNDERSTUDY_EVENTSTORE": "esdb://" + on.node(t, nil, "--insecure") + "?tls=false", "UNDERSTUDY_DATABASE_URL": database,
		"UNDERSTUDY_LISTEN": "127.0.0.1:0", "UNDERSTUDY_DRAIN_DELAY": "0s",
	}
	on.serve(t, project.Services["projector1"], settings)
	settings["UNDERSTUDY_LISTEN"] = free(t)
	on.serve(t, project.Services["api1"], settings)
	caller := harness.Client{Addr: settings["UNDERSTUDY_LISTEN"], Key: sandboxKey(t, on)}
	create := func() (id string) {
		t.Helper()
		answer := ""
		if err := patience.Until(t.Context(), failoverLimit, func() bool {
			a, err := caller.Send(t.Context(), http.MethodPost, "/tests", errand)
			answer = fmt.Sprintf("%d, %v: %s", a.StatusCode, err, a.Body)
			var made harness.Test
			if err != nil || a.StatusCode != http.StatusCreated || a.Decode(&made) != nil {
				return false
			}
			id = made.ID
			return true
		}); err != nil {
			t.Fatalf("no test is made: %v; the last answer: %s", err, answer)
		}
		return id
	}
	before := create()

	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	if promoted, err := s.query(t, "postgres2", "SELECT pg_promote()::text"); err != nil || promoted != "true" {
		t.Fatalf("the standby is not promoted: %s, %v", promoted, err)
	}
	create()
	if _, err := caller.Call(t.Context(), http.MethodGet, "/tests/"+before, nil, nil); err != nil {
		t.Errorf("what was before: %v", err)
	}

	if err := os.RemoveAll(filepath.Join(on.dir, "postgres1")); err != nil {
		t.Fatal(err)
	}
	s.folder(t, "postgres1")
	s.start(t, "postgres1", "postgres2")
	if _, err := second.End(syscall.SIGINT, harness.StopLimit); err != nil {
		t.Fatal(err)
	}
	s.start(t, "postgres2", "postgres2")
	s.replicates(t, "postgres2")
	create()
}

// pair is the two servers of Postgres, as they are composed, on this machine.
type pair struct {
	place
	project *types.Project
	address map[string]string
}

// prepare makes what the image and compose.yaml bring.
func (p pair) prepare(t *testing.T) {
	t.Helper()
	if err := os.Chmod(p.dir, 0o711); err != nil { //nolint:gosec // Postgres looks below it
		t.Fatal(err)
	}
	for _, name := range []string{"bin", "sockets", "postgres1", "postgres2"} {
		p.folder(t, name)
	}
	for name, content := range map[string]string{
		"bin/docker-entrypoint.sh": entrypoint, "bin/gosu": asPostgres,
		"pg_hba.conf": p.project.Configs["pg_hba"].Content, "init.sql": p.project.Configs["pg_synchronous"].Content,
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(content), 0o755); err != nil { //nolint:gosec // run and read by Postgres
			t.Fatal(err)
		}
	}
}

// folder makes one that belongs to whom Postgres runs as.
func (p pair) folder(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		return
	}
	owner, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(owner.Uid)
	gid, _ := strconv.Atoi(owner.Gid)
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
}

// start starts a server, with another or itself as the primary, and returns when it
// answers.
func (p pair) start(t *testing.T, name, primary string) *harness.Process {
	t.Helper()
	s := p.project.Services[name]
	script := strings.Replace(s.Command[0], "/etc/pg_hba.conf", filepath.Join(p.dir, "pg_hba.conf"), 1)
	args := append(append([]string{}, s.Entrypoint...), script)
	if os.Geteuid() == 0 {
		args = append([]string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}, args...)
	}
	programs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // of the repository
	cmd.Dir = p.dir
	host, port, _ := net.SplitHostPort(p.address[primary])
	_, serves, _ := net.SplitHostPort(p.address[name])
	cmd.Env = append(os.Environ(), "PATH="+strings.Join(append(append([]string{filepath.Join(p.dir, "bin")}, programs...), os.Getenv("PATH")), ":"),
		"HERE="+p.dir, "SERVES="+serves, "PGDATA="+filepath.Join(p.dir, name), "PGHOSTADDR="+host, "PGPORT="+port, "LC_ALL=C")
	for key, value := range s.Environment {
		if key == "PRIMARY" {
			value = &primary
		}
		cmd.Env = append(cmd.Env, key+"="+*value)
	}
	server, err := harness.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := server.End(syscall.SIGINT, harness.StopLimit); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("%s:\n%s", name, server.Printed())
		}
	})
	if err := patience.Until(t.Context(), failoverLimit, func() bool {
		_, err := p.query(t, name, "SELECT 'here'")
		return err == nil
	}); err != nil {
		t.Fatalf("%s does not answer: %v\n%s", name, err, server.Printed())
	}
	return server
}

// replicates waits until what is committed at a server is on the other one, too.
func (p pair) replicates(t *testing.T, name string) {
	t.Helper()
	patience.Eventually(t, failoverLimit, "the standby is synchronous", func() bool {
		state, err := p.query(t, name, "SELECT sync_state FROM pg_stat_replication")
		return err == nil && state == "sync"
	})
}

// query is the one text that a server answers.
func (p pair) query(t *testing.T, name, sql string) (answer string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.RequestLimit)
	defer cancel()
	password := *p.project.Services[name].Environment["POSTGRES_PASSWORD"]
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://understudy:%s@%s/understudy?sslmode=disable", password, p.address[name]))
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	err = conn.QueryRow(ctx, sql).Scan(&answer)
	return answer, err
}
