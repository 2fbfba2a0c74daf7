package webhooksender

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"understudy/domain"
	"understudy/test/patience"
)

// limit bounds every wait of these tests, on an idle machine.
const limit = 30 * time.Second

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

func request(url string) Request {
	return Request{
		URL:        url,
		Body:       []byte("{\"event\":\"test.completed\", \"n\": 1.0,\"text\":\"ünïcode \\u0000 <&>\"}\n"),
		Secrets:    Secrets{Current: "a secret of the customer's own"},
		Event:      "test.completed",
		DeliveryID: "dlv_01h455vb4pex5vsknk084sn02q",
		Attempt:    2,
		At:         time.Unix(1767225600, 999_000_000),
	}
}

// received is one request as a receiver saw it.
type received struct {
	Method  string
	Headers map[string]string // names in lower case
	Body    []byte
}

// receiver answers 200 and hands on what it got.
func receiver(t *testing.T) (string, <-chan received) {
	t.Helper()
	got := make(chan received, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		headers := make(map[string]string)
		for name, values := range r.Header {
			headers[strings.ToLower(name)] = strings.Join(values, "|")
		}
		got <- received{r.Method, headers, body}
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func TestADeliveryIsPostedAsDocumented(t *testing.T) {
	t.Parallel()
	url, got := receiver(t)
	r := request(url)
	out := New(dial).Send(t.Context(), r)
	if !out.OK || out.StatusCode != 200 || out.Error != "" || out.Latency <= 0 {
		t.Errorf("outcome = %+v", out)
	}
	g := <-got
	if g.Method != http.MethodPost || !bytes.Equal(g.Body, r.Body) {
		t.Errorf("%s with body %q, want the very bytes", g.Method, g.Body)
	}
	for name, want := range map[string]string{
		"content-type":        "application/json",
		"user-agent":          "Understudy-Webhooks/1",
		"webhook-id":          r.DeliveryID,
		"webhook-timestamp":   "1767225600",
		"x-service-event":     "test.completed",
		"x-service-delivery":  r.DeliveryID,
		"x-service-attempt":   "2",
		"content-length":      fmt.Sprint(len(r.Body)),
		"x-service-signature": SignService(r.Secrets.Current, r.Body),
		"webhook-signature":   SignStandard(r.Secrets.Current, r.DeliveryID, r.At, r.Body),
	} {
		if g.Headers[name] != want {
			t.Errorf("%s: %q, want %q", name, g.Headers[name], want)
		}
		delete(g.Headers, name)
	}
	if len(g.Headers) != 0 {
		t.Errorf("more headers than documented: %v", g.Headers)
	}
}

// Receivers know a replay by the message's id; the delivery's own is beside it.
func TestAReplayIsSignedAsTheSameMessage(t *testing.T) {
	t.Parallel()
	url, got := receiver(t)
	r := request(url)
	r.MessageID, r.Secrets.Previous = "dlv_01h455vb4pex5vsknk084sn000", "the one before it"
	New(dial).Send(t.Context(), r)
	h := (<-got).Headers
	signatures := SignStandard(r.Secrets.Current, r.MessageID, r.At, r.Body) + " " + SignStandard(r.Secrets.Previous, r.MessageID, r.At, r.Body)
	if h["webhook-id"] != r.MessageID || h["x-service-delivery"] != r.DeliveryID || h["webhook-signature"] != signatures {
		t.Errorf("%v", h)
	}
}

// number is the {n} of a request's path; 0, which no answer can have, when
// there is none.
func number(r *http.Request) int {
	n, _ := strconv.Atoi(r.PathValue("n"))
	return n
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEveryFailureHasItsClass(t *testing.T) {
	t.Parallel()
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	var followed atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/target", func(http.ResponseWriter, *http.Request) { followed.Store(true) })
	mux.HandleFunc("/redirect/{n}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/target", number(r))
	})
	mux.HandleFunc("/status/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(number(r))
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	mux.HandleFunc("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	plain := httptest.NewServer(mux)
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(mux)
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	t.Cleanup(secure.Close)
	gone := listen(t)
	gone.Close()

	s := newSender(dial, patience.Scaled(time.Second))
	patient := New(func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{
			Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, syscall.ECONNREFUSED
			}},
			Control: func(_, address string, _ syscall.RawConn) error {
				if strings.HasPrefix(address, "127.9.") {
					return domain.Refuse(domain.CodeTargetNotAllowed, "not allowed")
				}
				return nil
			},
		}
		return d.DialContext(ctx, network, address)
	})
	for _, c := range []struct {
		sender *Sender
		url    string
		status int
		class  string
	}{
		{patient, plain.URL + "/status/201", 201, ""},
		{patient, plain.URL + "/status/204", 204, ""},
		{patient, plain.URL + "/status/299", 299, ""},
		{patient, plain.URL + "/status/300", 300, "status_300"},
		{patient, plain.URL + "/status/304", 304, "status_304"},
		{patient, plain.URL + "/status/400", 400, "status_400"},
		{patient, plain.URL + "/status/410", 410, "status_410"},
		{patient, plain.URL + "/status/503", 503, "status_503"},
		{patient, plain.URL + "/redirect/301", 301, "status_301"},
		{patient, plain.URL + "/redirect/302", 302, "status_302"},
		{patient, plain.URL + "/redirect/307", 307, "status_307"},
		{patient, plain.URL + "/redirect/308", 308, "status_308"},
		{patient, plain.URL + "/abort", 0, ClassNetwork},
		{s, plain.URL + "/hang", 0, ClassTimeout},
		{patient, secure.URL + "/status/200", 0, ClassTLS},
		{patient, "https" + plain.URL[len("http"):], 0, ClassTLS},
		{patient, "http://" + gone.Addr().String(), 0, ClassRefused},
		{patient, "http://127.9.9.9:80/", 0, ClassBlocked},
		{patient, "http://receiver.example/", 0, ClassDNS},
		{patient, "ftp://127.0.0.1/", 0, ClassInvalidURL},
		{patient, "http://", 0, ClassInvalidURL},
		{patient, "://", 0, ClassInvalidURL},
	} {
		out := c.sender.Send(t.Context(), request(c.url))
		if out.StatusCode != c.status || out.Error != c.class || out.OK != (c.class == "") {
			t.Errorf("%s: %+v, want %d %q", c.url, out, c.status, c.class)
		}
	}
	if followed.Load() {
		t.Error("a redirect was followed")
	}
}

func TestTheDeadlineCoversTheWholeExchange(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		write string
		ok    bool
	}{
		"no answer":        {"", false},
		"half the headers": {"HTTP/1.1 200 OK\r\nX-A: b\r\n", false},
		"half the body":    {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := listen(t)
			defer l.Close()
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				in := bufio.NewReader(conn)
				if _, err := http.ReadRequest(in); err != nil {
					return
				}
				_, _ = io.WriteString(conn, answer.write)
				_, _ = io.Copy(io.Discard, in)
			}()
			s := newSender(dial, patience.Scaled(time.Second))
			left := patience.For(s.Timeout + limit)
			out := s.Send(t.Context(), request("http://"+l.Addr().String()))
			if out.OK != answer.ok || !answer.ok && out.Error != ClassTimeout {
				t.Errorf("outcome = %+v", out)
			}
			if out.Latency < s.Timeout || left.Lost() {
				t.Errorf("it took %v", out.Latency)
			}
			if answer.ok && string(out.Response) != "part" {
				t.Errorf("response = %q", out.Response)
			}
		})
	}
}

func TestOnlyTheBeginOfAnAnswerIsKept(t *testing.T) {
	t.Parallel()
	var wrote atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/short" {
			_, _ = w.Write([]byte("a\x00b\xff"))
			return
		}
		chunk := bytes.Repeat([]byte("x"), 1<<16)
		for wrote.Load() < 1<<30 { // endless, as far as a sender is concerned
			n, err := w.Write(chunk)
			wrote.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	sender := New(dial)
	left := patience.For(limit)
	out := sender.Send(t.Context(), request(s.URL))
	if !out.OK || len(out.Response) != 4096 {
		t.Errorf("ok %v with %d bytes kept", out.OK, len(out.Response))
	}
	if left.Lost() {
		t.Errorf("an endless answer held the sender for %v", out.Latency)
	}
	out = sender.Send(t.Context(), request(s.URL+"/short"))
	if string(out.Response) != "a\x00b\xff" || out.ResponseText() != "a\uFFFDb\uFFFD" {
		t.Errorf("response %q, text %q", out.Response, out.ResponseText())
	}
}

func TestConnectionsAreKeptAndReplacedWhenDead(t *testing.T) {
	t.Parallel()
	type connKey struct{}
	var opened, served atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		onThis := r.Context().Value(connKey{}).(*atomic.Int32).Add(1)
		if r.URL.Path == "/once" && onThis > 1 {
			panic(http.ErrAbortHandler) // ends the kept connection without an answer
		}
		served.Add(1)
	}))
	s.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		opened.Add(1)
		return context.WithValue(ctx, connKey{}, new(atomic.Int32))
	}
	s.Start()
	t.Cleanup(s.Close)
	var sender *Sender
	for try := 1; ; try++ { // net/http does not keep a connection with which a busy machine is 50 ms late
		sender = New(dial)
		opened.Store(0)
		served.Store(0)
		for range 20 {
			if out := sender.Send(t.Context(), request(s.URL)); !out.OK {
				t.Fatalf("%+v", out)
			}
		}
		if n := opened.Load(); n == 1 {
			break
		} else if try == 10 {
			t.Fatalf("20 deliveries in a row opened %d connections, ten times over", n)
		}
	}
	for range 5 {
		if out := sender.Send(t.Context(), request(s.URL+"/once")); !out.OK {
			t.Errorf("a connection that the receiver closed counts as a failure: %+v", out)
		}
	}
	if n := served.Load(); n != 25 {
		t.Errorf("25 deliveries were served %d times", n)
	}
}

func TestEndpointsOfOneHostKeepTheirConnections(t *testing.T) {
	t.Parallel()
	const endpoints = 40
	var opened atomic.Int32
	var held sync.WaitGroup
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		held.Done()
		held.Wait() // all at once
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	sender := New(dial)
	for range 3 {
		held.Add(endpoints)
		var all sync.WaitGroup
		for i := range endpoints {
			all.Go(func() {
				if out := sender.Send(t.Context(), request(fmt.Sprintf("%s/%d", s.URL, i))); !out.OK {
					t.Errorf("%+v", out)
				}
			})
		}
		all.Wait()
	}
	// A connection whose answer has just been read may not be back yet.
	if n := opened.Load(); n > endpoints+endpoints/2 {
		t.Errorf("3 times %d deliveries at once opened %d connections", endpoints, n)
	}
}

func TestSlowReceiversEndWithTheDeadline(t *testing.T) {
	t.Parallel()
	drip := func(conn net.Conn, text string) {
		in := bufio.NewReader(conn)
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		_, _ = io.WriteString(conn, text)
		ticks := time.NewTicker(10 * time.Millisecond)
		defer ticks.Stop()
		for range ticks.C {
			if _, err := io.WriteString(conn, "x"); err != nil {
				return
			}
		}
	}
	// patiently waits for the sender to end the connection.
	patiently := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	for name, c := range map[string]struct {
		scheme string
		serve  func(conn net.Conn)
		ok     bool
	}{
		"headers byte by byte": {"http", func(conn net.Conn) { drip(conn, "HTTP/1.1 200 OK\r\nX-A: ") }, false},
		"a body byte by byte": {"http", func(conn net.Conn) {
			drip(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
		}, true},
		"a silent TLS handshake": {"https", patiently, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := listen(t)
			defer l.Close()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				c.serve(conn)
			}()
			s := newSender(dial, patience.Scaled(time.Second))
			left := patience.For(s.Timeout + limit)
			out := s.Send(t.Context(), request(c.scheme+"://"+l.Addr().String()))
			if out.OK != c.ok || !c.ok && out.Error != ClassTimeout {
				t.Errorf("outcome = %d %q", out.StatusCode, out.Error)
			}
			if left.Lost() {
				t.Errorf("it took %v", out.Latency)
			}
			patience.Receive(t, limit, "the end of the connection", ended)
		})
	}
}
