package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"understudy/adapters/client"
)

const (
	// narrowest and usualWidth bound a line, in columns.
	narrowest, usualWidth = 20, 80
	// redraws is how often the line of a terminal is drawn at most.
	redraws = 100 * time.Millisecond
)

// progress tells how tests go: a line that is drawn again and again in a terminal,
// else a line for each session that ends.
type progress struct {
	out      io.Writer
	terminal *os.File // nil: none
	styles   styles
	several  bool
	begun    time.Time

	mu    sync.Mutex
	tests []*line
	drawn time.Time
}

// newProgress tells of one test, or of several.
func newProgress(out io.Writer, getenv func(string) string, several bool) *progress {
	p := &progress{out: out, styles: stylesFor(out), several: several, begun: time.Now()}
	if file, ok := out.(*os.File); ok && onTerminal(out) && getenv("TERM") != "dumb" && getenv("CI") == "" {
		p.terminal = file
	}
	return p
}

// line is how one test goes.
type line struct {
	progress *progress
	title    string
	total    int
	ended    int
	reached  int
	people   map[string]string // names by session
	now      string            // what was thought last
	over     bool
}

func (p *progress) test(title string, total int) *line {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &line{progress: p, title: title, total: total, people: map[string]string{}}
	p.tests = append(p.tests, l)
	return l
}

// tell takes in a message of the test's stream.
func (l *line) tell(m client.Message) {
	p := l.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	var said struct {
		Persona struct{ Name string }
		Thought string
		Outcome string
		Steps   int
		Seconds float64 `json:"simulated_seconds"`
		Failure struct{ Message string }
	}
	if json.Unmarshal(m.Data, &said) != nil {
		return // of a service that is newer
	}
	who := l.people[m.SessionID]
	switch m.Type {
	case "session.queued":
		l.people[m.SessionID] = said.Persona.Name
	case "session.step":
		if said.Thought != "" {
			l.now = who + ": " + said.Thought
		}
	case "session.completed":
		l.ended++
		if said.Outcome == string(client.SessionOutcomeSucceeded) {
			l.reached++
		}
		p.print(l, fmt.Sprintf("%s %s after %s, %s", who, outcomeWords(said.Outcome), counted(said.Steps, "step"), seconds(said.Seconds)))
	case "session.failed":
		l.ended++
		p.print(l, fmt.Sprintf("%s could not be carried through: %s", who, said.Failure.Message))
	}
	p.draw(false)
}

// lost tells that the connection is made again.
func (l *line) lost(err error) {
	l.progress.mu.Lock()
	defer l.progress.mu.Unlock()
	l.progress.print(l, fmt.Sprintf("connection lost, trying again (%v)", err))
}

// done ends the line of a test.
func (l *line) done() {
	l.progress.mu.Lock()
	defer l.progress.mu.Unlock()
	l.over = true
	l.progress.draw(true)
}

// close leaves the terminal as it was.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.terminal != nil {
		_, _ = io.WriteString(p.out, "\r"+ansi.EraseEntireLine)
	}
}

// print puts a line that stays.
func (p *progress) print(l *line, text string) {
	p.erase()
	title := ""
	if p.several {
		title = l.title + ": "
	}
	count := p.styles.quiet.Render(fmt.Sprintf("[%d/%d]", l.ended, l.total))
	text = ansi.Strip(clean(title + text))
	if p.terminal != nil {
		text = ansi.Truncate(text, widthOf(p.terminal)-lipgloss.Width(count)-1, "…")
	}
	say(p.out, "%s %s", count, text)
}

// draw draws the terminal's last line: how many have ended, and what somebody thinks.
func (p *progress) draw(now bool) {
	if p.terminal == nil || (!now && time.Since(p.drawn) < redraws) {
		return
	}
	p.drawn = time.Now()
	var total, ended, reached int
	thought := ""
	for _, l := range p.tests {
		total, ended, reached = total+l.total, ended+l.ended, reached+l.reached
		if !l.over {
			thought = l.now
		}
	}
	text := fmt.Sprintf("%s %d of %d, %d reached the goal, %s  ", bar(ended, total), ended, total, reached, time.Since(p.begun).Round(time.Second))
	text += p.styles.quiet.Render(clean(thought))
	p.erase()
	_, _ = io.WriteString(p.out, ansi.Truncate(text, widthOf(p.terminal)-1, "…"))
}

// counted is a number with its word.
func counted(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// bar is a bar of ten cells.
func bar(n, of int) string {
	const cells = 10
	full := 0
	if of > 0 {
		full = cells * n / of
	}
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// clean makes one line of a text that a page may have had a hand in: without what a
// terminal would obey.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) {
			return ' '
		}
		return r
	}, s)), " ")
}

func seconds(s float64) string {
	return (time.Duration(s * float64(time.Second))).Round(time.Second).String()
}

// outcomeWords says how a walk ended; none is that of who took the task for done
// where nothing confirms it.
func outcomeWords(outcome string) string {
	words, known := map[string]string{
		"succeeded": "reached the goal", "gave_up": "gave up", "blocked": "was blocked", "out_of_steps": "ran out of steps", "": "took it for done",
	}[outcome]
	if !known {
		return outcome
	}
	return words
}
