package browser_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/adapters/browser"
	"understudy/domain/walk"
	"understudy/test/patience"
)

// hostile are pages that no session may hang on. Each has a button "Go on"
// unless it says otherwise.
var hostile = []struct {
	name, page string
	// ends are errors that may end the session; with none it has to go on to the
	// end, and the button has to work.
	ends []error
	// navigation: the page may also not be shown at all.
	navigation bool
}{
	{name: "alerts on load", page: `<script>for(let i=0;i<60;i++)alert('Number '+i)</script>`},
	{name: "questions all the time", page: `<script>setInterval(()=>{confirm('Sure?');prompt('Who?')},30)</script>`},
	{name: "alerts for ever", page: `<script>setTimeout(()=>{for(;;)alert('again')},300)</script>`, ends: []error{browser.ErrPageHung}, navigation: true},
	{name: "an alert of a megabyte", page: `<script>alert('x'.repeat(1<<20))</script>`},
	{name: "will not let go", page: `<script>onbeforeunload=e=>{e.preventDefault();return 'Stay'}</script>`},
	{name: "popups that open popups", page: `<script>const go=()=>window.open(location.href);setInterval(go,50);go()</script>`},
	{name: "links that open windows", page: `<a id=a target=_blank rel=noopener>More</a><script>a.href=location.href;const go=()=>{a.click();a.dispatchEvent(new MouseEvent('click'))};setInterval(go,50);go()</script>`},
	{name: "forms that open windows", page: `<form id=f target=_blank></form><script>const go=()=>{f.submit();f.requestSubmit()};setInterval(go,50);go()</script>`},
	{name: "writes itself anew", page: `<script>setInterval(()=>{document.open();document.write('<h1>Written</h1><button onclick="document.title=\'went on\'">Go on</button><script>'+src+'<\/script>');document.close()},40)</script>`},
	{name: "grows for ever", page: `<div id=d></div><script>setInterval(()=>{for(let i=0;i<20;i++)d.append(Object.assign(document.createElement('p'),{textContent:'more '+Math.random()}))},10)</script>`},
	{name: "changes all the time", page: `<div id=d></div><script>setInterval(()=>{d.innerHTML='<p>'+Math.random()+'</p>'},5)</script>`},
	{name: "loops on load", page: `<script>for(;;);</script>`, ends: []error{browser.ErrPageHung}, navigation: true},
	{name: "loops later", page: `<script>setTimeout(()=>{for(;;);},200)</script>`, ends: []error{browser.ErrPageHung}},
	{name: "downloads all the time", page: `<script>setInterval(()=>{const a=document.createElement('a');a.href='/file';a.download='f';a.click()},30)</script>`},
	{name: "closes itself", page: `<script>setTimeout(()=>{open('','_self').close()},300)</script>`, ends: []error{browser.ErrPageClosed}},
	{name: "traps the way back", page: `<script>for(let i=0;i<40;i++)history.pushState(i,'');onpopstate=()=>history.pushState(0,'')</script>`},
	{name: "prints", page: `<script>print();setInterval(print,200)</script>`},
	{name: "goes full screen", page: `<script>document.onclick=()=>document.documentElement.requestFullscreen()</script>`},
	{name: "keeps connections open", page: `<script>for(let i=0;i<5;i++){new WebSocket('ws://'+location.host+'/hold');new EventSource('/hold');fetch('/hold')}</script>`},
	{name: "throws all the time", page: `<script>setInterval(()=>{for(let i=0;i<200;i++)reportError(new Error('again and again'));Promise.reject(1)},2)</script>`},
	{name: "floods the console", page: `<script>setInterval(()=>{for(let i=0;i<200;i++)console.log('x'.repeat(500))},5)</script>`},
	{name: "strings without end", page: endless},
	{name: "says megabytes", page: `<script>const m='x'.repeat(3e6);console.error(m,m);prompt(m,m);document.title=m;new Image().src='data:,'+m;new Worker(URL.createObjectURL(new Blob(["console.error('x'.repeat(3e6));throw 'x'.repeat(3e6)"])));Promise.reject(m);throw Error(m)</script>`},
	{name: "nests deeply", page: `<script>document.write('<div>'.repeat(3000))</script>`},
	{name: "frames within frames", page: `<script>if(location.hash.length<7)document.write('<iframe src="'+location.pathname+location.hash+'x"></iframe><iframe src="'+location.pathname+'#'+location.hash.slice(1)+'y"></iframe>')</script>`},
}

// endless has a million characters wherever a page can say something, and more controls
// with long names than anybody reads.
const endless = `<form id=f><select id=s></select><input id=i></form><div id=d></div><script>
const long='x'.repeat(1e6);document.title=long;document.documentElement.lang=long;
for(const a of ['placeholder','title','autocomplete','aria-label','name','value','min','accept','aria-describedby'])i.setAttribute(a,long);
for(let n=0;n<3;n++)s.add(new Option(long,long));
for(let n=0;n<2500;n++){const a=document.createElement('a');a.href='/p?'+'y'.repeat(1900);a.textContent='Link '+n+' '+'z'.repeat(280);a.style.display='block';d.append(a)}
const a=document.createElement('a');a.href='data:text/plain,'+long;a.textContent=long;d.append(a);
history.replaceState(0,'','?'+'q'.repeat(1e5));
</script>`

// TestALookIsBounded: what a page says is cut where it is seen, and that its end is not
// known is told.
func TestALookIsBounded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><html><h1>Endless</h1>"+endless)
	}))
	t.Cleanup(server.Close)
	s := open(t, browser.SessionOptions{})
	// Such a page may arrive later than a session waits, where the machine is busy.
	patience.Eventually(t, time.Minute, "the page is shown", func() bool {
		_, err := s.Goto(t.Context(), server.URL)
		var late *browser.NavigationError
		if err != nil && !errors.As(err, &late) {
			t.Fatal(err)
		}
		return err == nil
	})
	var p walk.Page // of a page that time ends early, less is seen where the machine is busy
	patience.Eventually(t, time.Minute, "a hundred elements are seen", func() bool {
		p = look(t, s)
		return len(p.Elements) >= 100
	})
	said, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(said) > 3<<20 { // 2 MiB of characters, and what Go writes of what was left out
		t.Errorf("a look of %d bytes", len(said))
	}
	if !p.Truncated || !slices.ContainsFunc(p.Limits, func(l walk.Limit) bool { return l.Kind == walk.LimitSize }) {
		t.Errorf("%d elements, truncated %v, limits %v", len(p.Elements), p.Truncated, p.Limits)
	}
	for _, e := range p.Elements {
		for _, said := range append([]string{e.Name, e.Href, e.Placeholder, e.Pattern, e.Selector, e.Value, e.Autocomplete}, e.Options...) {
			if len(said) > 4000 {
				t.Fatalf("%s %.40q says %d bytes", e.Role, e.Name, len(said))
			}
		}
	}
}

// TestALongErrorIsTold: what a page throws is told without its end.
func TestALongErrorIsTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Long</title><p>Hello</p><script>Promise.reject(new Error('late'+'y'.repeat(3e6)));throw new Error('soon'+'y'.repeat(3e6))</script>")
	}))
	t.Cleanup(server.Close)
	s := open(t, browser.SessionOptions{})
	e, err := s.Goto(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, begins := range []string{"Uncaught Error: soony", "Error: latey"} {
		if !slices.ContainsFunc(e.Console, func(said string) bool { return strings.HasPrefix(said, begins) && len(said) <= 500 }) {
			t.Errorf("nothing of %q in %.100q", begins, e.Console)
		}
	}
}

// looping is held by who has a page loop: each takes a core.
var looping sync.Mutex

// TestHostilePages: a session on each of them ends within a bound, with what
// was seen until then, and its browser, which no other test shares, serves others all the
// while.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	cfg := programs
	cfg.MaxContexts = 16
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close() })
	mux := http.NewServeMux()
	for i, c := range hostile {
		page := `<!doctype html><html lang="en"><title>Hostile</title><h1>Hostile</h1><button onclick="document.title='went on'">Go on</button>` + c.page
		page = strings.Replace(page, "+src+", "", 1)
		mux.HandleFunc(fmt.Sprintf("/%d", i), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(page))
		})
	}
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=f.bin")
		_, _ = w.Write([]byte("data"))
	})
	mux.HandleFunc("/hold", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	for i, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(c.ends, browser.ErrPageHung) {
				looping.Lock()
				defer looping.Unlock()
			}
			s := openIn(t, b, browser.SessionOptions{})
			// A hang limit, settling a few times, and a page that does not come.
			bounded, done := patience.Context(t.Context(), 15*time.Second+2*programs.NavigationLimit)
			defer done()
			pictures, looks, err := survive(t, s, fmt.Sprintf("%s/%d", server.URL, i))
			if bounded.Err() != nil {
				t.Error("it took long")
			}
			var navigation *browser.NavigationError
			switch {
			case err == nil:
			case errors.As(err, &navigation):
				if !c.navigation {
					t.Errorf("not shown: %v", err)
				}
			case !within(err, c.ends):
				t.Errorf("ended with %v", err)
			}
			if len(c.ends) == 0 && (looks < 2 || pictures < 1) {
				t.Errorf("%d looks and %d pictures", looks, pictures)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := openIn(t, b, browser.SessionOptions{}).Goto(t.Context(), site.URL+"/facts.html"); err != nil {
				t.Errorf("another session: %v", err)
			}
		})
	}
}

func within(err error, any []error) bool {
	for _, e := range any {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// survive does on a page what a session does: look, take a picture, click, look
// again, go back. It tells how far it came.
func survive(t *testing.T, s *browser.Session, address string) (pictures, looks int, err error) {
	t.Helper()
	if _, err = s.Goto(t.Context(), address); err != nil {
		return pictures, looks, err
	}
	for step := range 3 {
		page, err := s.Look(t.Context())
		if err != nil {
			return pictures, looks, err
		}
		looks++
		if _, _, _, err := s.Screenshot(t.Context()); err != nil {
			return pictures, looks, err
		}
		pictures++
		a := walk.Action{Type: walk.Back}
		for _, e := range page.Elements {
			if e.Name == "Go on" && step < 2 {
				a = walk.Action{Type: walk.Click, Ref: e.Ref}
			}
		}
		if _, err := s.Act(t.Context(), a, ""); err != nil {
			return pictures, looks, err
		}
	}
	return pictures, looks, nil
}

func TestAHugeAnswer(t *testing.T) {
	t.Parallel()
	const size = 100 << 20
	block := bytes.Repeat([]byte("<p>All work and no play makes a dull page.</p>\n"), 1<<15)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if _, err := w.Write([]byte("<!doctype html><title>Huge</title><h1>Huge</h1><a href='/next'>Next</a>")); err != nil {
			return
		}
		for sent := 0; sent < size; sent += len(block) {
			if _, err := w.Write(block); err != nil {
				return // the reader has had enough
			}
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s := open(t, browser.SessionOptions{})
	bounded, done := patience.Context(t.Context(), 45*time.Second)
	defer done()
	_, err := s.Goto(t.Context(), server.URL)
	var navigation *browser.NavigationError
	if err != nil && !errors.As(err, &navigation) && !errors.Is(err, browser.ErrPageHung) && !errors.Is(err, browser.ErrPageCrashed) {
		t.Errorf("100 MB: %v", err)
	}
	if err == nil {
		_, err = s.Look(t.Context())
	}
	if bounded.Err() != nil {
		t.Errorf("100 MB took long (%v)", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	visit(t, "/facts.html")
}

// TestTheObserverGoesToThePageItself: a page of another site is drawn by another
// process, whose worlds, those of its frames too, are counted from one again.
func TestTheObserverGoesToThePageItself(t *testing.T) {
	t.Parallel()
	s := visit(t, "/facts.html")
	look(t, s)
	if _, err := s.Goto(t.Context(), strings.Replace(site.URL, "127.0.0.1", "localhost", 1)+"/frames.html"); err != nil {
		t.Fatal(err)
	}
	if p := look(t, s); p.Title != "Frames" {
		t.Errorf("looked into a frame, titled %q", p.Title)
	}
}
