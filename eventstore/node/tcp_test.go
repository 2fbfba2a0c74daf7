package node_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"understudy/eventstore/node"
	"understudy/eventstore/node/certtest"
)

// secureNode is a node over TLS with an administrator and a reader.
type secureNode struct {
	*node.Node
	files certtest.Files
}

const adminPassword, readerPassword = "admins-password", "readers-password"

func startSecure(t testing.TB) secureNode {
	t.Helper()
	dir := socketDir(t)
	files, err := certtest.Make(filepath.Join(dir, "certs"))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	n, err := node.Start(context.Background(), node.Options{
		Dir: filepath.Join(dir, "events"), Socket: filepath.Join(dir, "s"),
		TCP: &node.TCP{
			Address: "127.0.0.1:0",
			TLS:     &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
			Users:   []node.User{{Name: "admin", Password: adminPassword}, {Name: "reader", Password: readerPassword, ReadOnly: true}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Errorf("close node: %v", err)
		}
	})
	return secureNode{n, files}
}

// as is a client that gives a user's name and password ("" for none), and
// trusts a CA.
func (n secureNode) as(t testing.TB, user, ca string) *esdb.Client {
	t.Helper()
	if user != "" {
		user += "@"
	}
	config, err := esdb.ParseConnectionString("esdb://" + user + n.Addr().String() + "?tlsCAFile=" + ca)
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = esdb.NoopLogging()
	config.MaxDiscoverAttempts = 2
	client, err := esdb.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// dial is a bare connection without credentials.
func (n secureNode) dial(t testing.TB) *grpc.ClientConn {
	t.Helper()
	trust, err := credentials.NewClientTLSFromFile(n.files.CA, "localhost")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(n.Addr().String(), grpc.WithTransportCredentials(trust))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func firstOfAll(t testing.TB, c *esdb.Client) (string, error) {
	t.Helper()
	all, err := c.ReadAll(within(t), esdb.ReadAllOptions{}, 1)
	if err != nil {
		return "", err
	}
	defer all.Close()
	got, err := all.Recv()
	if err != nil {
		return "", err
	}
	return string(got.Event.Data), nil
}

func TestUsersOfTheAddress(t *testing.T) {
	t.Parallel()
	n := startSecure(t)
	admin := n.as(t, "admin:"+adminPassword, n.files.CA)
	appendTo(t, admin, "s", esdb.NoStream{}, event("a", "0"))
	for name, tc := range map[string]struct {
		user, ca string
		code     codes.Code
		says     string
	}{
		"administrator":    {"admin:" + adminPassword, n.files.CA, codes.OK, ""},
		"reader":           {"reader:" + readerPassword, n.files.CA, codes.OK, ""},
		"nobody":           {"", n.files.CA, codes.Unauthenticated, "name and password"},
		"unknown":          {"root:" + adminPassword, n.files.CA, codes.Unauthenticated, "name and password"},
		"wrong password":   {"admin:" + readerPassword, n.files.CA, codes.Unauthenticated, "name and password"},
		"part of password": {"admin:" + adminPassword[:8], n.files.CA, codes.Unauthenticated, "name and password"},
		"a CA not trusted": {"admin:" + adminPassword, n.files.Stranger, codes.Unknown, "certificate"},
		"another case":     {"Admin:" + adminPassword, n.files.CA, codes.Unauthenticated, "name and password"},
	} {
		got, err := firstOfAll(t, n.as(t, tc.user, tc.ca))
		if tc.code == codes.OK {
			if err != nil || got != "0" {
				t.Errorf("%s read %q, %v", name, got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tc.says) || (tc.code == codes.Unauthenticated && code(err) != esdb.ErrorCodeUnauthenticated) {
			t.Errorf("%s read %q, %v", name, got, err)
		}
		if err != nil && (strings.Contains(err.Error(), adminPassword) || strings.Contains(err.Error(), readerPassword)) {
			t.Errorf("%s: the error tells a password: %v", name, err)
		}
	}
	// The socket asks nobody, as before.
	if got, err := firstOfAll(t, connect(t, n.Node)); got != "0" || err != nil {
		t.Errorf("over the socket: %q, %v", got, err)
	}
}

func TestRefusedAppendTellsWhy(t *testing.T) {
	t.Parallel()
	n := startSecure(t)
	stranger := n.as(t, "admin:not-the-password", n.files.CA)
	reader := n.as(t, "reader:"+readerPassword, n.files.CA)
	events := make([]esdb.EventData, 8)
	for range 20 { // the cause must survive every race of sending and refusing
		for i := range events {
			events[i] = event("big", strings.Repeat("x", 100_000))
		}
		if _, err := stranger.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{}, events...); code(err) != esdb.ErrorCodeUnauthenticated {
			t.Fatalf("an append of a stranger answered %v", err)
		}
		if _, err := reader.AppendToStream(within(t), "s", esdb.AppendToStreamOptions{}, events...); code(err) != esdb.ErrorCodeAccessDenied {
			t.Fatalf("an append of a reader answered %v", err)
		}
	}
	if all := readAll(t, connect(t, n.Node), esdb.ReadAllOptions{}, 9); len(all) != 0 {
		t.Errorf("%d events were recorded", len(all))
	}
}

func TestReaderMayNotWrite(t *testing.T) {
	t.Parallel()
	n := startSecure(t)
	admin, reader := n.as(t, "admin:"+adminPassword, n.files.CA), n.as(t, "reader:"+readerPassword, n.files.CA)
	appendTo(t, admin, "s", esdb.NoStream{}, event("a", "0"))
	follow := followAll(t, reader, esdb.SubscribeToAllOptions{From: esdb.Start{}})
	follow.expect("0", "caught up")
	attempts := map[string]error{}
	_, attempts["delete"] = reader.DeleteStream(within(t), "s", esdb.DeleteStreamOptions{})
	_, attempts["tombstone"] = reader.TombstoneStream(within(t), "s", esdb.TombstoneStreamOptions{})
	_, attempts["metadata"] = reader.SetStreamMetadata(within(t), "s", esdb.AppendToStreamOptions{}, esdb.StreamMetadata{})
	for name, err := range attempts {
		if code(err) != esdb.ErrorCodeAccessDenied || !strings.Contains(err.Error(), "may only read") {
			t.Errorf("%s answered %v", name, err)
		}
	}

	ctx := metadata.AppendToOutgoingContext(within(t), "authorization", "Basic cmVhZGVyOnJlYWRlcnMtcGFzc3dvcmQ=")
	call, err := streams.NewStreamsClient(n.dial(t)).BatchAppend(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := call.Send(&streams.BatchAppendReq{
		CorrelationId: textID(uuid.NewString()), Options: noStream("b"), ProposedMessages: proposals(uuid.NewString()), IsFinal: true,
	}); err != nil {
		t.Fatal(err)
	}
	answer, err := call.Recv()
	if details := answer.GetError().GetDetails(); err != nil || len(details) != 1 || details[0].MessageName() != "event_store.client.AccessDenied" {
		t.Errorf("the batch was answered %v, %v", answer, err)
	}

	appendTo(t, admin, "s", esdb.Revision(0), event("a", "1"))
	follow.expect("1")
	if all := readAll(t, admin, esdb.ReadAllOptions{}, 9); len(all) != 2 {
		t.Errorf("there are %d events, not 2", len(all))
	}
}

func TestStrangersHoldNothingUp(t *testing.T) {
	t.Parallel()
	n := startSecure(t)
	client := streams.NewStreamsClient(n.dial(t))
	silent, err := client.Append(within(t)) // and never an end
	if err != nil {
		t.Fatal(err)
	}
	var none streams.AppendResp
	if err := silent.RecvMsg(&none); status.Code(err) != codes.Unauthenticated {
		t.Errorf("an append that does not end answered %v", err)
	}
	batches, err := client.BatchAppend(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := batches.Recv(); status.Code(err) != codes.Unauthenticated {
		t.Errorf("batches answered %v", err)
	}
	for _, header := range []string{"Basic", "Basic !", "Basic Og==", "Bearer x", "Basic cmVhZGVy"} {
		_, err := client.Delete(metadata.AppendToOutgoingContext(within(t), "authorization", header), &streams.DeleteReq{})
		if status.Code(err) != codes.Unauthenticated {
			t.Errorf("%q answered %v", header, err)
		}
	}
}

func TestWhatClientsAskFirstNeedsNoUser(t *testing.T) {
	t.Parallel()
	n := startSecure(t)
	supported, err := serverfeatures.NewServerFeaturesClient(n.dial(t)).GetSupportedMethods(within(t), &shared.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	served := map[string]bool{}
	for _, m := range supported.GetMethods() {
		served[m.GetServiceName()+"/"+m.GetMethodName()] = true
		if strings.Contains(m.GetServiceName(), "persistent") || strings.Contains(m.GetServiceName(), "projections") {
			t.Errorf("%s is advertised", m.GetServiceName())
		}
	}
	for _, method := range []string{"append", "batchappend", "read", "delete", "tombstone"} {
		if !served["event_store.client.streams.streams/"+method] {
			t.Errorf("%s is not advertised", method)
		}
	}
	info, err := gossip.NewGossipClient(n.dial(t)).Read(within(t), &shared.Empty{})
	if err != nil || len(info.GetMembers()) != 1 {
		t.Fatalf("gossip answered %v, %v", info, err)
	}
}

// Clients that discover a cluster take the node for its leader.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	n := startSecure(t)
	at := n.Addr().String()
	config, err := esdb.ParseConnectionString("esdb://admin:" + adminPassword + "@" + at + "," + at + "?nodePreference=leader&tlsCAFile=" + n.files.CA)
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	appendTo(t, client, "s", esdb.NoStream{}, event("a", "0"))
}

func TestPlainTextHasNoUsers(t *testing.T) {
	t.Parallel()
	n, err := node.Start(context.Background(), node.Options{Dir: t.TempDir(), TCP: &node.TCP{Address: "127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	config, err := esdb.ParseConnectionString("esdb://" + n.Addr().String() + "?tls=false")
	if err != nil {
		t.Fatal(err)
	}
	config.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	appendTo(t, client, "s", esdb.NoStream{}, event("a", "0"))
	if _, err := client.DeleteStream(within(t), "s", esdb.DeleteStreamOptions{}); err != nil {
		t.Error(err)
	}
}

func TestAddressesThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	some := &tls.Config{MinVersion: tls.VersionTLS12}
	for name, tc := range map[string]struct {
		tcp  node.TCP
		says string
	}{
		"users without TLS":   {node.TCP{Users: []node.User{{Name: "admin", Password: adminPassword}}}, "need TLS"},
		"TLS without users":   {node.TCP{TLS: some}, "has to be a user"},
		"a user without name": {node.TCP{TLS: some, Users: []node.User{{Password: adminPassword}}}, "no name"},
		"a short password":    {node.TCP{TLS: some, Users: []node.User{{Name: "admin", Password: "geheim"}}}, "shorter than 8"},
		"no address":          {node.TCP{Address: "nowhere"}, "event store address"},
	} {
		dir := t.TempDir()
		for range 2 { // a failed start leaves nothing locked
			n, err := node.Start(context.Background(), node.Options{Dir: dir, TCP: &tc.tcp})
			if err == nil {
				_ = n.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestWhatIsNotServedIsRefusedAsUnimplemented(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	conn := dial(t, n)
	for method, says := range map[string]string{
		"/event_store.client.persistent_subscriptions.PersistentSubscriptions/Create": "catch-up subscription",
		"/event_store.client.projections.Projections/Create":                          "server-side projections",
		"/event_store.client.users.Users/Create":                                      "users are set when it is started",
		"/event_store.client.operations.Operations/Shutdown":                          "SIGTERM",
		"/event_store.client.monitoring.Monitoring/Stats":                             "event_store.client.monitoring.Monitoring/Stats",
		"/event_store.client.streams.Streams/Multiply":                                "Multiply",
	} {
		err := conn.Invoke(within(t), method, &shared.Empty{}, &shared.Empty{})
		if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), says) {
			t.Errorf("%s answered %v", method, err)
		}
	}
	c := connect(t, n)
	err := c.CreatePersistentSubscription(within(t), "s", "group", esdb.PersistentStreamSubscriptionOptions{})
	if code(err) != esdb.ErrorCodeUnsupportedFeature {
		t.Errorf("the official client made of it %v", err)
	}
}

func TestAllCanBeReadFiltered(t *testing.T) {
	t.Parallel()
	n := start(t, socketDir(t))
	c := connect(t, n)
	appendTo(t, c, "order-1", esdb.Any{}, event("placed", "1"), event("paid", "2"))
	appendTo(t, c, "invoice-1", esdb.Any{}, event("paid", "3"), event("printed", "4"))
	expression := func(regex string, prefixes ...string) *streams.ReadReq_Options_FilterOptions_Expression {
		return &streams.ReadReq_Options_FilterOptions_Expression{Regex: regex, Prefix: prefixes}
	}
	byType := func(x *streams.ReadReq_Options_FilterOptions_Expression) *streams.ReadReq_Options_FilterOptions {
		return &streams.ReadReq_Options_FilterOptions{Filter: &streams.ReadReq_Options_FilterOptions_EventType{EventType: x}}
	}
	byStream := func(x *streams.ReadReq_Options_FilterOptions_Expression) *streams.ReadReq_Options_FilterOptions {
		return &streams.ReadReq_Options_FilterOptions{Filter: &streams.ReadReq_Options_FilterOptions_StreamIdentifier{StreamIdentifier: x}}
	}
	for name, tc := range map[string]struct {
		filter    *streams.ReadReq_Options_FilterOptions
		backwards bool
		count     uint64
		want      string
	}{
		"stream prefix":        {byStream(expression("", "order-")), false, 9, "12"},
		"stream regex":         {byStream(expression("^inv.*-1$")), false, 9, "34"},
		"type prefixes":        {byType(expression("", "pla", "pri")), false, 9, "14"},
		"type regex":           {byType(expression("^pa")), false, 9, "23"},
		"backwards":            {byType(expression("^pa")), true, 9, "32"},
		"the count of matches": {byType(expression("", "p")), false, 3, "123"},
		"nothing matches":      {byType(expression("", "x")), false, 9, ""},
	} {
		o := &streams.ReadReq_Options{
			StreamOption: &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{AllOption: &streams.ReadReq_Options_AllOptions_Start{Start: &shared.Empty{}}}},
			CountOption:  &streams.ReadReq_Options_Count{Count: tc.count},
			FilterOption: &streams.ReadReq_Options_Filter{Filter: tc.filter},
			UuidOption:   &streams.ReadReq_Options_UUIDOption{Content: &streams.ReadReq_Options_UUIDOption_Structured{Structured: &shared.Empty{}}},
		}
		if tc.backwards {
			o.ReadDirection = streams.ReadReq_Options_Backwards
			o.StreamOption = &streams.ReadReq_Options_All{All: &streams.ReadReq_Options_AllOptions{AllOption: &streams.ReadReq_Options_AllOptions_End{End: &shared.Empty{}}}}
		}
		call, err := streams.NewStreamsClient(dial(t, n)).Read(within(t), &streams.ReadReq{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for {
			m, err := call.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got += string(m.GetEvent().GetEvent().GetData())
		}
		if got != tc.want {
			t.Errorf("%s: read %q, not %q", name, got, tc.want)
		}
	}
}
