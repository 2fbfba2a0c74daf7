package browser_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// chromiumSays stands for a Chromium: it writes to its driver's pipe what no page can be kept
// from making it say.
const chromiumSays = `
const {writeSync} = require('fs');
const say = (...parts) => { for (const p of parts) for (let b = Buffer.from(p), n = 0; n < b.length;) n += writeSync(4, b, n); };
const many = (part, times) => { for (const whole = part.repeat(1000); times > 0; times -= 1000) say(whole); };
say('{"method":"Runtime.exceptionThrown","sessionId":"B"}\0');
say('{"method":"Small","params":{"text":"ä\\u00e4\\"}"}}\0{"method":"Long","params":{"text":"');
many('x'.repeat(1000), 3e5);
say('","after":[1,"kept"]},"sessionId":"S"}\0{"method":"Escaped","params":{"text":"');
many('\\\\', 1e6); many('\\"', 1e6); many('\\u0022', 1e6);
say('","after":[1,"kept"]},"sessionId":"S"}\0{"method":"Wide","params":[0');
many(',{"a":"b"}', 1e7);
say(']}\0{"id":1,"result":{"text":"');
many('y', 3e6);
say('"}}\0{"id":2,"result":{"text":"');
many('z'.repeat(100), 1e6);
say('"},"sessionId":"S"}\0');
const types = [['log', 'a'], ['debug', 'a'], ['debug', '--playwright--set--content--f--1--'], ['error', 'a']];
for (const session of ['A', 'B']) for (let i = 0; i < (session === 'A' ? 1e5 : 1); i++) for (const [type, value] of types)
  say('{"method":"Runtime.consoleAPICalled","params":{"type":"' + type + '","args":[{"type":"string","value":"' + value + '"}]},"sessionId":"' + session + '"}\0');
say('{"method":"Last"}\0');`

// driverHears stands for the driver, which at first has only just begun.
const driverHears = `
const {now} = performance;
performance.now = () => { performance.now = now; return 0; };
const {stdio} = require('child_process').spawn(process.execPath, ['-e', process.argv[1]], {stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe']});
let all = '';
stdio[4].on('data', (d) => { all += d; });
stdio[4].on('close', () => {
  const peak = /VmHWM:\s*(\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))[1];
  console.log(JSON.stringify({peak: +peak >> 10, messages: all.split('\0').slice(0, -1).map((m) => JSON.parse(m))}));
});`

// TestWhatChromiumSaysIsBounded: hundreds of megabytes cost the driver next to nothing, and
// what it hears of them is whole JSON.
func TestWhatChromiumSaysIsBounded(t *testing.T) {
	t.Parallel()
	said, err := exec.CommandContext(t.Context(), programs.NodePath, "--require", "./driver/pipe.js", "-e", driverHears, chromiumSays).Output()
	if err != nil {
		t.Fatal(err)
	}
	var heard struct {
		Peak     int
		Messages []map[string]any
	}
	if err := json.Unmarshal(said, &heard); err != nil {
		t.Fatal(err)
	}
	if heard.Peak > 250 {
		t.Errorf("it took %d MiB", heard.Peak)
	}
	after := map[string]any{"after": []any{1.0, "kept"}}
	with := func(text string) map[string]any { return map[string]any{"text": text, "after": after["after"]} }
	called := func(kind, value string) map[string]any {
		args := []any{map[string]any{"type": "string", "value": value}}
		return map[string]any{"method": "Runtime.consoleAPICalled", "params": map[string]any{"type": kind, "args": args}, "sessionId": "B"}
	}
	want := []map[string]any{
		{"method": "Runtime.exceptionThrown", "sessionId": "B"}, // at once
		{"method": "Small", "params": map[string]any{"text": `ää"}`}},
		{"method": "Long", "params": with(strings.Repeat("x", 999)), "sessionId": "S"},
		{"method": "Escaped", "params": with(strings.Repeat(`\`, 500)), "sessionId": "S"},
		{"id": 1.0, "result": map[string]any{"text": strings.Repeat("y", 3e6)}},
		{"id": 2.0, "result": map[string]any{"text": strings.Repeat("z", 999)}, "sessionId": "S"},
		called("debug", "--playwright--set--content--f--1--"), // which the driver waits for
		called("error", "a"),
		{"method": "Last"},
	}
	few := 0 // of those of which there are too many
	heard.Messages = slices.DeleteFunc(heard.Messages, func(m map[string]any) bool {
		if m["sessionId"] == "A" {
			few++
		}
		return m["sessionId"] == "A"
	})
	if few < 100 || few > 20_000 {
		t.Errorf("it heard %d messages of one page", few)
	}
	if len(heard.Messages) != len(want) {
		t.Fatalf("%d messages", len(heard.Messages))
	}
	for i := range want {
		if got, want := fmt.Sprint(heard.Messages[i]), fmt.Sprint(want[i]); got != want {
			t.Errorf("it heard %.100s… (%d bytes), want %.100s… (%d)", got, len(got), want, len(want))
		}
	}
}
