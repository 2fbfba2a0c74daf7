package language

import (
	_ "embed" // words.bin
	"math"
	"strings"
)

//go:generate go run vectors/main.go

// vocabulary is words.bin, read in place: nothing is unpacked and nothing is
// done at start-up. vectors/main.go describes the layout.
//
//go:embed words.bin
var vocabulary string

const (
	dimensions = 100
	known      = 60_000 // words in the vocabulary; the ranks are 1 to known
	unknown    = -1     // index of a word that the vocabulary lacks

	atEnds    = 4
	atRanks   = atEnds + 4*known
	atLengths = atRanks + 2*known
	atNumbers = atLengths + 4*known
	atTexts   = atNumbers + dimensions*known
)

func uint32At(at int) uint32 {
	_ = vocabulary[at+3]
	return uint32(vocabulary[at]) | uint32(vocabulary[at+1])<<8 | uint32(vocabulary[at+2])<<16 | uint32(vocabulary[at+3])<<24
}

func textOf(index int32) string {
	from := 0
	if index > 0 {
		from = int(uint32At(atEnds + 4*int(index) - 4))
	}
	return vocabulary[atTexts+from : atTexts+int(uint32At(atEnds+4*int(index)))]
}

// lookUp returns the index of a word in the vocabulary, or unknown.
func lookUp(text string) int32 {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return unknown
	}
	low, high := int32(0), int32(known)
	for low < high {
		middle := (low + high) / 2
		switch strings.Compare(textOf(middle), text) {
		case 0:
			return middle
		case -1:
			low = middle + 1
		default:
			high = middle
		}
	}
	return unknown
}

// rank is the place of a word in the order of frequency, from 1 (the most
// frequent); known + 1 for an unknown word.
func rank(index int32) int {
	if index < 0 {
		return known + 1
	}
	at := atRanks + 2*int(index)
	return int(vocabulary[at]) | int(vocabulary[at+1])<<8
}

// idf is 0 for the most frequent word and 1 for an unknown one. By Zipf's law a
// word's frequency falls as 1/rank, so that the logarithm of the rank is its
// information up to a constant.
func idf(rank int) float64 {
	return math.Log(float64(rank)) / math.Log(known+1)
}

// cosine is the similarity of two words of the vocabulary, −1 to 1.
func cosine(a, b int32) float64 {
	x := vocabulary[atNumbers+dimensions*int(a) : atNumbers+dimensions*(int(a)+1)]
	y := vocabulary[atNumbers+dimensions*int(b) : atNumbers+dimensions*(int(b)+1)]
	sum := int32(0)
	for i := range dimensions {
		sum += int32(int8(x[i])) * int32(int8(y[i]))
	}
	return float64(sum) / (length(a) * length(b))
}

func length(index int32) float64 {
	return float64(math.Float32frombits(uint32At(atLengths + 4*int(index))))
}
