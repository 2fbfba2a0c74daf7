package persona

import (
	"math/rand/v2"
	"strings"
)

// firstNames come from many places. They are labels, nothing is inferred from
// them.
var firstNames = []string{
	"Aisha", "Alejandro", "Amara", "Anders", "Anika", "Ayumi", "Beatriz", "Bogdan", "Camille", "Carlos",
	"Chidi", "Chloe", "Daniela", "Dmitri", "Elif", "Emeka", "Emma", "Esther", "Fatima", "Felix",
	"Freya", "Gabriel", "Giulia", "Grace", "Hana", "Hassan", "Helena", "Henrik", "Ibrahim", "Ines",
	"Isaac", "Ivana", "Jamal", "Jin", "Joana", "Jonas", "Kamala", "Karim", "Katarina", "Kenji",
	"Kwame", "Lars", "Leila", "Lin", "Lucia", "Luis", "Maja", "Malik", "Marek", "Margaret",
	"Maria", "Mateo", "Mei", "Miriam", "Mohammed", "Nadia", "Naomi", "Nikhil", "Noor", "Oksana",
	"Olivia", "Omar", "Paolo", "Patrick", "Petra", "Priya", "Rafael", "Rania", "Ravi", "Rosa",
	"Ruth", "Samir", "Sanna", "Sara", "Sean", "Selma", "Shira", "Sofia", "Stefan", "Sven",
	"Tariq", "Tatiana", "Teresa", "Thandi", "Theo", "Tomas", "Uma", "Valentina", "Viktor", "Wei",
	"Wanjiru", "William", "Xin", "Yara", "Yusuf", "Zainab", "Zoe", "Zofia",
}

const initials = "ABCDEFGHIJKLMNOPRSTVWYZ"

// namer hands out names by index. It has a stream of its own, so that names
// and behaviour cannot depend on each other.
func namer(seed uint64) func(i int) string {
	order := rand.New(rand.NewPCG(seed, 0x6e616d6573)).Perm(len(firstNames))
	return func(i int) string {
		name := firstNames[order[i%len(order)]]
		round := i / len(order)
		return name + " " + string(initials[(i*7+round*5)%len(initials)]) + "."
	}
}

// Summarize says in one plain sentence what is particular about the facets.
func Summarize(f Facets) string {
	f = f.WithDefaults()
	var b strings.Builder
	b.WriteString(f.AgeBand)
	b.WriteString(", ")
	if f.InformationProcessing == Comprehensive {
		b.WriteString("reads carefully before acting")
	} else {
		b.WriteString("scans and clicks the first promising thing")
	}
	switch f.RiskAttitude {
	case Averse:
		b.WriteString(", avoids anything uncertain")
	case Tolerant:
		b.WriteString(", happy to take a chance")
	}
	switch f.SelfEfficacy {
	case Low:
		b.WriteString(", doubts themselves with computers")
	case High:
		b.WriteString(", confident with computers")
	}
	switch f.LanguageLevel {
	case Basic:
		b.WriteString(", reads the language with effort")
	case Intermediate:
		b.WriteString(", reads it as a second language")
	}
	switch {
	case f.Patience < 0.7:
		b.WriteString(", short of time")
	case f.Patience > 1.5:
		b.WriteString(", patient")
	}
	switch {
	case f.ScreenReader:
		b.WriteString(", uses a screen reader")
	case f.KeyboardOnly:
		b.WriteString(", uses only the keyboard")
	case f.Zoom >= 1.5:
		b.WriteString(", zooms the page in")
	case f.Vision.ContrastFactor >= 1.5:
		b.WriteString(", needs strong contrast")
	case f.MotorPrecision <= 0.4:
		b.WriteString(", has an unsteady hand")
	}
	b.WriteString(".")
	return b.String()
}
