package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"understudy/adapters/browser"
)

// TestALoopEndsWithItsSession: what a page computes ends when its session is closed,
// wherever in the page that is, though another one goes on in the same browser.
func TestALoopEndsWithItsSession(t *testing.T) {
	const loop = `<script>setTimeout(()=>{for(;;);},200)</script>`
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	elsewhere := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	pages := map[string]string{
		"page":   loop,
		"leave":  `<script>onpagehide=onunload=onbeforeunload=()=>{for(;;);};setTimeout(onunload,200)</script>`,
		"worker": `<script>new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script>`,
		"frame":  `<iframe src="` + elsewhere + `/page"></iframe>`,
	}
	for name, page := range pages {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Loops</title><h1>Loops</h1>"+page)
		})
	}
	before := running(os.Getpid(), nil)
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	visitIn := func(address string) (*browser.Session, <-chan error) {
		s, err := b.Open(t.Context(), browser.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		shown := make(chan error, 1)
		go func() {
			_, err := s.Goto(t.Context(), address)
			shown <- err
		}()
		return s, shown
	}
	stays, shown := visitIn(site.URL + "/facts.html")
	if err := <-shown; err != nil {
		t.Fatal(err)
	}
	for name := range pages {
		s, shown := visitIn(server.URL + "/" + name)
		busy := 0
		eventually(t, "a process loops: "+name, func() bool {
			for pid, cmd := range running(os.Getpid(), before) {
				if strings.Contains(cmd, "--type=renderer") && computed(pid) > 200 {
					busy = pid
				}
			}
			return busy > 0
		})
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-shown; err != nil {
			t.Logf("%s looped before it had come to rest: %v", name, err)
		}
		eventually(t, "the loop has ended: "+name, func() bool { return computed(busy) == 0 })
	}
	if p := look(t, stays); p.Title != "Facts" {
		t.Errorf("the other session sees %q", p.Title)
	}
}

// computed is how long a process has computed, in hundredths of a second; 0 if there is no
// such process.
func computed(pid int) int {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	if fields[0] == "Z" {
		return 0
	}
	return user
}
