package mind

import (
	"strconv"
	"strings"
	"time"
)

// made are values of a made-up person for a kind of field, the likeliest first.
func (m *Mind) made(e *Element, kind fieldKind, attempt int, british bool) []string {
	given := givenNames[hash(m.seed, "given")%uint64(len(givenNames))]
	family := familyNames[hash(m.seed, "family")%uint64(len(familyNames))]
	number := strconv.FormatUint(hash(m.seed, "number")%9000+1000, 10)
	switch kind {
	case fkEmail:
		return []string{strings.ToLower(given + "." + family + number + "@example.com"), strings.ToLower(given) + number + "@example.org"}
	case fkPassword:
		return m.passwords(e, number)
	case fkUser:
		return []string{strings.ToLower(given + family + number), strings.ToLower(given) + number}
	case fkGiven:
		return []string{given}
	case fkFamily:
		return []string{family}
	case fkName, fkWho:
		return []string{given + " " + family}
	case fkPhone:
		if british { // Ofcom keeps these numbers for drama
			return []string{"07700 900123", "07700900123", "+447700900123", "01632 960123"}
		}
		return []string{"+12025550143", "202-555-0143", "2025550143", "(202) 555-0143"}
	case fkStreet:
		return []string{"12 Example Street"}
	case fkCity, fkRegion:
		return []string{cities[hash(m.seed, "city")%uint64(len(cities))]}
	case fkPostcode:
		if british {
			return []string{"SW1A 1AA", "SW1A1AA", "12345"}
		}
		return []string{"12345", "SW1A 1AA", "1234", "123456", "12345-6789"}
	case fkCountry:
		return []string{"United States", "Germany", "US"}
	case fkCompany:
		return []string{family + " Ltd"}
	case fkURL:
		return []string{"https://example.com", "http://example.com", "example.com"}
	case fkCard:
		return []string{testCard, "4111 1111 1111 1111"}
	case fkExpiry:
		return []string{"12/34", "12/2034", "12 / 34"}
	case fkCVC:
		return []string{"123"}
	case fkSortCode:
		return []string{"10-20-30", "102030", "10 20 30"}
	case fkAccount:
		return []string{"12345678", "1234567890"}
	case fkPlate:
		return []string{"AB12 CDE", "AB12CDE"}
	case fkBirthday:
		return dateForms(e, m.birthday(), british)
	case fkDate:
		return dateForms(e, m.dayWanted(e), british)
	case fkDay, fkMonth, fkYear:
		return m.datePartOf(e, kind)
	case fkTime:
		if first, last, asked := m.goal.clockWanted(); asked {
			return []string{twoDigits(int(max(first, min(10, last)))) + ":00"}
		}
		return []string{"19:00", "12:00"}
	case fkAge:
		return []string{strconv.Itoa(m.age)}
	case fkNumber, fkAmount:
		return numbers(e)
	case fkMessage:
		letter := m.letter()
		return []string{letter, letter + " " + moreWords, letter + " " + moreWords + " " + moreWords}
	case fkSubject:
		if s := m.subgoal(); len(s.Object) > 0 && s.Kind == Act {
			return []string{"About the " + strings.Join(s.Object, " ")}
		}
		return []string{"A question"}
	case fkSearch:
		return []string{m.searchWords(attempt)}
	case fkCoupon, fkCode:
		if !e.Required {
			return nil
		}
		return []string{"123456"}
	default:
		return []string{"Example", "Example text", "12345", number}
	}
}

// moreWords make a message longer that was too short.
const moreWords = "I have looked around on your pages and could not find what I was looking for, so I am writing to you. It would help me a great deal to hear from you soon."

// letter is what is written where a message is wanted: a sentence about what the
// task is about.
func (m *Mind) letter() string {
	if s := m.subgoal(); len(s.Object) > 0 && s.Kind == Act {
		return "Hello, this is about the " + strings.Join(s.Object, " ") + ". I would like to know more about it. Thank you."
	}
	return "Hello, I would like to know more about this. Thank you."
}

// datePartOf is a part of a date that is asked for in three: of the day that the
// task gives, of the birthday, or of a card's expiry.
func (m *Mind) datePartOf(e *Element, kind fieldKind) []string {
	about := strings.ToLower(e.Group + " " + e.Name + " " + e.Autocomplete)
	day := m.dayWanted(e)
	switch {
	case strings.Contains(about, "birth") || strings.Contains(about, "bday") || strings.Contains(about, "born"):
		day = m.birthday()
	case strings.Contains(about, "cc-exp") || strings.Contains(about, "expir"):
		day = time.Date(2034, time.December, 1, 0, 0, 0, 0, time.UTC)
	}
	switch {
	case kind == fkDay:
		return []string{strconv.Itoa(day.Day()), twoDigits(day.Day())}
	case kind == fkMonth:
		return []string{strconv.Itoa(int(day.Month())), twoDigits(int(day.Month())), day.Month().String()}
	case e.MaxLength == 2:
		return []string{day.Format("06")}
	}
	return []string{strconv.Itoa(day.Year())}
}
