//go:build attack

package browser_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"understudy/adapters/browser"
	"understudy/domain/walk"
)

// Bounds of what an attack may cost, in MiB. Idle they have 30 and 130.
const (
	mostHere     = 200
	mostInDriver = 400
)

// loud are ways in which a page says more than anybody reads: long is a text of 300 million
// characters.
var loud = []attack{
	{"console.log", `console.log(long)`},
	{"console.error", `console.error(long,long,long)`},
	{"a worker's console", `new Worker(URL.createObjectURL(new Blob(["console.error('x'.repeat(3e8))"])))`},
	{"a worker's exception", `new Worker(URL.createObjectURL(new Blob(["throw new Error('x'.repeat(3e8))"])))`},
	{"an exception", `throw new Error(long)`},
	{"a thrown text", `throw long`},
	{"a rejection", `Promise.reject(new Error(long))`},
	{"an exception of a function with a long name", `const f=()=>{throw new Error('no')};Object.defineProperty(f,'name',{value:long});f()`},
	{"a script with a long name", `eval('throw new Error("no")\n//# sourceURL='+long)`},
	{"alert", `alert(long)`},
	{"confirm", `confirm(long)`},
	{"prompt", `prompt(long,long)`},
	{"a title", `document.title=long`},
	{"an address", `history.replaceState(0,'','?'+long)`},
	{"a fragment", `location.hash=long`},
	{"the address of a picture", `new Image().src='data:image/png,'+long`},
	{"the address of a frame", `const f=document.createElement('iframe');f.src='data:text/html,'+long;document.body.append(f)`},
	{"the name of a frame", `const f=document.createElement('iframe');f.name=long;document.body.append(f)`},
	{"the address of a request", `fetch('/?'+long).catch(()=>0)`},
	{"what a request carries", `fetch('/',{method:'POST',body:long}).catch(()=>0)`},
	{"the address of a socket", `new WebSocket('ws://'+location.host+'/?'+long)`},
	{"what goes over a socket", `const w=new WebSocket('ws://'+location.host+'/echo');w.onopen=()=>w.send(long)`},
	{"the name of a file", `const a=document.createElement('a');a.href='/file';a.download=long;a.click()`},
	{"a text", `document.body.append(long)`},
	{"many texts", `for(let i=0;i<300;i++)document.body.append('y'.repeat(1e6),document.createElement('br'))`},
	{"an option", `const s=document.createElement('select');s.add(new Option(long,long));document.body.append(s)`},
	{"the address of a link", `const a=document.createElement('a');a.href='data:text/plain,'+long;a.append('More');document.body.append(a)`},
	{"what a field holds", field + `i.value=long`},
	{"what a field suggests", field + `i.placeholder=long`},
	{"what a field asks for", field + `i.pattern=long`},
	{"the label of a field", field + `i.setAttribute('aria-label',long)`},
	{"an id", field + `i.id=long`},
	{"a class", field + `i.className=long`},
	{"an attribute of the page's own", field + `i.dataset.testid=long`},
	{"a language", `document.documentElement.lang=long`},
}

const (
	field  = `const i=document.createElement('input');document.body.append(i);`
	hidden = `const d=document.createElement('div');d.hidden=true;document.body.append(d);` // which takes no time to be shown
)

// repeated are places in which a page that has taken a secret says more than anybody
// searches for it.
var repeated = []attack{
	{"a text", hidden + `d.append(long)`},
	{"many texts", hidden + `for(let i=0;i<300;i++)d.append(i+'y'.repeat(1e6))`},
	{"what a field holds", hidden + `const i=document.createElement('input');i.value=long;d.append(i)`},
	{"an attribute", field + `i.setAttribute('alt',long)`},
}

// floods are ways in which a page says something without end.
var floods = []attack{
	{"100,000 messages", `for(let i=0;i<1e5;i++)console.error('again '+i,{i},document.body)`},
	{"100,000 messages of workers", `for(let n=0;n<10;n++)new Worker(URL.createObjectURL(new Blob(["for(let i=0;i<1e4;i++)console.error('again '+i)"])))`},
	{"100,000 messages of frames", `for(let n=0;n<200;n++){const f=document.createElement('iframe');document.body.append(f);for(let i=0;i<500;i++)f.contentWindow.console.error('again '+i)}`},
	{"100,000 debug messages of workers", `for(let n=0;n<10;n++)new Worker(URL.createObjectURL(new Blob(["for(let i=0;i<1e4;i++)console.debug('again '+i)"])))`},
	{"100,000 debug messages of frames", `for(let n=0;n<200;n++){const f=document.createElement('iframe');document.body.append(f);for(let i=0;i<500;i++)f.contentWindow.console.debug('again '+i)}`},
	{"messages with many parts", `for(let i=0;i<20;i++)console.error(...Array(1e5).fill('part'))`},
	{"100,000 errors", `for(let i=0;i<1e5;i++)reportError(new Error('again '+i))`},
	{"dialogs without end", `setInterval(()=>{for(;;){alert(1);confirm(2);prompt(3)}})`},
	{"10,000 requests", `for(let i=0;i<1e4;i++)fetch('/file?'+i).catch(()=>0)`},
	{"10,000 sockets", `for(let i=0;i<1e4;i++)try{new WebSocket('ws://'+location.host+'/'+i)}catch{}`},
	{"1,000 frames", `for(let i=0;i<1e3;i++){const f=document.createElement('iframe');f.src='/file?'+i;document.body.append(f)}`},
	{"frames within frames", `let d=document;for(let i=0;i<300;i++){const f=d.createElement('iframe');d.body.append(f);d=f.contentDocument;if(!d||!d.body)break}`},
	{"frames come and go", `setInterval(()=>{for(let i=0;i<20;i++){const f=document.createElement('iframe');document.body.append(f);f.remove()}},5)`},
	{"100,000 addresses", `for(let i=0;i<1e5;i++)try{history.replaceState(0,'','?'+i)}catch{};setInterval(()=>location.hash=Math.random())`},
}

type attack struct{ name, script string }

// TestAttackByLongTexts: whatever a page says at length is cut before it costs the service or
// the browser's driver much.
func TestAttackByLongTexts(t *testing.T) { withstand(t, loud, "") }

// TestAttackByLongTextsOnASecret: nor while it is searched for what it may not show.
func TestAttackByLongTextsOnASecret(t *testing.T) { withstand(t, repeated, "hunter-two") }

// TestAttackByFloods: nor does what it says without end.
func TestAttackByFloods(t *testing.T) { withstand(t, floods, "") }

// withstand lets a session, which may have typed a secret before, walk into each of the
// attacks, and others on the same browser, one after the other, notice nothing of it.
func withstand(t *testing.T, attacks []attack, secret string) {
	mux := http.NewServeMux()
	for i, c := range attacks {
		mux.HandleFunc(fmt.Sprintf("/%d", i), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<!doctype html><html lang=en><title>Hostile</title><h1>Hostile</h1><button>Go on</button><script>onload=()=>setTimeout(()=>{const long='x'.repeat(3e8);%s})</script>`, c.script)
		})
	}
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("data")) })
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	b := browser.New(programs)
	t.Cleanup(func() { _ = b.Close() })
	alone := stroll(t, b)
	for i, c := range attacks {
		t.Run(c.name, func(t *testing.T) {
			s, err := b.Open(t.Context(), browser.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if secret != "" {
				if _, err := s.Goto(t.Context(), site.URL+"/echo.html"); err != nil {
					t.Fatal(err)
				}
				keep(t, s, "Secret", secret)
			}
			driver := 0 // a browser that did not stop the one before in time is another now
			for pid, cmd := range running(os.Getpid(), nil) {
				if strings.Contains(cmd, "run-driver") {
					driver = max(driver, pid)
				}
			}
			for _, pid := range []int{os.Getpid(), driver} {
				forgetPeak(t, pid)
			}
			over := make(chan struct{})
			var others sync.WaitGroup
			others.Go(func() {
				for last := false; !last; { // the last begins when the attack has ended
					select {
					case <-over:
						last = true
					default:
					}
					if met := stroll(t, b); !reflect.DeepEqual(met, alone) {
						t.Errorf("another session met %q, alone it meets %q", met, alone)
						return
					}
				}
			})
			_, looks, err := survive(t, s, fmt.Sprintf("%s/%d", server.URL, i))
			close(over)
			others.Wait()
			if errors.Is(err, browser.ErrBrowserLost) {
				t.Error(err)
			}
			here, there := peakOf(t, os.Getpid()), peakOf(t, driver)
			t.Logf("%d looks (%v), %d MiB here, %d MiB in the driver", looks, err, here, there)
			if here > mostHere || there > mostInDriver {
				t.Error("that is too much")
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// stroll is a walk of a session of its own: what it meets on some pages.
func stroll(t *testing.T, b *browser.Browser) (met []string) {
	t.Helper()
	s, err := b.Open(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer func() { _ = s.Close() }()
	for _, path := range []string{"/facts.html", "/form.html", "/alerts.html"} {
		if _, err := s.Goto(t.Context(), site.URL+path); err != nil {
			t.Error(err)
			return nil
		}
		p, err := s.Look(t.Context())
		if err != nil {
			t.Error(err)
			return nil
		}
		e, err := s.Act(t.Context(), walk.Action{Type: walk.Click, Ref: p.Elements[0].Ref}, "")
		if err != nil {
			t.Error(err)
			return nil
		}
		met = append(met, fmt.Sprint(p.Title, len(p.Elements), len(p.Texts), e.Navigated, e.Dialogs, e.Errors, e.Console, len(e.Requests)))
	}
	return met
}

// forgetPeak lets the system count a process's highest memory anew.
func forgetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join("/proc", strconv.Itoa(pid), "clear_refs"), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// peakOf is the highest memory of a process, in MiB.
func peakOf(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	n, err := strconv.Atoi(strings.Fields(after + " 0")[0])
	if err != nil {
		t.Fatal(err)
	}
	return n >> 10
}
