package validity

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Trend is Page's test (Page 1963) of whether values grow along ordered
// conditions. Each row holds one subject's values under all conditions, in
// their order. It returns the standard normal deviate of Page's L, with average
// ranks for ties and the variance that ties leave, and the one-sided
// probability of so strong a growth by chance; 0 and 1 when nothing differs.
func Trend(rows [][]float64) (z, probability float64) {
	var excess, variance float64
	for _, row := range rows {
		k := float64(len(row))
		if len(row) < 2 {
			continue
		}
		middle := (k + 1) / 2
		var product, ranks, places float64
		for j, rank := range averageRanks(row) {
			place := float64(j+1) - middle
			product += place * (rank - middle)
			ranks += (rank - middle) * (rank - middle)
			places += place * place
		}
		excess += product
		variance += ranks * places / (k - 1) // of the sum under all permutations of the row
	}
	if variance == 0 {
		return 0, 1
	}
	z = excess / math.Sqrt(variance)
	return z, distuv.UnitNormal.Survival(z)
}

// averageRanks ranks values from 1; equal ones share the mean of their ranks.
func averageRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			out[at] = float64(i+j+1) / 2
		}
		i = j
	}
	return out
}

// MeanInterval is the mean of values with its 95 % interval by Student's t.
// Fewer than two values say nothing about the mean of others.
func MeanInterval(values []float64) (mean, low, high float64) {
	if len(values) < 2 {
		return stat.Mean(values, nil), math.Inf(-1), math.Inf(1)
	}
	mean, sd := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
	return mean, mean - half, mean + half
}
