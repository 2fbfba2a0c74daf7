package comparison

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"understudy/domain/stats"
)

func meanOf(values []float64) Mean {
	interval := stats.MeanInterval(values)
	return Mean{Mean: told(stat.Mean(values, nil)), Low: told(interval.Low), High: told(interval.High), N: len(values)}
}

// effect is an effect as it is told.
func effect(e stats.Effect) Effect {
	return Effect{Estimate: told(e.Estimate), Low: limit(e.Low), High: limit(e.High)}
}

// limit is a limit of an interval, nil where there is none.
func limit(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = told(v)
	return &v
}

// told is a number as it is told, to six decimals: what lies behind them is the
// rounding of sums and of the search for limits. There is no negative zero.
func told(v float64) float64 { return math.Round(v*1e6)/1e6 + 0 }

func deviation(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	return stat.StdDev(values, nil)
}

func square(v float64) float64 { return v * v }

func share(k, n int) Share {
	low, high := stats.Wilson(k, n, stats.Z95)
	return Share{Succeeded: k, Total: n, Rate: float64(k) / float64(max(1, n)), Low: low, High: high}
}

// success compares who reached the goal.
func (d *data) success() Success {
	if !d.paired {
		kA, kB := succeeded(d.a), succeeded(d.b)
		p, exact := stats.Proportions(kA, len(d.a), kB, len(d.b))
		s := Success{
			A: share(kA, len(d.a)), B: share(kB, len(d.b)), PValue: p, Method: "N − 1 chi-square",
			Difference: effect(stats.Newcombe(kA, len(d.a), kB, len(d.b))),
		}
		if exact {
			s.Method = "Fisher's exact test"
		}
		return s
	}
	var c stats.Pairs
	for _, p := range d.pairs {
		switch {
		case p.a.Succeeded && p.b.Succeeded:
			c.Both++
		case p.a.Succeeded:
			c.OnlyA++
		case p.b.Succeeded:
			c.OnlyB++
		default:
			c.Neither++
		}
	}
	kA, kB := c.Both+c.OnlyA, c.Both+c.OnlyB
	n := len(d.pairs)
	return Success{
		A: share(kA, n), B: share(kB, n), Difference: effect(stats.NewcombePaired(c)),
		PValue: stats.McNemarMidP(c.OnlyA, c.OnlyB), Method: "McNemar mid-p",
	}
}

func succeeded(all []*Session) (n int) {
	for _, s := range all {
		if s.Succeeded {
			n++
		}
	}
	return n
}

// time compares the simulated time of those who reached the goal; of pairs, of
// those who reached it with both designs.
func (d *data) time() Time {
	var a, b []float64
	censored := 0
	if d.paired {
		for _, p := range d.pairs {
			if !p.a.Succeeded || !p.b.Succeeded {
				censored++
				continue
			}
			a, b = append(a, p.a.Seconds), append(b, p.b.Seconds)
		}
	} else {
		a, b = seconds(d.a), seconds(d.b)
		censored = len(d.a) + len(d.b) - len(a) - len(b)
	}
	t := Time{MedianA: median(a), MedianB: median(b), PValue: 1, N: len(a), Censored: censored}
	compared := stats.GeometricRatioPaired
	if !d.paired {
		compared = stats.GeometricRatio
		t.N = len(a) + len(b)
	}
	if r := compared(a, b); r.Known() {
		ratio := effect(r.Effect)
		t.Ratio, t.PValue = &ratio, r.P
	}
	return t
}

func seconds(all []*Session) (out []float64) {
	for _, s := range all {
		if s.Succeeded {
			out = append(out, s.Seconds)
		}
	}
	return out
}

func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := stat.Quantile(0.5, stat.LinInterp, sorted(values), nil)
	return &m
}
