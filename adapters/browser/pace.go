package browser

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// beat is how often it is measured how late a timer of this process is.
	beat = 50 * time.Millisecond
	// prompt is the mean lateness up to which a machine counts as unhurried. Measured on
	// two cores: 0.2 ms idle, 2 ms beside work of lower priority, 20 to 30 ms under 25
	// busy loops, where pages take about eight times as long.
	prompt = 4 * time.Millisecond
	// slowest bounds the factor: a machine that is later is too late to tell anything.
	slowest = 8
	// tooLate is the factor from which what a page does not do is not held against it
	// (an assumption).
	tooLate = 3
	// recent is the least time that a factor speaks of, remembered the most.
	recent     = time.Second
	remembered = 30 * time.Second
	// lately is what a factor speaks of that is asked for before a wait.
	lately = 2 * time.Second
)

// pace tells how late this machine is: by how much timers of this process are, which
// has nothing to do but wait for them. It measures from the first question on until it
// is ended. The zero value is ready for use.
type pace struct {
	start sync.Once
	stop  chan struct{}

	mu    sync.Mutex
	beats [remembered / beat]time.Duration // lateness, the newest at n-1
	ready [remembered / beat]int           // threads that ran or wanted to then
	n     int
	due   time.Time // of the next one
}

// measure begins to measure, once.
func (p *pace) measure() {
	p.start.Do(func() {
		stop := make(chan struct{})
		p.mu.Lock()
		p.stop, p.due = stop, time.Now().Add(beat)
		p.mu.Unlock()
		go p.run(stop)
	})
}

func (p *pace) run(stop <-chan struct{}) {
	for {
		timer := time.NewTimer(beat)
		select {
		case <-stop:
			timer.Stop()
			return
		case <-timer.C:
			p.note(time.Now(), wantToRun())
		}
	}
}

// note notes that the beat which was due has come, and how many threads want to run.
func (p *pace) note(now time.Time, ready int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beats[p.n%len(p.beats)], p.ready[p.n%len(p.ready)] = now.Sub(p.due), ready
	p.n++
	p.due = now.Add(beat)
}

// wantToRun is how many threads of this machine run or want to, the one that asks left out; 0
// where the system does not tell.
func wantToRun() int {
	raw, err := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 3/80 11206
	fields := strings.Fields(string(raw))
	if err != nil || len(fields) < 4 {
		return 0
	}
	ready, _, _ := strings.Cut(fields[3], "/")
	n, err := strconv.Atoi(ready)
	if err != nil {
		return 0
	}
	return max(0, n-1)
}

// crowd is how many threads shared a core, from 1 to tooLate, as the last while was. Pages
// that compute get such a part of one, while timers of who mostly waits are on time: seen with
// six pages on two cores, each of which took 10 s for what takes it two alone.
func (p *pace) crowd(last time.Duration) float64 {
	p.measure()
	p.mu.Lock()
	defer p.mu.Unlock()
	sum, n := 0, 0
	for ; n < min(p.n, len(p.ready)) && time.Duration(n)*beat < max(last, recent); n++ {
		sum += p.ready[(p.n-1-n)%len(p.ready)]
	}
	return min(max(1, float64(sum)/float64(max(1, n)*runtime.NumCPU())), tooLate)
}

// share is the part of a core, up to 1, that who computes had in the last while.
func (p *pace) share(last time.Duration) float64 {
	p.measure()
	p.mu.Lock()
	defer p.mu.Unlock()
	sum, n := 0.0, 0
	for ; n < min(p.n, len(p.ready)) && time.Duration(n)*beat < last; n++ {
		sum += min(1, float64(runtime.NumCPU())/float64(max(1, p.ready[(p.n-1-n)%len(p.ready)])))
	}
	if n == 0 {
		return 1
	}
	return sum / float64(n)
}

// end ends the measuring, if it has begun.
func (p *pace) end() {
	p.start.Do(func() {})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
}

// over is the factor, from 1 to slowest, by which to wait longer than on an unhurried
// machine, as the last while was.
func (p *pace) over(last time.Duration) float64 {
	p.measure()
	return p.at(time.Now(), last)
}

func (p *pace) at(now time.Time, last time.Duration) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The beat that is overdue counts as well: it may be the latest of all.
	late := max(0, now.Sub(p.due))
	sum, n := late, 1
	for span := late + beat; n <= min(p.n, len(p.beats)) && span < max(last, recent); n++ {
		l := p.beats[(p.n-n)%len(p.beats)]
		sum += l
		span += l + beat
	}
	return factorOf(sum / time.Duration(n))
}

// factorOf is how much longer to wait for a mean lateness.
func factorOf(late time.Duration) float64 {
	return min(max(1, float64(late)/float64(prompt)), slowest)
}

// Pace is how much later than an unhurried machine this one is at the moment: 1 for not
// at all, 8 at most.
func (b *Browser) Pace() float64 { return b.pace.over(lately) }

// since is the factor for a wait that goes on: what was late when it began counts for
// less the longer it lasts.
func (p *pace) since(start time.Time) float64 { return p.over(max(lately, time.Since(start))) }

// left is how much is left of a wait that began then, on a machine as it was meanwhile:
// late, or crowded.
func (p *pace) left(began time.Time, limit time.Duration) time.Duration {
	waited := time.Since(began)
	return times(max(p.over(waited), p.crowd(waited)), limit) - waited
}

// times is a wait on a machine of this pace.
func times(pace float64, wait time.Duration) time.Duration {
	return time.Duration(pace * float64(wait))
}

// begun is when a wait for a page began, and what had been queued until then.
type begun struct {
	at     time.Time
	queued map[int]time.Duration
}

// waited is how long a page took, how much of that its browser wanted to run and was
// not let, and how long the longest answer took of those it waited for. The driver, the
// browser and the page have one thread each that everything passes through, one after the
// other; of several pages it is the one that was let least.
// Measured on two cores at a load of 20: 3.1 s of the 3.3 s that a page took which takes
// 0.2 s alone, while timers were on time.
type waited struct{ took, queued, served time.Duration }

func (e *engine) begin() begun { return begun{time.Now(), e.queues()} }

func (e *engine) since(b begun) waited {
	w := waited{took: time.Since(b.at)}
	var page time.Duration
	for pid, q := range e.queues() {
		q = max(0, q-b.queued[pid])
		if pid == e.driverPID || pid == e.chromiumPID {
			w.queued += q
		} else {
			page = max(page, q)
		}
	}
	w.queued = min(w.queued+page, w.took)
	return w
}

// queues is how long the main threads have wanted to run and were not let, by process.
func (e *engine) queues() map[int]time.Duration {
	out := map[int]time.Duration{e.driverPID: queued(e.driverPID), e.chromiumPID: queued(e.chromiumPID)}
	for _, zygote := range e.zygotes {
		for _, pid := range forked(zygote) {
			out[pid] = queued(pid)
		}
	}
	return out
}

// unhurried is how long the page would have taken on a machine of which this is the pace,
// and where who computes has this share of a core, if that had nothing else to do: what is
// drawn, sent and received takes other threads than the three. What a server takes is not
// computed here.
func (w waited) unhurried(pace, share float64) time.Duration {
	alone := min(time.Duration(float64(w.took)/pace), w.took-w.queued)
	return min(alone, max(time.Duration(float64(w.took)*share), w.served))
}

// late: what the page did not do meanwhile is not held against it.
func (w waited) late(pace float64) bool {
	return pace >= tooLate || w.took >= lately && w.took >= tooLate*(w.took-w.queued)
}
