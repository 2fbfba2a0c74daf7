// Package esdb_test: this file takes the place of the official client's
// containers_test.go while `make conformance` runs the client's own tests.
// Where theirs starts EventStoreDB in Docker, this one starts `understudy
// node`. The names are those that their tests call.
package esdb_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
)

// names are stream names that nobody has used.
type names struct{}

// Generate makes one.
func (names) Generate() string { return uuid.NewString() }

// NAME_GENERATOR makes stream names.
var NAME_GENERATOR names

// Container is a node in a process of its own.
type Container struct {
	Endpoint string
	cmd      *exec.Cmd
	dir      string
}

// ESDBVersion is a version of the server.
type ESDBVersion struct{ Maj, Min, Patch int }

// VersionPredicateFn tells versions apart.
type VersionPredicateFn = func(ESDBVersion) bool

// IsESDB_Version is asked of the Docker image's version; there is none.
func IsESDB_Version(VersionPredicateFn) bool { return false }

// IsESDBVersion20 is asked by tests of what version 20 lacked.
func IsESDBVersion20() bool { return false }

// GetEnvOrDefault reads the environment.
func GetEnvOrDefault(key, fallback string) string {
	if value, ok := os.LookupEnv(key); ok {
		return value
	}
	return fallback
}

func insecure() bool { return GetEnvOrDefault("EVENTSTORE_INSECURE", "true") == "true" }

// startLimit and stopLimit bound a node's start and its end.
const startLimit, stopLimit = 30 * time.Second, 15 * time.Second

func startNode() (*Container, error) {
	dir, err := os.MkdirTemp("", "conformance-node-")
	if err != nil {
		return nil, err
	}
	args := []string{"node", "--listen", "127.0.0.1:0", "--data-dir", dir}
	if insecure() {
		args = append(args, "--insecure")
	} else {
		args = append(args, "--tls-cert", filepath.Join("..", "certs", "node", "node.crt"), "--tls-key", filepath.Join("..", "certs", "node", "node.key"))
	}
	c := &Container{dir: dir, cmd: exec.Command(os.Getenv("UNDERSTUDY_BINARY"), args...)}
	c.cmd.Env = append(os.Environ(), "UNDERSTUDY_NODE_PASSWORD=changeit")
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		said <- strings.TrimSpace(line)
	}()
	select {
	case line := <-said:
		at, err := url.Parse(strings.TrimPrefix(line, "ready "))
		if err != nil || at.Scheme != "esdb" {
			c.Close()
			return nil, fmt.Errorf("the node said %q instead of ready", line)
		}
		c.Endpoint = "localhost:" + at.Port()
		return c, nil
	case <-time.After(startLimit):
		c.Close()
		return nil, errors.New("the node did not become ready")
	}
}

// Close ends the node, which must leave by itself and with 0.
func (c *Container) Close() {
	defer os.RemoveAll(c.dir)
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(stopLimit, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	if err := c.cmd.Wait(); err != nil {
		panic(fmt.Sprintf("the node left with %v", err))
	}
}

// GetClient connects to a node as its administrator.
func GetClient(t *testing.T, container *Container) *esdb.Client {
	if insecure() {
		return CreateClient(fmt.Sprintf("esdb://%s?tls=false", container.Endpoint), t)
	}
	return CreateClient(fmt.Sprintf("esdb://admin:changeit@%s?tlsverifycert=false&tls=true", container.Endpoint), t)
}

// CreateClient connects by a connection string.
func CreateClient(connection string, t *testing.T) *esdb.Client {
	config, err := esdb.ParseConnectionString(connection)
	if err != nil {
		t.Fatal(err)
	}
	client, err := esdb.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// CreateEmptyDatabase starts a node without events.
func CreateEmptyDatabase(t *testing.T) (*Container, *esdb.Client) {
	container, err := startNode()
	if err != nil {
		t.Fatal(err)
	}
	client := GetClient(t, container)
	WaitForAdminToBeAvailable(t, client)
	return container, client
}

// CreatePopulatedDatabase starts a node with a stream as long as the one in
// the vendor's image that tests follow without looking at its events.
func CreatePopulatedDatabase(t *testing.T) (*Container, *esdb.Client) {
	container, client := CreateEmptyDatabase(t)
	const length, together = 6000, 500
	for i := 0; i < length; i += together {
		events := make([]esdb.EventData, together)
		for j := range events {
			events[j] = esdb.EventData{EventID: uuid.New(), EventType: "eventType-0", ContentType: esdb.ContentTypeBinary, Data: []byte{1}}
		}
		if _, err := client.AppendToStream(context.Background(), "dataset20M-0", esdb.AppendToStreamOptions{}, events...); err != nil {
			t.Fatal(err)
		}
	}
	return container, client
}

// WaitForAdminToBeAvailable asks once: a node that says ready serves.
func WaitForAdminToBeAvailable(t *testing.T, client *esdb.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	all, err := client.ReadAll(ctx, esdb.ReadAllOptions{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if _, err := all.Recv(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}
