package main

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// followerMetrics shows Prometheus how far the read models and reactors are.
type followerMetrics struct{ *readiness }

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("understudy_"+name, help, labels, nil)
}

var (
	logPosition       = described("log_position", "Commit position of the last event of the log.")
	modelPosition     = described("projection_position", "Commit position that the projection has reached.", "projection")
	modelLagEvents    = described("projection_lag_events", "Events that the projection has yet to apply; above 1000 at most these.", "projection")
	modelLagSeconds   = described("projection_lag_seconds", "Age of the oldest event that the projection has yet to apply.", "projection")
	modelStopped      = described("projection_stopped", "1 when the projection has stopped at an event that it cannot apply.", "projection")
	modelUnknown      = described("projection_unknown_events_total", "Events of unknown type that were passed.", "projection")
	reactorPosition   = described("reactor_position", "Commit position of the reactor's checkpoint.", "reactor")
	reactorLagEvents  = described("reactor_lag_events", "Events that the reactor has yet to react to; above 1000 at most these.", "reactor")
	reactorLagSeconds = described("reactor_lag_seconds", "Age of the oldest event that the reactor has yet to react to.", "reactor")
	reactorStopped    = described("reactor_stopped", "1 when the reactor has stopped at an event that it cannot react to.", "reactor")
	reactorHolds      = described("reactor_holding", "1 when the next event is one that only a newer program knows.", "reactor")
)

// Describe names the metrics.
func (m followerMetrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		logPosition, modelPosition, modelLagEvents, modelLagSeconds, modelStopped, modelUnknown,
		reactorPosition, reactorLagEvents, reactorLagSeconds, reactorStopped, reactorHolds,
	} {
		out <- d
	}
}

// Collect reads them. While the log or the database does not answer, there are
// only positions that this process knows itself.
func (m followerMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	tell := func(d *prometheus.Desc, v float64, labels ...string) {
		kind := prometheus.GaugeValue
		if d == modelUnknown {
			kind = prometheus.CounterValue
		}
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	l, err := m.lags.read(ctx)
	if err != nil {
		for _, p := range m.projections {
			tell(modelPosition, float64(m.positions.At(ctx, p.Name)), p.Name)
		}
		return
	}
	tell(logPosition, float64(l.head))
	for name, f := range l.readModels {
		tell(modelPosition, float64(f.position), name)
		tell(modelLagEvents, float64(f.events), name)
		tell(modelLagSeconds, f.seconds, name)
		tell(modelStopped, oneIf(f.stopped != ""), name)
		tell(modelUnknown, float64(f.unknown), name)
	}
	for name, f := range l.reactors {
		tell(reactorPosition, float64(f.position), name)
		tell(reactorLagEvents, float64(f.events), name)
		tell(reactorLagSeconds, f.seconds, name)
		tell(reactorStopped, oneIf(f.stopped != ""), name)
		tell(reactorHolds, oneIf(f.backlog.Next != nil), name)
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
