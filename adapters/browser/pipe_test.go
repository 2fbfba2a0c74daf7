package browser_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
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

// driverHears stands for the driver.
const driverHears = `
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

// pipes reads chunks, each behind its length, up to an empty one, and answers with what the
// driver hears of them, behind its length; then again.
const pipes = `
const {readSync, writeSync} = require('fs'), childProcess = require('child_process'), {Readable} = require('stream');
childProcess.spawn = (chunks) => ({stdio: [, , , , Readable.from(chunks)], on() {}});
require('./driver/pipe.js');
const take = (size) => {
  const all = Buffer.alloc(size);
  for (let at = 0, n; at < size; at += n) if (!(n = readSync(0, all.subarray(at)))) process.exit();
  return all;
};
const answer = (all) => { for (let at = 0; at < all.length;) at += writeSync(1, all, at); };
(async () => {
  for (;;) {
    const chunks = [], heard = [], size = Buffer.alloc(4);
    for (let n; (n = take(4).readUInt32LE());) chunks.push(take(n));
    for await (const part of childProcess.spawn(chunks).stdio[4]) heard.push(part);
    size.writeUInt32LE(heard.reduce((n, part) => n + part.length, 0));
    for (const part of [size, ...heard]) answer(part);
  }
})();`

// maxEvent is how large what Chromium tells by itself may be, and maxCut what is left of a
// string that is cut, with its quotes.
const (
	maxEvent = 1 << 20
	maxCut   = 1010
)

// sayings makes JSON of any bytes, with room for so many bytes.
type sayings struct {
	bytes []byte
	room  int
}

func (s *sayings) next() (b int) {
	if len(s.bytes) > 0 {
		b, s.bytes = int(s.bytes[0]), s.bytes[1:]
	}
	return b
}

// many is a text again and again, as long as there is room.
func (s *sayings) many(text string, exponent int) string {
	times := min(1<<exponent, s.room/len(text))
	s.room -= times * len(text)
	return strings.Repeat(text, times)
}

// value is one of JSON, and at most how long it is with its strings cut.
func (s *sayings) value() (text string, cut int) {
	b := s.next()
	switch n := b / 4; b % 4 {
	case 0:
		for range n % 8 {
			c := s.next()
			text += s.many([]string{"x", "ä", "😀", `\\`, `\"`, `\u0022`, `\ud83d\ude00`, `]},{:`}[c%8], c/8%22)
		}
		text = `"` + text + `"`
		return text, min(len(text), maxCut)
	case 1:
		item, size := s.value()
		more := s.many(item+",", n%20)
		return "[" + more + item + "]", len(more)/(len(item)+1)*(size+1) + size + 2
	case 2:
		for i := range n % 5 {
			member, size := s.value()
			text += fmt.Sprintf(`"%d":%s,`, i, member)
			cut += size + 5
		}
		return "{" + strings.TrimSuffix(text, ",") + "}", cut + 2
	default:
		text = []string{"0", "-1.5e+300", "true", "null"}[n%4]
		return text, len(text)
	}
}

// FuzzPipe: whatever Chromium says, and in whatever pieces, the driver hears what is small as
// it was said, and of what is large JSON of a bounded size that lacks but the ends of strings.
func FuzzPipe(f *testing.F) {
	f.Add([]byte{0, 2 + 4*4, 4 * 4, 3, 4, 5, 6, 3, 1 + 4*3, 0, 7}, []byte{0, 0, 1, 2})
	f.Add([]byte{0, 4, 20*8 + 3, 1, 4, 20*8 + 5, 0, 8, 20*8 + 1, 20*8 + 2}, []byte{200, 0, 0, 255, 255, 255, 255, 3})
	f.Add([]byte{0, 1 + 4*19, 3, 0, 1 + 4*18, 2 + 4, 4, 0, 0, 1 + 4*9, 4, 11 * 8}, bytes.Repeat([]byte{255}, 8))
	node := exec.CommandContext(f.Context(), programs.NodePath, "-e", pipes)
	node.Stderr = os.Stderr
	in, err := node.StdinPipe()
	if err != nil {
		f.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := node.Start(); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = node.Wait() }) // it was killed
	to, from := bufio.NewWriter(in), bufio.NewReader(out)
	f.Fuzz(func(t *testing.T, program, sizes []byte) {
		s := &sayings{program[:min(len(program), 1000)], 2 << 20}
		var said []string
		var cut []int
		var all bytes.Buffer
		for len(s.bytes) > 0 {
			form := `{"method":"M","params":%s,"sessionId":"%d"}`
			if s.next()%2 == 1 {
				form = `{"id":1,"result":%s,"sessionId":"%d"}`
			}
			value, size := s.value()
			said, cut = append(said, fmt.Sprintf(form, value, len(said))), append(cut, size+len(form)+10)
			all.WriteString(said[len(said)-1] + "\x00")
		}
		send := func(chunk []byte) {
			_ = binary.Write(to, binary.LittleEndian, uint32(len(chunk))) // told when it is read
			_, _ = to.Write(chunk)
		}
		for _, b := range sizes {
			size := int(b) + 1
			if size > 128 {
				size = (size - 128) << 10
			}
			if all.Len() > 0 {
				send(all.Next(size))
			}
		}
		for all.Len() > 0 {
			send(all.Next(64 << 10))
		}
		send(nil)
		if err := to.Flush(); err != nil {
			t.Fatal(err)
		}
		var size uint32
		if err := binary.Read(from, binary.LittleEndian, &size); err != nil {
			t.Fatal(err)
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(from, text); err != nil {
			t.Fatal(err)
		}
		heard := strings.Split(string(text), "\x00")
		for i, message := range said {
			large := len(message) > maxEvent && message[2] == 'm'
			switch there := strings.HasSuffix(heard[0], fmt.Sprintf(`,"sessionId":"%d"}`, i)); {
			case !there && (!large || cut[i] <= maxEvent):
				t.Fatalf("message %d, %.100s… (%d bytes), is left out, or is %.100s…", i, message, len(message), heard[0])
			case !there:
				continue
			case !large && heard[0] != message:
				t.Errorf("%.100s… (%d bytes) became %.100s… (%d)", message, len(message), heard[0], len(heard[0]))
			case large && len(heard[0]) > maxEvent:
				t.Errorf("%.100s… (%d bytes) still has %d", message, len(message), len(heard[0]))
			case large:
				var got, want any
				if err := json.Unmarshal([]byte(heard[0]), &got); err != nil {
					t.Errorf("%.100s… (%d bytes) is no JSON any longer: %v", message, len(message), err)
				} else if err := json.Unmarshal([]byte(message), &want); err != nil || !shortened(got, want) {
					t.Errorf("%.100s… (%d bytes) became %.100s… (%d): %v", message, len(message), heard[0], len(heard[0]), err)
				}
			}
			heard = heard[1:]
		}
		if len(heard) != 1 || heard[0] != "" {
			t.Errorf("nobody has said %.100q", heard)
		}
	})
}

// shortened: a value is another one, but for the ends of long strings, of which a sign may be
// left in part.
func shortened(got, want any) bool {
	switch want := want.(type) {
	case string:
		got, ok := got.(string)
		return ok && (got == want || len(got) > 150 && strings.HasPrefix(want, strings.TrimRight(got, "\ufffd")))
	case []any:
		got, ok := got.([]any)
		return ok && slices.EqualFunc(got, want, shortened)
	case map[string]any:
		got, ok := got.(map[string]any)
		return ok && maps.EqualFunc(got, want, shortened)
	default:
		return got == want
	}
}
