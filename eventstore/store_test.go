package eventstore_test

import (
	"context"
	"crypto/tls"
	"os"
	"strings"
	"testing"

	"understudy/eventstore"
	"understudy/eventstore/node"
	"understudy/eventstore/node/certtest"
	"understudy/eventstore/storetest"
)

func TestEmbeddedNode(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Place {
		s := startServer(t)
		return storetest.Place{Config: eventstore.Config{Socket: s.socket}, Stop: s.stop, Start: s.start}
	})
}

// A cluster is reached by address and holds the events of others, too. Where
// ESDB_URL names none, a node that listens over TLS stands in for it.
func TestCluster(t *testing.T) {
	t.Parallel()
	url := os.Getenv("ESDB_URL")
	if url == "" {
		url = startSharedNode(t)
	}
	storetest.Run(t, func(*testing.T) storetest.Place {
		return storetest.Place{Config: eventstore.Config{URL: url}, Shared: true}
	})
}

// startSharedNode starts a node and returns the connection string of its
// administrator.
func startSharedNode(t *testing.T) string {
	t.Helper()
	files, err := certtest.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	n, err := node.Start(context.Background(), node.Options{Dir: t.TempDir(), TCP: &node.TCP{
		Address: "127.0.0.1:0",
		TLS:     &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		Users:   []node.User{{Name: "admin", Password: "a-password"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return "esdb://admin:a-password@" + n.Addr().String() + "?tlsCAFile=" + files.CA
}

func TestUnusableConfigurations(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec()
	for name, cfg := range map[string]eventstore.Config{
		"nothing":          {Codec: codec},
		"no codec":         {Socket: "/tmp/x"},
		"another scheme":   {URL: "http://localhost", Codec: codec},
		"negative timeout": {Socket: "/tmp/x", Codec: codec, CallTimeout: -1},
		"bad port":         {URL: "esdb://admin:geheim@localhost:nope", Codec: codec},
	} {
		_, err := eventstore.Open(cfg)
		if err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
