package forms

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// linear is a·x + b.
type linear struct{ a, b float64 }

// sum reads a sum from left to right; it fails on what is no linear sum.
type sum struct {
	rest    []rune
	unknown rune
	failed  bool
	depth   int
}

// solve is the answer to a sum or an equation in one unknown: the number that is
// left out, or the unknown's.
func solve(text string) (string, bool) {
	text = strings.NewReplacer("×", "*", "·", "*", "÷", "/", "−", "-", "–", "-", "?", "", "_", "").Replace(text)
	left, right, equation := strings.Cut(text, "=")
	if !equation || !strings.ContainsAny(left+right, "0123456789") {
		return "", false
	}
	if at := strings.LastIndexAny(left, ":"); at >= 0 {
		left = left[at+1:]
	}
	s := &sum{rest: []rune(left)}
	l := s.side()
	r := linear{}
	if asked := strings.TrimRight(right, " .!"); strings.TrimSpace(asked) != "" {
		s.rest = []rune(asked)
		r = s.side()
	} else if s.unknown != 0 || !strings.ContainsAny(strings.TrimSpace(left), "+-*/") {
		return "", false
	} else {
		return shown(l.b, s.failed)
	}
	if s.unknown == 0 || l.a == r.a {
		return "", false
	}
	return shown((r.b-l.b)/(l.a-r.a), s.failed)
}

func shown(x float64, failed bool) (string, bool) {
	if failed || math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e12 {
		return "", false
	}
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64), true
}

// side reads a whole side.
func (s *sum) side() linear {
	out := s.terms()
	if s.skip(); len(s.rest) > 0 {
		s.failed = true
	}
	return out
}

func (s *sum) skip() {
	for len(s.rest) > 0 && unicode.IsSpace(s.rest[0]) {
		s.rest = s.rest[1:]
	}
}

// take takes one of some signs, 0 for none.
func (s *sum) take(signs string) rune {
	if s.skip(); len(s.rest) > 0 && strings.ContainsRune(signs, s.rest[0]) {
		r := s.rest[0]
		s.rest = s.rest[1:]
		return r
	}
	return 0
}

func (s *sum) terms() linear {
	out := s.product()
	for !s.failed {
		switch s.take("+-") {
		case '+':
			t := s.product()
			out = linear{out.a + t.a, out.b + t.b}
		case '-':
			t := s.product()
			out = linear{out.a - t.a, out.b - t.b}
		default:
			return out
		}
	}
	return out
}

func (s *sum) product() linear {
	out := s.factor()
	for !s.failed {
		sign := s.take("*/")
		if sign == 0 {
			if s.skip(); len(s.rest) == 0 || s.rest[0] != '(' && !unicode.IsLetter(s.rest[0]) {
				return out
			}
		}
		f := s.factor()
		switch {
		case sign == '/' && f.a == 0 && f.b != 0:
			out = linear{out.a / f.b, out.b / f.b}
		case sign != '/' && f.a == 0:
			out = linear{out.a * f.b, out.b * f.b}
		case sign != '/' && out.a == 0:
			out = linear{f.a * out.b, f.b * out.b}
		default:
			s.failed = true
		}
	}
	return out
}

func (s *sum) factor() linear {
	if s.depth++; s.depth > 50 {
		s.failed = true
		return linear{}
	}
	defer func() { s.depth-- }()
	switch {
	case s.take("-") != 0:
		f := s.factor()
		return linear{-f.a, -f.b}
	case s.take("(") != 0:
		out := s.terms()
		if s.take(")") == 0 {
			s.failed = true
		}
		return out
	}
	s.skip()
	n := 0
	for n < len(s.rest) && (unicode.IsDigit(s.rest[n]) || s.rest[n] == '.') {
		n++
	}
	if v, err := strconv.ParseFloat(string(s.rest[:n]), 64); n > 0 && err == nil {
		s.rest = s.rest[n:]
		return linear{0, v}
	}
	if n == 0 && len(s.rest) > 0 && unicode.IsLetter(s.rest[0]) && (len(s.rest) == 1 || !unicode.IsLetter(s.rest[1])) && (s.unknown == 0 || s.unknown == s.rest[0]) {
		s.unknown, s.rest = s.rest[0], s.rest[1:]
		return linear{1, 0}
	}
	s.failed = true
	return linear{}
}
