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
	fkAmount   fieldKind = "amount"
	fkWho      fieldKind = "recipient"
	fkSortCode fieldKind = "sort code"
	fkAccount  fieldKind = "account number"
	fkPlate    fieldKind = "registration"
	fkRefer    fieldKind = "reference"
	fkDay      fieldKind = "day"
	fkMonth    fieldKind = "month"
	fkYear     fieldKind = "year"
	fkOther    fieldKind = "text"
)

// autocompleteKinds maps the tokens of HTML's autocomplete attribute.
var autocompleteKinds = map[string]fieldKind{
	"email": fkEmail, "username": fkUser, "new-password": fkPassword, "current-password": fkPassword,
	"name": fkName, "given-name": fkGiven, "additional-name": fkGiven, "family-name": fkFamily, "nickname": fkUser,
	"tel": fkPhone, "tel-national": fkPhone, "street-address": fkStreet, "address-line1": fkStreet, "address-line2": fkOther,
	"address-level2": fkCity, "address-level1": fkRegion, "postal-code": fkPostcode, "country": fkCountry, "country-name": fkCountry,
	"organization": fkCompany, "url": fkURL, "cc-number": fkCard, "cc-exp": fkExpiry, "cc-csc": fkCVC, "cc-name": fkName,
	"bday": fkBirthday, "one-time-code": fkCode, "bday-day": fkDay, "bday-month": fkMonth, "bday-year": fkYear,
	"cc-exp-month": fkMonth, "cc-exp-year": fkYear, "transaction-amount": fkAmount,
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
	{"sort code", fkSortCode}, {"account number", fkAccount}, {"iban", fkAccount}, {"name on the account", fkWho}, {"payee", fkWho}, {"recipient", fkWho}, {"name on card", fkName}, {"name on the card", fkName},
	{"vehicle registration", fkPlate}, {"registration number", fkPlate}, {"number plate", fkPlate}, {"licence plate", fkPlate}, {"license plate", fkPlate},
	{"e-mail", fkEmail}, {"email", fkEmail}, {"user name", fkUser}, {"username", fkUser}, {"password", fkPassword},
	{"first name", fkGiven}, {"given name", fkGiven}, {"last name", fkFamily}, {"surname", fkFamily}, {"family name", fkFamily},
	{"card number", fkCard}, {"credit card", fkCard}, {"expir", fkExpiry}, {"mm/yy", fkExpiry}, {"mm / yy", fkExpiry}, {"cvc", fkCVC}, {"cvv", fkCVC}, {"security code", fkCVC},
	{"phone", fkPhone}, {"mobile number", fkPhone}, {"telephone", fkPhone}, {"company", fkCompany}, {"organi", fkCompany},
	{"date of birth", fkBirthday}, {"birth", fkBirthday}, {"postcode", fkPostcode}, {"postal", fkPostcode}, {"zip", fkPostcode},
	{"street", fkStreet}, {"address", fkStreet}, {"city", fkCity}, {"town", fkCity}, {"country", fkCountry}, {"state", fkRegion}, {"province", fkRegion},
	{"subject", fkSubject}, {"what is it about", fkSubject}, {"topic", fkSubject}, {"headline", fkSubject}, {"your letter", fkMessage}, {"describe", fkMessage}, {"details", fkMessage},
	{"your story", fkMessage}, {"reason", fkMessage}, {"notes", fkMessage}, {"your review", fkMessage}, {"what happened", fkMessage}, {"message", fkMessage}, {"comment", fkMessage}, {"question", fkMessage}, {"how can we help", fkMessage}, {"tell us", fkMessage},
	{"search", fkSearch}, {"coupon", fkCoupon}, {"promo", fkCoupon}, {"discount code", fkCoupon}, {"voucher", fkCoupon}, {"website", fkURL}, {"web address", fkURL}, {"url", fkURL},
	{"verification code", fkCode}, {"full name", fkName}, {"your name", fkName}, {"name", fkName}, {"date", fkDate}, {"time", fkTime},
	{"quantity", fkNumber}, {"guests", fkNumber}, {"how many", fkNumber}, {"number of", fkNumber}, {"amount", fkAmount}, {"how much", fkAmount}, {"age", fkAge},
	{"registration", fkPlate}, {"reference", fkRefer},
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
	if k := datePart(e, label); k != "" {
		return k
	}
	for _, l := range labelKinds {
		if strings.Contains(label, l.word) && (l.word != "age" || has(tokens(label), "age")) {
			return l.kind
		}
	}
	if typed {
		return k
	}
	if e.InputType == "textarea" || e.Role == "textbox" && e.InputType == "" && e.Box.H >= manyLines {
		return fkMessage
	}
	return fkOther
}

// manyLines is the height in px from which a text field is meant for sentences.
const manyLines = 70

// datePart tells the fields of a date that is asked for in three.
func datePart(e *Element, label string) fieldKind {
	t := tokens(label)
	if len(t) == 0 || len(t) > 3 || strings.EqualFold(e.InputType, "date") {
		return ""
	}
	switch t[0] {
	case "day", "dd":
		return fkDay
	case "month", "mm":
		if len(t) > 1 && t[1] == "yy" {
			return "" // the expiry of a card
		}
		return fkMonth
	case "year", "yyyy":
		return fkYear
	}
	return ""
}

// The made-up people whose details are typed. The numbers and domains are
// those reserved for examples (RFC 2606; NANP's 555-01xx); the card is the
// payment industry's public test number and pays for nothing.
var (
	givenNames  = []string{"Alex", "Sam", "Robin", "Kim", "Jo", "Charlie", "Sasha", "Noor", "Taylor", "Morgan"}
	familyNames = []string{"Miller", "Novak", "Okafor", "Silva", "Tanaka", "Jensen", "Haddad", "Rossi", "Kaur", "Dubois"}
	cities      = []string{"Springfield", "Riverside", "Greenville", "Fairview"}
)

// testCard pays for nothing: it is the number that the payment industry has for
// tests. Nothing is ever paid for real unless the test's own inputs do it.
const testCard = "4111111111111111"

// valueFor is what to enter into a field on the given attempt (from 0), and the
// name of the input when it is a secret one. "" and "" leave the field empty.
func (m *Mind) valueFor(e *Element, attempt int, british bool) (text, secret string) {
	kind := kindOf(e)
	if text, secret, ok := m.givenValue(e, kind); ok {
		if secret == "" && attempt > 0 && kind != fkSearch {
			text = rewritten(text, attempt)
		}
		if secret != "" || attempt == 0 || kind != fkSearch {
			return text, secret
		}
	}
	options := m.made(e, kind, attempt, british)
	if len(options) == 0 {
		return "", ""
	}
	if kind != fkPassword && kind != fkSearch && kind != fkMessage {
		options = suited(e, kind, options)
	}
	if plain := digitsOnly(options); attempt > 0 && len(plain) > 0 && asksDigits(e.Error) && exampleIn(e.Error) == "" {
		options, attempt = plain, attempt-1
	}
	return fitting(options, e, attempt), ""
}

// rewritten is a given value in another form, for a field that refused it:
// without spaces and signs, then as it was.
func rewritten(text string, attempt int) string {
	if attempt%2 == 1 && !strings.Contains(text, "@") {
		return strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(text)
	}
	return text
}

// suited puts what the field itself gives as an example in front, and where it
// wants a number of digits, one of that length.
func suited(e *Element, kind fieldKind, options []string) []string {
	switch kind {
	case fkPostcode, fkSortCode, fkAccount, fkPlate, fkRefer, fkOther, fkCode, fkCoupon, fkPhone:
	default:
		return options
	}
	var front []string
	if n := digitsAsked(e); n >= 3 && n <= 12 && kind != fkPhone {
		front = append(front, "102030405060"[:n])
	}
	if x := exampleIn(rules(e)); x != "" {
		front = append(front, x)
	}
	if n := digitsAsked(e); n > 0 && kind == fkPhone {
		for _, o := range options {
			if len(o) == n && strings.Trim(o, "0123456789") == "" {
				front = append([]string{o}, front...)
			}
		}
	}
	if noSpaces.MatchString(rules(e)) {
		for _, o := range options {
			if !strings.ContainsAny(o, " -()") {
				front = append(front, o)
			}
		}
	}
	return append(front, options...)
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

// fitting picks the option for an attempt, those that match the pattern and are
// short enough first.
func fitting(options []string, e *Element, attempt int) string {
	keep := func(ok func(string) bool) {
		var fit []string
		for _, o := range options {
			if ok(o) {
				fit = append(fit, o)
			}
		}
		if len(fit) > 0 {
			options = fit
		}
	}
	if e.Pattern != "" {
		if re, err := regexp.Compile("^(?:" + e.Pattern + ")$"); err == nil {
			keep(re.MatchString)
		}
	}
	if e.MaxLength > 0 {
		keep(func(o string) bool { return len(o) <= e.MaxLength })
	}
	return options[attempt%len(options)]
}
