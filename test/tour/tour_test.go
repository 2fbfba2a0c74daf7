package tour_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/harness"
	"understudy/test/patience"

	"github.com/coder/websocket"
)

const (
	tourPath = "docs/tour.md"
	// demoLimit and tourLimit bound what takes half a minute each on two idle
	// cores.
	demoLimit = 3 * time.Minute
	tourLimit = 4 * time.Minute
	// streamLimit bounds the reading of a stream that has ended, and a single
	// command.
	streamLimit = time.Minute
)

// What is shown of the first test, in the tour and in the terminal.
var demoFacts = []string{
	`(?m)^created an organization on the Team plan; its keys and the owner's password: /\S+/data/keys\.json$`,
	`(?m)^ready http://127\.0\.0\.1:\d+$`,
	`(?m)^A first test: 6 simulated users try to "subscribe to a monthly delivery of coffee"`,
	`(?m)^  \S.* => succeeded after \d+ steps, \d+ s as a person would take$`,
	`(?m)^  100 %  6 of 6 sessions$`,
	`(?m)^Scores\n  task_completion +[01]\.\d\d  #`,
	`(?m)^Quality gate (passed|failed) \(threshold 0\.70\)$`,
	`(?m)^  \d\. \[minor\] “Start your subscription” is hard to read$`,
	`(?m)^The report: http://127\.0\.0\.1:\d+/reports/rep_\w+\?expires=`,
}

// What each command block of the tour shows, in the document and in fact.
var tourFacts = [][]string{
	{}, {}, // helpers, a page
	{`'whk_\w{26}'`, `'enabled'`, `'whsec_[\w+/=]+'`},
	{`\d of 10 sessions have ended`, `status: 'completed'`, `passed: false`, `failed_criteria: \[\s+'task_completion'`},
	{
		`1\. “Join the newsletter” is hard to read \(major, \d+ of 10\)\n +#\w{6} on #\w{6} is 1\.9:1; #767676 or darker passes \(4\.5:1 for text\)\. WCAG 2\.2 1\.4\.3`,
		`negative: `, `The page for people: http://127\.0\.0\.1:\d+/reports/rep_\w+\?expires=`,
	},
	{
		`Patrick A\. \(45-54, reads carefully before acting\.\) on desktop: (succeeded|gave_up)`,
		`0\. .+ -> click\n1\. `, `[1-9]\d{3,} step\.jpg`, `[1-9]\d{3,} walk\.webm`,
	},
	{`status: 'completed'`, `task_completion: 1\n`, `passed: true,\s+threshold: 0\.7,\s+failed_criteria: \[\],\s+summary: 'passed by 0\.\d\d; weakest: `},
	{`B is better: overall \+\d+\.\d points \(p (?:= 0\.0\d+|< 0\.001)\)\.\npaired, 10 pairs; fixed: “Join the newsletter” is hard to read`},
	{
		`genuine test\.started`, `genuine test\.progress 10\n`, `genuine test\.progress 100\n`,
		`genuine quality_gate\.failed`, `genuine quality_gate\.passed`, `genuine test\.completed`,
	},
	{`\[ 'test', 'completed', 100, false \]`, `\[ 422, 'validation_failed', 'sessions must be between 1 and 10000' \]`},
	{`<testsuite name="quality gate" tests="3" failures="0"\n<testsuite name="issues" tests="\d" failures="0"\n`},
	{`204`},
}

func check(t *testing.T, where, text string, facts []string) {
	t.Helper()
	for _, fact := range facts {
		if !regexp.MustCompile(fact).MatchString(text) {
			t.Errorf("%s does not show %s:\n%s", where, fact, text)
		}
	}
	if strings.Contains(text, "FORGED") {
		t.Errorf("%s shows a delivery with a wrong signature:\n%s", where, text)
	}
}

func TestTour(t *testing.T) {
	t.Parallel()
	// As make run has it, with the first test.
	s := harness.Run(t, harness.Loopback, harness.Quiet, "UNDERSTUDY_DEMO=1")
	terminal, err := s.Shows(t.Context(), demoLimit, "\nThe report: ")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "the terminal", terminal, demoFacts)
	for _, b := range blocks(section(t, tourPath, "The first test")) {
		if b.language == "text" {
			check(t, "the tour's terminal", b.text, demoFacts)
		}
	}
	readme(t, s)

	var commands, shown []string
	tour := blocks(section(t, tourPath, "A five-minute tour"))
	for i, b := range tour {
		if b.language != "sh" {
			continue
		}
		commands = append(commands, b.text)
		shown = append(shown, "")
		if i+1 < len(tour) && tour[i+1].language == "text" {
			shown[len(shown)-1] = tour[i+1].text
		}
	}
	if len(commands) != len(tourFacts) {
		t.Fatalf("the tour has %d command blocks, and %d are checked", len(commands), len(tourFacts))
	}
	outputs := follow(t, s, commands)
	for i, facts := range tourFacts {
		check(t, fmt.Sprintf("block %d of the tour", i+1), shown[i], facts)
		check(t, fmt.Sprintf("block %d", i+1), outputs[i], facts)
		if (shown[i] == "") != (len(facts) == 0) {
			t.Errorf("block %d: the tour shows %q, and %d facts are checked", i+1, shown[i], len(facts))
		}
	}
	if t.Failed() {
		return
	}
	reportPage(t, regexp.MustCompile(`The page for people: (\S+)`).FindStringSubmatch(outputs[4])[1])
	stream(t, regexp.MustCompile(`STREAM (\S+)`).FindStringSubmatch(outputs[3])[1])
}

// readme runs the README's command, on an address that nobody serves, so that
// nobody walks.
func readme(t *testing.T, s *harness.Service) {
	t.Helper()
	for _, b := range blocks(section(t, "README.md", "Two commands")) {
		if b.language != "sh" {
			continue
		}
		command := strings.NewReplacer("127.0.0.1:8080", s.Addr, "https://example.com/", "http://127.0.0.2:9118/").Replace(b.text)
		ctx, cancel := patience.Context(t.Context(), streamLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", command)
		cmd.Dir = s.Dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Error(err)
		}
		check(t, "the README's command", string(out), []string{`"id":"test_\w{26}"`, `"status":"running"`, `"stream_url":"ws://`})
		return
	}
	t.Error("the README has no command to test a page")
}

// follow runs the tour's commands, one shell for all as a reader has it, and
// returns what each block printed. Only the service's address is another.
func follow(t *testing.T, s *harness.Service, commands []string) []string {
	t.Helper()
	const written = "URL=http://127.0.0.1:8080/v1"
	if !strings.Contains(commands[0], written) {
		t.Fatalf("the tour does not begin with %s", written)
	}
	commands = slices.Clone(commands)
	commands[0] = strings.Replace(commands[0], written, "URL=http://"+s.Addr+"/v1", 1)
	// The test needs a stream's address while the key is that of live tests.
	commands[3] += "echo STREAM $(json it.stream_url < $TOUR/test)\n"
	for _, m := range regexp.MustCompile(`(?:SITE|HOOK)=(\d+)`).FindAllStringSubmatch(commands[0], -1) {
		// The walks follow from the page's address, so the port is the tour's.
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:"+m[1])
		if err != nil {
			t.Fatalf("the tour needs port %s: %v", m[1], err)
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const mark = "=== next block ===\n"
	script := strings.Join(commands, "echo '"+strings.TrimSpace(mark)+"'\n")
	ctx, cancel := patience.Context(t.Context(), tourLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = s.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	// The tour ends its own servers; one that broke off has not.
	if killed := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); killed != nil && !errors.Is(killed, syscall.ESRCH) {
		t.Error(killed)
	}
	outputs := strings.Split(string(out), mark)
	if err != nil || len(outputs) != len(commands) {
		t.Fatalf("the tour ended in block %d of %d: %v\n%s", len(outputs), len(commands), err, out)
	}
	return outputs
}

// reportPage opens the address of the report for people, without any key.
func reportPage(t *testing.T, address string) {
	t.Helper()
	page, err := harness.Client{}.Send(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if page.StatusCode != http.StatusOK || !strings.Contains(string(page.Body), "“Join the newsletter” is hard to read") {
		t.Errorf("the report's page: %s\n%.2000s", page.Status, page.Body)
	}
}

// stream follows a test's stream to its end; its messages have the form of the
// tour's sample.
func stream(t *testing.T, address string) {
	t.Helper()
	var sample map[string]any
	for _, b := range blocks(section(t, tourPath, "A five-minute tour")) {
		if b.language == "json" {
			if err := json.Unmarshal([]byte(b.text), &sample); err != nil {
				t.Fatalf("the sample of a message: %v", err)
			}
		}
	}
	ctx, cancel := patience.Context(t.Context(), streamLimit)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, address, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	for seen := false; ; {
		_, raw, err := conn.Read(ctx)
		if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
			if !seen {
				t.Errorf("the stream has no message of type %v", sample["type"])
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var message map[string]any
		if err := json.Unmarshal(raw, &message); err != nil {
			t.Fatal(err)
		}
		if message["type"] != sample["type"] || seen {
			continue
		}
		seen = true
		if got, want := shape(message), shape(sample); got != want {
			t.Errorf("a message has the fields %s, the tour's %s", got, want)
		}
	}
}

// shape lists the fields of a document, those of objects within it too.
func shape(document map[string]any) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(document)) {
		b.WriteString(name)
		if inner, ok := document[name].(map[string]any); ok {
			b.WriteString("{" + shape(inner) + "}")
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}
