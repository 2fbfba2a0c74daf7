package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"understudy/domain/comparison"
	"understudy/domain/scoring"
)

// crowd is how scores of the same, or of different, people with two designs are
// drawn: by a Gaussian copula. Every criterion is normal with scoreDeviation
// about a mean of its own, cut to [0,1] and rounded as scores are; between the
// criteria of one walk there is the correlation sharedByPerson, and ρ between the
// same criterion of a person with A and with B.
type crowd struct {
	rho float64
	// shift is by how much B's scores lie above A's, half of it to either side.
	shift float64
	// paired: A and B have the same people.
	paired bool
	// same is the share of people who walk B exactly as A.
	same float64
}

const (
	scoreDeviation = 0.15
	sharedByPerson = 0.3
	// leastMean and mostMean are those of the first and the last criterion.
	leastMean, mostMean = 0.4, 0.6
)

// graded are the criteria that are drawn, all but task_completion: everybody
// reaches the goal, and overall is their mean.
var graded = scoring.Criteria[1:]

// overallDeviation is the standard deviation of overall, the mean of the
// criteria, but for what is cut.
var overallDeviation = scoreDeviation * math.Sqrt(sharedByPerson+(1-sharedByPerson)/float64(len(graded)))

// person draws somebody's scores with both designs, of unpaired people
// somebody's with A and somebody else's with B.
func (c crowd) person(chance *rand.Rand) (a, b []float64) {
	rho, fresh := c.rho, math.Sqrt(1-c.rho*c.rho)
	if c.same > 0 && chance.Float64() < c.same {
		rho, fresh = 1, 0
	}
	both := func() (x, y float64) {
		x = chance.NormFloat64()
		return x, rho*x + fresh*chance.NormFloat64()
	}
	personA, personB := both()
	for i := range graded {
		ownA, ownB := both()
		mean := meanOf(i)
		shared, own := math.Sqrt(sharedByPerson), math.Sqrt(1-sharedByPerson)
		a = append(a, asScore(mean-c.shift/2+scoreDeviation*(shared*personA+own*ownA)))
		b = append(b, asScore(mean+c.shift/2+scoreDeviation*(shared*personB+own*ownB)))
	}
	return a, b
}

func meanOf(criterion int) float64 {
	return leastMean + (mostMean-leastMean)*float64(criterion)/float64(len(graded)-1)
}

// truth is the difference of overall that the crowd really has.
func (c crowd) truth() float64 {
	sum := 0.0
	for i := range graded {
		sum += cutMean(meanOf(i)+c.shift/2, scoreDeviation) - cutMean(meanOf(i)-c.shift/2, scoreDeviation)
	}
	return sum / float64(len(graded))
}

// cutMean is the mean of a normal variable that is cut to [0,1].
func cutMean(mean, sd float64) float64 {
	density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	below, above := -mean/sd, (1-mean)/sd
	return mean*(normal(above)-normal(below)) + sd*(density(below)-density(above)) + 1 - normal(above)
}

// normal is the standard normal distribution function.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// asScore cuts and rounds as scoring.Score does.
func asScore(v float64) float64 { return math.Round(math.Max(0, math.Min(1, v))*10000) / 10000 }

// straightSeconds is how long everybody takes on the shortest way.
const straightSeconds = 30

// session is one that reached the goal. Its time agrees with its efficiency, as
// comparisons put efficiency on a clock that is common to both designs.
func session(index int, who string, scores []float64) comparison.Session {
	s := comparison.Session{
		ID: fmt.Sprint("session ", index), Index: index, Who: fmt.Sprint(who, "person ", index), Usable: true, Succeeded: true, Scores: map[string]float64{},
	}
	for i, c := range graded {
		s.Scores[c] = scores[i]
	}
	s.Scores[scoring.Efficiency] = math.Max(0.01, s.Scores[scoring.Efficiency])
	s.Seconds = straightSeconds / s.Scores[scoring.Efficiency]
	return s
}

// completionTests are two tests that ask for completion alone, which 60 % and
// 80 % of the same people reach; rho correlates what lies behind it. Who fell
// short has done none of the task.
func completionTests(chance *rand.Rand, run int, rho float64, seen *moments) (a, b comparison.Test) {
	only := []string{scoring.TaskCompletion}
	a, b = emptyTest("a", run, only), emptyTest("b", run, only)
	for i := range studyPeople {
		x := chance.NormFloat64()
		y := rho*x + math.Sqrt(1-rho*rho)*chance.NormFloat64()
		// The standard normal quantiles of .6 and .8.
		reachedA, reachedB := x < 0.2533471031, y < 0.8416212336
		seen.add(float64(one(reachedA)), float64(one(reachedB)))
		for _, side := range []struct {
			test    *comparison.Test
			reached bool
		}{{&a, reachedA}, {&b, reachedB}} {
			side.test.Sessions = append(side.test.Sessions, comparison.Session{
				ID: fmt.Sprint("session ", i), Index: i, Who: fmt.Sprint("person ", i), Usable: true, Succeeded: side.reached, Seconds: straightSeconds,
				Scores: map[string]float64{scoring.TaskCompletion: float64(one(side.reached))},
			})
		}
	}
	return a, b
}
