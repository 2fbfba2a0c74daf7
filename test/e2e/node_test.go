package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"understudy/eventstore/node/certtest"
	"understudy/test/harness"
	"understudy/test/patience"
)

// The event store by itself, and what attaches to one in use: clients that
// know nothing of the product.

const nodePassword, readerPassword = "the-nodes-password", "the-readers-password"

// nodeLimit bounds each wait for a node or one of its answers.
const nodeLimit = 20 * time.Second

// startNode starts `understudy node` and tells where it serves.
func startNode(t *testing.T, env []string, args ...string) (n *harness.Process, address string) {
	t.Helper()
	n, address, err := harness.LaunchNode(t.Context(), harness.Binary(), env, args...)
	if err != nil {
		t.Fatal(err)
	}
	return n, address
}

// leaves asks the node to leave, which it does with 0, and returns what it has
// printed.
func leaves(t *testing.T, n *harness.Process) string {
	t.Helper()
	if code, err := n.Terminate(nodeLimit); err != nil || code != 0 {
		t.Errorf("after SIGTERM the node left with %d: %v", code, err)
	}
	return n.Printed()
}

// attach connects the official client.
func attach(t *testing.T, connection string) *esdb.Client {
	t.Helper()
	config, err := esdb.ParseConnectionString(connection)
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func secureAddress(user, password, address string, files certtest.Files) string {
	return fmt.Sprintf("esdb://%s:%s@%s?tlsCAFile=%s", user, password, address, files.CA)
}

func certificates(t *testing.T) certtest.Files {
	t.Helper()
	files, err := certtest.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readWhole(t *testing.T, c *esdb.Client, stream string) []*esdb.RecordedEvent {
	t.Helper()
	ctx, cancel := patience.Context(t.Context(), nodeLimit)
	defer cancel()
	r, err := c.ReadStream(ctx, stream, esdb.ReadStreamOptions{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*esdb.RecordedEvent
	for {
		e, err := r.Recv()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Event)
	}
}

func TestNodeAlone(t *testing.T) {
	t.Parallel()
	files, dir := certificates(t), t.TempDir()
	secret := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(secret, []byte(nodePassword+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, address := startNode(t, []string{"UNDERSTUDY_NODE_PASSWORD_FILE=" + secret, "UNDERSTUDY_READER_PASSWORD=" + readerPassword},
		"--data-dir", dir, "--tls-cert", files.Cert, "--tls-key", files.Key)
	admin := attach(t, secureAddress("admin", nodePassword, address, files))
	ctx, cancel := patience.Context(t.Context(), nodeLimit)
	defer cancel()
	event := esdb.EventData{EventType: "noted", ContentType: esdb.ContentTypeJson, Data: []byte(`{"n":1}`)}
	if _, err := admin.AppendToStream(ctx, "notes-1", esdb.AppendToStreamOptions{ExpectedRevision: esdb.NoStream{}}, event); err != nil {
		t.Fatal(err)
	}
	reader := attach(t, secureAddress("reader", readerPassword, address, files))
	if got := readWhole(t, reader, "notes-1"); len(got) != 1 || string(got[0].Data) != `{"n":1}` {
		t.Errorf("the reader read %+v", got)
	}
	stranger := attach(t, secureAddress("admin", "not-the-password", address, files))
	if _, err := stranger.AppendToStream(ctx, "notes-1", esdb.AppendToStreamOptions{}, event); err == nil {
		t.Error("a stranger may append")
	}
	follower, err := reader.SubscribeToAll(ctx, esdb.SubscribeToAllOptions{}) // open while it drains
	if err != nil {
		t.Fatal(err)
	}
	defer follower.Close()
	log := leaves(t, n)
	for _, s := range []string{nodePassword, readerPassword, "not-the-password"} {
		if strings.Contains(log, s) {
			t.Errorf("the log tells a password:\n%s", log)
		}
	}
	if !strings.Contains(log, "refused a user or password") || strings.Contains(log, "no encryption") {
		t.Errorf("the log says\n%s", log)
	}

	// The same events, to whoever is on this machine.
	n, address = startNode(t, nil, "--data-dir", dir, "--insecure")
	if got := readWhole(t, attach(t, "esdb://"+address+"?tls=false"), "notes-1"); len(got) != 1 {
		t.Errorf("after the restart there are %d events", len(got))
	}
	if log := leaves(t, n); strings.Count(log, "no encryption, no passwords") != 1 {
		t.Errorf("the log does not warn:\n%s", log)
	}
}

func TestNodeRefusesUnclearSettings(t *testing.T) {
	t.Parallel()
	files, dir := certificates(t), t.TempDir()
	encrypted := []string{"--data-dir", dir, "--tls-cert", files.Cert, "--tls-key", files.Key}
	for name, tc := range map[string]struct {
		env, args []string
		says      string
	}{
		"no directory":        {nil, []string{"--insecure"}, "--data-dir is missing"},
		"neither":             {nil, []string{"--data-dir", dir}, "choose --tls-cert and --tls-key, or --insecure"},
		"both":                {nil, append(encrypted, "--insecure"), "--insecure contradicts"},
		"no key":              {nil, encrypted[:4], "--tls-cert, --tls-key: TLS needs the files"},
		"no such certificate": {nil, []string{"--data-dir", dir, "--tls-cert", files.Cert + "x", "--tls-key", files.Key}, "no such file"},
		"no password":         {nil, encrypted, "UNDERSTUDY_NODE_PASSWORD is missing"},
		"a short password":    {[]string{"UNDERSTUDY_NODE_PASSWORD=geheim"}, encrypted, "UNDERSTUDY_NODE_PASSWORD: is shorter than 8"},
		"a bad address":       {nil, []string{"--data-dir", dir, "--insecure", "--listen", "here"}, "--listen: "},
	} {
		cmd := exec.CommandContext(t.Context(), harness.Binary(), append([]string{"node", "--listen", "127.0.0.1:0"}, tc.args...)...)
		cmd.Env = append(os.Environ(), tc.env...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), tc.says) || strings.Contains(string(out), "geheim") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}

func TestForeignClientReadsARunningService(t *testing.T) {
	t.Parallel()
	files := certificates(t)
	address, err := harness.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := own(t, "UNDERSTUDY_NODE_LISTEN="+address, "UNDERSTUDY_NODE_CERT="+files.Cert, "UNDERSTUDY_NODE_KEY="+files.Key,
		"UNDERSTUDY_READER_PASSWORD="+readerPassword)
	c := s.sandbox()
	created := c.create(t, signUp(2))
	c.completed(t, created.ID, time.Minute)

	reader := attach(t, secureAddress("reader", readerPassword, address, files))
	got := readWhole(t, reader, "testrun-"+created.ID)
	if len(got) < 3 || got[0].EventType != "testrun.created.v1" || got[len(got)-1].EventType != "testrun.completed.v1" {
		t.Errorf("the reader read %d events", len(got))
	}
	ctx, cancel := patience.Context(t.Context(), nodeLimit)
	defer cancel()
	sub, err := reader.SubscribeToAll(ctx, esdb.SubscribeToAllOptions{
		From: esdb.Start{}, Filter: &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: []string{"session-"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	queued := 0
	for queued < 2 {
		said := sub.Recv()
		if said.SubscriptionDropped != nil {
			t.Fatal(said.SubscriptionDropped.Error)
		}
		if e := said.EventAppeared; e != nil && e.Event.EventType == "session.queued.v1" {
			queued++
		}
	}
	// What it read stays as it is.
	_, err = reader.AppendToStream(ctx, "testrun-"+created.ID, esdb.AppendToStreamOptions{}, esdb.EventData{EventType: "forged", ContentType: esdb.ContentTypeJson, Data: []byte(`{}`)})
	var refused *esdb.Error
	if !errors.As(err, &refused) || refused.Code() != esdb.ErrorCodeAccessDenied {
		t.Errorf("an append answered %v", err)
	}
	if _, err = reader.DeleteStream(ctx, "testrun-"+created.ID, esdb.DeleteStreamOptions{}); !errors.As(err, &refused) || refused.Code() != esdb.ErrorCodeAccessDenied {
		t.Errorf("a delete answered %v", err)
	}
	if again := readWhole(t, reader, "testrun-"+created.ID); len(again) != len(got) {
		t.Errorf("the stream has %d events, before it had %d", len(again), len(got))
	}
	if strings.Contains(s.Tail(), readerPassword) {
		t.Error("the service's output tells the password")
	}
}
