package session

import "math"

// completedV1 is the shape of Completed until version 2. It counted the time of
// the walk in seconds, a fraction, where the steps count milliseconds, so that
// the two could not be compared exactly.
type completedV1 struct {
	completedFields

	SimulatedSeconds float64 `json:"simulated_seconds"`
}

// completedFields are those of Completed, and not an event.
type completedFields Completed

// liftCompleted loses nothing: what was recorded were whole milliseconds
// divided by 1000.
func liftCompleted(old completedV1) Completed {
	old.SimulatedMS = int(math.Round(old.SimulatedSeconds * 1000))
	return Completed(old.completedFields)
}

// SimulatedSeconds is the time of the walk as answers and messages tell it.
func (e Completed) SimulatedSeconds() float64 { return Seconds(e.SimulatedMS) }

// Seconds writes milliseconds as seconds.
func Seconds(ms int) float64 { return float64(ms) / 1000 }
