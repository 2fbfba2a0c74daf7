package main

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"understudy/adapters/webhooksender"
	"understudy/domain"
)

// workMetrics show Prometheus what this process has done since its start: each is
// observed where the log gets the line about the same.
type workMetrics struct {
	requests *prometheus.HistogramVec
	sessions *prometheus.HistogramVec
	attempts *prometheus.HistogramVec
}

func newWorkMetrics() *workMetrics {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "understudy", Name: name, Help: help, Buckets: buckets}, labels)
	}
	return &workMetrics{
		requests: histogram("http_request_duration_seconds", "Time to answer requests, streams and files excepted.",
			prometheus.DefBuckets, "method", "route", "status"),
		sessions: histogram("session_duration_seconds", "Time to walk sessions, by how they ended.",
			[]float64{.1, .5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 1200}, "environment", "outcome"),
		attempts: histogram("delivery_attempt_duration_seconds", "Time of attempts at deliveries, by what came of them.",
			prometheus.DefBuckets, "environment", "result"),
	}
}

func (m *workMetrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.requests, m.sessions, m.attempts}
}

// request takes note of an answer. Statuses are counted by class, to keep the series few.
func (m *workMetrics) request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, fmt.Sprintf("%dxx", status/100)).Observe(took.Seconds())
}

// session takes note of a session's end.
func (m *workMetrics) session(env domain.Environment, outcome string, took time.Duration) {
	m.sessions.WithLabelValues(string(env), outcome).Observe(took.Seconds())
}

// attempt takes note of an attempt at a delivery.
func (m *workMetrics) attempt(env domain.Environment, out webhooksender.Outcome) {
	result := out.Error
	if out.OK {
		result = "delivered"
	} else if out.StatusCode != 0 {
		result = fmt.Sprintf("status_%dxx", out.StatusCode/100)
	}
	m.attempts.WithLabelValues(string(env), result).Observe(out.Latency.Seconds())
}
