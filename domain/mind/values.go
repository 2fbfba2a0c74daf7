package mind

import (
	"regexp"
	"strconv"
	"strings"
)

// fieldKind is what a field wants.
type fieldKind string

const (
	fkEmail    fieldKind = "email"
	fkPassword fieldKind = "password"
	fkUser     fieldKind = "username"
	fkGiven    fieldKind = "given name"
	fkFamily   fieldKind = "family name"
	fkName     fieldKind = "name"
	fkPhone    fieldKind = "phone number"
	fkStreet   fieldKind = "street"
	fkCity     fieldKind = "city"
	fkPostcode fieldKind = "postcode"
	fkRegion   fieldKind = "region"
	fkCountry  fieldKind = "country"
	fkCompany  fieldKind = "company"
	fkURL      fieldKind = "web address"
	fkCard     fieldKind = "card number"
	fkExpiry   fieldKind = "card expiry"
	fkCVC      fieldKind = "security code"
	fkBirthday fieldKind = "date of birth"
	fkDate     fieldKind = "date"
	fkTime     fieldKind = "time"
	fkNumber   fieldKind = "number"
	fkMessage  fieldKind = "message"
	fkSubject  fieldKind = "subject"
	fkSearch   fieldKind = "search"
	fkCode     fieldKind = "one-time code"
	fkCoupon   fieldKind = "coupon"
	fkAge      fieldKind = "age"
	fkOther    fieldKind = "text"
)

// autocompleteKinds maps the tokens of HTML's autocomplete attribute.
var autocompleteKinds = map[string]fieldKind{
	"email": fkEmail, "username": fkUser, "new-password": fkPassword, "current-password": fkPassword,
	"name": fkName, "given-name": fkGiven, "additional-name": fkGiven, "family-name": fkFamily, "nickname": fkUser,
	"tel": fkPhone, "tel-national": fkPhone, "street-address": fkStreet, "address-line1": fkStreet, "address-line2": fkOther,
	"address-level2": fkCity, "address-level1": fkRegion, "postal-code": fkPostcode, "country": fkCountry, "country-name": fkCountry,
	"organization": fkCompany, "url": fkURL, "cc-number": fkCard, "cc-exp": fkExpiry, "cc-csc": fkCVC, "cc-name": fkName,
	"bday": fkBirthday, "one-time-code": fkCode,
}

// typeKinds maps input types.
var typeKinds = map[string]fieldKind{
	"email": fkEmail, "password": fkPassword, "tel": fkPhone, "url": fkURL, "search": fkSearch,
	"date": fkDate, "datetime-local": fkDate, "month": fkDate, "week": fkDate, "time": fkTime, "number": fkNumber, "range": fkNumber,
}

// labelKinds maps words of labels; the first that occurs wins.
var labelKinds = []struct {
	word string
	kind fieldKind
}{
	{"e-mail", fkEmail}, {"email", fkEmail}, {"user name", fkUser}, {"username", fkUser}, {"password", fkPassword},
	{"first name", fkGiven}, {"given name", fkGiven}, {"last name", fkFamily}, {"surname", fkFamily}, {"family name", fkFamily},
	{"card number", fkCard}, {"credit card", fkCard}, {"expir", fkExpiry}, {"mm/yy", fkExpiry}, {"mm / yy", fkExpiry}, {"cvc", fkCVC}, {"cvv", fkCVC}, {"security code", fkCVC},
	{"phone", fkPhone}, {"mobile number", fkPhone}, {"telephone", fkPhone}, {"company", fkCompany}, {"organi", fkCompany},
	{"date of birth", fkBirthday}, {"birth", fkBirthday}, {"postcode", fkPostcode}, {"postal", fkPostcode}, {"zip", fkPostcode},
	{"street", fkStreet}, {"address", fkStreet}, {"city", fkCity}, {"town", fkCity}, {"country", fkCountry}, {"state", fkRegion}, {"province", fkRegion},
	{"subject", fkSubject}, {"message", fkMessage}, {"comment", fkMessage}, {"question", fkMessage}, {"how can we help", fkMessage}, {"tell us", fkMessage},
	{"search", fkSearch}, {"coupon", fkCoupon}, {"promo", fkCoupon}, {"discount code", fkCoupon}, {"voucher", fkCoupon}, {"website", fkURL}, {"web address", fkURL}, {"url", fkURL},
	{"verification code", fkCode}, {"full name", fkName}, {"your name", fkName}, {"name", fkName}, {"date", fkDate}, {"time", fkTime},
	{"quantity", fkNumber}, {"guests", fkNumber}, {"how many", fkNumber}, {"number of", fkNumber}, {"amount", fkNumber}, {"age", fkAge},
}

// kindOf tells what a field wants: autocomplete token first, then the specific
// types, the label, and at last the type.
func kindOf(e *Element) fieldKind {
	for _, tok := range strings.Fields(strings.ToLower(e.Autocomplete)) {
		if k, ok := autocompleteKinds[tok]; ok {
			if k == fkUser && (strings.EqualFold(e.InputType, "email") || strings.Contains(strings.ToLower(e.Name), "email")) {
				return fkEmail // people log in with their address
			}
			return k
		}
	}
	if e.Role == "searchbox" {
		return fkSearch
	}
	k, typed := typeKinds[strings.ToLower(e.InputType)]
	if typed && k != fkNumber && k != fkDate {
		return k
	}
	label := strings.ToLower(e.Name + " " + e.Placeholder)
	for _, l := range labelKinds {
		if strings.Contains(label, l.word) && (l.word != "age" || has(tokens(label), "age")) {
			return l.kind
		}
	}
	if typed {
		return k
	}
	if e.InputType == "textarea" {
		return fkMessage
	}
	return fkOther
}

// The made-up people whose details are typed. The numbers and domains are
// those reserved for examples (RFC 2606; NANP's 555-01xx); the card is the
// payment industry's public test number and pays for nothing.
var (
	givenNames  = []string{"Alex", "Sam", "Robin", "Kim", "Jo", "Charlie", "Sasha", "Noor", "Taylor", "Morgan"}
	familyNames = []string{"Miller", "Novak", "Okafor", "Silva", "Tanaka", "Jensen", "Haddad", "Rossi", "Kaur", "Dubois"}
	cities      = []string{"Springfield", "Riverside", "Greenville", "Fairview"}
)

const (
	testCard   = "4242424242424242"
	testDate   = "2030-06-14" // a Friday, far enough ahead to be bookable
	passPhrase = "Walnut-River-47!"
)

// valueFor is what to enter into a field on the given attempt (from 0), and the
// name of the input when it is a secret one. "" and "" leave the field empty.
func (m *Mind) valueFor(e *Element, attempt int) (text, secret string) {
	kind := kindOf(e)
	if text, secret, ok := m.givenValue(e, kind); ok && attempt == 0 {
		return text, secret
	}
	given := givenNames[hash(m.seed, "given")%uint64(len(givenNames))]
	family := familyNames[hash(m.seed, "family")%uint64(len(familyNames))]
	number := strconv.FormatUint(hash(m.seed, "number")%9000+1000, 10)
	var options []string
	switch kind {
	case fkEmail:
		options = []string{strings.ToLower(given + "." + family + number + "@example.com"), strings.ToLower(given) + number + "@example.org"}
	case fkPassword:
		options = []string{passPhrase, "Aa1!" + number + "walnut", "Walnut" + number}
	case fkUser:
		options = []string{strings.ToLower(given + family + number), strings.ToLower(given) + number}
	case fkGiven:
		options = []string{given}
	case fkFamily:
		options = []string{family}
	case fkName:
		options = []string{given + " " + family}
	case fkPhone:
		options = []string{"+12025550143", "202-555-0143", "2025550143", "(202) 555-0143"}
	case fkStreet:
		options = []string{"12 Example Street"}
	case fkCity, fkRegion:
		options = []string{cities[hash(m.seed, "city")%uint64(len(cities))]}
	case fkPostcode:
		options = []string{"12345", "SW1A 1AA", "1234", "123456", "12345-6789"}
	case fkCountry:
		options = []string{"United States", "Germany", "US"}
	case fkCompany:
		options = []string{family + " Ltd"}
	case fkURL:
		options = []string{"https://example.com", "http://example.com", "example.com"}
	case fkCard:
		options = []string{testCard, "4242 4242 4242 4242"}
	case fkExpiry:
		options = []string{"12/34", "12/2034", "12 / 34"}
	case fkCVC:
		options = []string{"123"}
	case fkBirthday:
		options = []string{"1985-04-12", "12/04/1985", "12.04.1985"}
	case fkDate:
		options = dates(e)
	case fkTime:
		options = []string{"19:00", "12:00"}
	case fkAge:
		options = []string{"41"}
	case fkNumber:
		options = numbers(e)
	case fkMessage:
		options = []string{"Hello, I would like to know more about this. Thank you."}
	case fkSubject:
		options = []string{"A question"}
	case fkSearch:
		options = []string{m.searchWords(attempt)}
	case fkCoupon, fkCode:
		if !e.Required {
			return "", ""
		}
		options = []string{"123456"}
	default:
		options = []string{"Example", "Example text", "12345", number}
	}
	if plain := digitsOnly(options); attempt > 0 && len(plain) > 0 && asksDigits(e.Error) {
		options, attempt = plain, attempt-1
	}
	return fitting(options, e.Pattern, attempt), ""
}

// asksDigits: the error message asks for nothing but digits, and people read it.
func asksDigits(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "digit") || strings.Contains(message, "numbers only") || strings.Contains(message, "only numbers")
}

func digitsOnly(options []string) []string {
	var out []string
	for _, o := range options {
		if strings.Trim(o, "0123456789") == "" {
			out = append(out, o)
		}
	}
	return out
}

// dates in the form that the field's type wants, not before its minimum.
func dates(e *Element) []string {
	d := testDate
	if e.Min > d {
		d = e.Min
	}
	if e.Max != "" && e.Max < d && len(e.Max) >= len(d) {
		d = e.Max
	}
	switch e.InputType {
	case "datetime-local":
		if len(d) == len(testDate) {
			d += "T19:00"
		}
	case "month":
		d = d[:min(7, len(d))]
	case "week":
		return []string{"2030-W24"}
	}
	return []string{d, "14/06/2030", "06/14/2030"}
}

// numbers within the field's bounds, 2 when they allow it.
func numbers(e *Element) []string {
	v := 2.0
	if low, err := strconv.ParseFloat(e.Min, 64); err == nil && v < low {
		v = low
	}
	if high, err := strconv.ParseFloat(e.Max, 64); err == nil && v > high {
		v = high
	}
	return []string{strconv.FormatFloat(v, 'f', -1, 64), "1", "10"}
}

// fitting picks the option for an attempt, those that match the pattern first.
func fitting(options []string, pattern string, attempt int) string {
	if pattern != "" {
		if re, err := regexp.Compile("^(?:" + pattern + ")$"); err == nil {
			var fit []string
			for _, o := range options {
				if re.MatchString(o) {
					fit = append(fit, o)
				}
			}
			if len(fit) > 0 {
				options = fit
			}
		}
	}
	return options[attempt%len(options)]
}
