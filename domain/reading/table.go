package reading

import (
	"math"
	"strings"

	"understudy/domain/language"
	"understudy/domain/walk"
)

// cell is where a cell stands in its table: numbers of both from 1, and the head of
// its column where the table has heads and the cell does not say it itself. label:
// its row is a label and a value.
type cell struct {
	table, row int
	head       string
	label      bool
}

const (
	// sameColumn is how far the edges or middles of a column's cells lie apart at
	// most, maxColumn how far a link may stand beside the cells that are perceived,
	// both in px: assumptions.
	sameColumn = 12.0
	maxColumn  = 320.0
	// headed is how many rows a table has at least that can have heads.
	headed = 2
)

// tables finds the tables that cells stand in, runs of cells with nothing between
// them, and the heads of their columns.
func tables(page *walk.Page) map[int]cell {
	out := map[int]cell{}
	number := 0
	for from := 0; from < len(page.Texts); {
		if page.Texts[from].Kind != "cell" {
			from++
			continue
		}
		to := from
		for to < len(page.Texts) && page.Texts[to].Kind == "cell" {
			to++
		}
		number++
		table(page.Texts, from, to, number, out)
		from = to
	}
	return out
}

// table numbers the rows of a run of cells and gives the cells their heads.
func table(texts []walk.Text, from, to, number int, out map[int]cell) {
	var rows [][]int
	for i := from; i < to; i++ {
		if n := len(rows); n == 0 || !sameRow(&texts[rows[n-1][0]], &texts[i]) {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
	}
	heads := headsOf(texts, rows)
	for n, row := range rows {
		for _, i := range row {
			c := cell{table: number, row: n + 1, label: len(row) == 2 && heads == nil && !told(&texts[row[0]]) && short(texts[row[0]].Text)}
			if n > 0 {
				for _, h := range heads {
					if inColumn(texts[h].Box, texts[i].Box) {
						c.head = texts[h].Text
						break
					}
				}
			}
			out[i] = c
		}
	}
}

// told: the page says itself what the cell is of.
func told(t *walk.Text) bool { return t.Head != "" }

// headsOf are the cells of a first row that are heads: all short, and in a column
// one kind of answer (a number, a name of somebody, an address …) stands in most of
// the rows below and not in the head.
func headsOf(texts []walk.Text, rows [][]int) []int {
	if len(rows) < headed || len(rows[0]) < 2 {
		return nil
	}
	for _, i := range rows[0] {
		if told(&texts[i]) || !short(texts[i].Text) || language.Holds(language.Number, texts[i].Text) && strings.ContainsAny(texts[i].Text, "0123456789") {
			return nil
		}
	}
	for _, h := range rows[0] {
		for _, kind := range []language.Kind{language.Number, language.Person, language.Email, language.Place} {
			below, of := 0, 0
			for _, row := range rows[1:] {
				for _, i := range row {
					if inColumn(texts[h].Box, texts[i].Box) {
						of++
						if holds(kind, texts[i].Text) {
							below++
						}
					}
				}
			}
			if below > 0 && 2*below >= of && !holds(kind, texts[h].Text) {
				// A column of labels has values of one kind beside it, and no heads.
				if len(rows[0]) > 2 || kind == language.Number && h == rows[0][1] || len(rows) > headed {
					return rows[0]
				}
			}
		}
	}
	return nil
}

func holds(kind language.Kind, text string) bool {
	if kind == language.Number {
		return strings.ContainsAny(text, "0123456789")
	}
	return language.Holds(kind, text)
}

func short(text string) bool { return len(strings.Fields(text)) <= labelWords }

// inColumn: a cell stands below a head: their left edges, middles or right edges
// are the same.
func inColumn(head, cell walk.Box) bool {
	return math.Abs(head.X-cell.X) < sameColumn || math.Abs(head.X+head.W/2-cell.X-cell.W/2) < sameColumn || math.Abs(head.X+head.W-cell.X-cell.W) < sameColumn
}

// sameRow: two cells say the same number of a row or, where they say none, stand
// side by side.
func sameRow(a, b *walk.Text) bool {
	if a.Row > 0 || b.Row > 0 {
		return a.Row == b.Row
	}
	return math.Abs(a.Box.Y+a.Box.H/2-b.Box.Y-b.Box.H/2) < math.Max(a.Box.H, b.Box.H)/2 && b.Box.X > a.Box.X
}

// labels: a short text with its value to its right or, after a colon, below it.
func labels(label, value *Passage) bool {
	if label.Kind != "paragraph" && label.Kind != "item" || label.Element >= 0 || label.Text == "" || label.Row != value.Row {
		return false
	}
	if !short(label.Text) || strings.ContainsAny(label.Text[len(label.Text)-1:], ".!?") || len(strings.Fields(value.Text)) > 3*labelWords {
		return false
	}
	a, b := label.Box, value.Box
	right := math.Abs(a.Y+a.H/2-b.Y-b.H/2) < math.Max(a.H, b.H)/2 && b.X >= a.X+a.W-2 && b.X-a.X-a.W < maxLabel
	below := math.Abs(a.X-b.X) < 2*sameColumn && b.Y >= a.Y+a.H-2 && b.Y-a.Y-a.H < sameColumn && strings.HasSuffix(strings.TrimSpace(label.Text), ":")
	return right || below
}

// maxLabel is how far a value stands from its label at most, in px: an assumption.
const maxLabel = 240.0

func around(a, b walk.Box) walk.Box {
	x, y := math.Min(a.X, b.X), math.Min(a.Y, b.Y)
	return walk.Box{X: x, Y: y, W: math.Max(a.X+a.W, b.X+b.W) - x, H: math.Max(a.Y+a.H, b.Y+b.H) - y}
}
