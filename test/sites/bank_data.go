package sites

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bankAccount is one of the customer's accounts. Opening is its balance in pence
// before anything that this visit pays; Limit is what may be owed.
type bankAccount struct {
	ID, Name, Kind, Sort, Number string
	Opening, Limit               int
	Facts                        []fact
}

// fact is a line of an account's details.
type fact struct{ Name, Value string }

// entry is one line of an account: pence are negative when money goes out.
type entry struct {
	When       time.Time
	Who, Group string
	Pence      int
	Balance    int // after it, in pence
}

// payee is somebody the customer can pay.
type payee struct{ ID, Name, Sort, Number, Note string }

const (
	current = "current"
	saver   = "saver"
	credit  = "credit"
)

var accounts = []bankAccount{
	{current, "Everyday Account", "Current account", "60-83-01", "20458817", 184627, 75000, []fact{
		{"Account holder", "Rowan Teague"}, {"Sort code", "60-83-01"}, {"Account number", "20458817"},
		{"Arranged overdraft", "£750.00"}, {"Overdraft interest", "34.9% EAR, variable"}, {"Monthly fee", "None"}, {"Opened", "11 March 2016"},
	}},
	{saver, "Rainy Day Saver", "Savings account", "60-83-01", "77120463", 623018, 0, []fact{
		{"Account holder", "Rowan Teague"}, {"Sort code", "60-83-01"}, {"Account number", "77120463"},
		{"Interest rate", "4.15% AER, variable"}, {"Interest is paid", "On the last working day of the month"}, {"Withdrawals", "As often as you like"}, {"Opened", "2 October 2019"},
	}},
	{credit, "Pike Credit Card", "Credit card", "", "ending 9032", -31240, 250000, []fact{
		{"Card holder", "Rowan Teague"}, {"Credit limit", "£2,500.00"}, {"Purchases", "22.9% APR, variable"}, {"Cash withdrawals", "27.9% and 3% of the amount"}, {"Smallest payment", "£25.00, due on the 14th"},
	}},
}

// moves are what happened on the accounts: so many days ago, to or from whom.
var moves = map[string][]struct {
	days  int
	who   string
	group string
	pence int
}{
	current: {
		{1, "Tollgate Bakery", "Groceries", -685}, {1, "Northside Trams", "Travel", -240}, {2, "Hollins Supermarket", "Groceries", -4318},
		{3, "Brightwell Water", "Bills", -3150}, {4, "The Copper Kettle", "Eating out", -1890}, {5, "Northside Trams", "Travel", -240},
		{6, "Hollins Supermarket", "Groceries", -2754}, {7, "Ines Calder", "Payments", 3000}, {8, "Vantage Mobile", "Bills", -1400},
		{9, "Page & Prior Books", "Shopping", -2398}, {11, "Rainy Day Saver", "Transfers", -15000}, {12, "Tollgate Bakery", "Groceries", -940},
		{13, "Millrace Cinema", "Leisure", -2200}, {15, "Hollins Supermarket", "Groceries", -5126}, {16, "Mossgate Council", "Bills", -13800},
		{18, "Fenwick & Daughters Ltd, salary", "Income", 241860}, {18, "T. Ashworth, rent", "Bills", -78500}, {20, "Lumen Energy", "Bills", -9240},
		{22, "The Copper Kettle", "Eating out", -3145}, {24, "Hollins Supermarket", "Groceries", -3872}, {27, "Penhale Garage", "Travel", -18460},
		{29, "Northside Trams", "Travel", -960}, {31, "Saffron Community Choir", "Leisure", -1800}, {33, "Brightwell Water", "Bills", -3150},
		{36, "Garside Pharmacy", "Shopping", -1275}, {38, "Vantage Mobile", "Bills", -1400}, {41, "Rainy Day Saver", "Transfers", -15000},
		{44, "Hollins Supermarket", "Groceries", -6108}, {48, "Fenwick & Daughters Ltd, salary", "Income", 241860}, {48, "T. Ashworth, rent", "Bills", -78500},
	},
	saver: {
		{2, "Interest", "Income", 2112}, {11, "Everyday Account", "Transfers", 15000}, {33, "Interest", "Income", 2054},
		{41, "Everyday Account", "Transfers", 15000}, {63, "Interest", "Income", 1998}, {72, "Everyday Account", "Transfers", 15000},
	},
	credit: {
		{4, "Alder Rail", "Travel", -6420}, {10, "Kestrel Outdoor", "Shopping", -8995}, {19, "Stagecraft Tickets", "Leisure", -7600},
		{21, "Payment, thank you", "Transfers", 12050}, {26, "Lark Hotels", "Travel", -8225},
	},
}

var payees = []payee{
	{"ashworth", "T. Ashworth", "40-17-22", "51883409", "Rent"},
	{"colin", "Colin Calder", "23-05-80", "60917725", ""},
	{"calder", "Ines Calder", "11-60-34", "38842016", "Last paid in March"},
	{"dental", "Marlow Dental Care", "20-44-91", "70055128", ""},
	{"choir", "Saffron Community Choir", "30-98-15", "14420967", "Fees"},
	{saver, "Rainy Day Saver", "60-83-01", "77120463", "Your own account"},
}

// statementOf is an account as it stood at a moment: its lines, latest first,
// with what this visit has paid on top.
func statementOf(a bankAccount, paid []entry, now time.Time) []entry {
	var lines []entry
	balance := a.Opening
	for _, m := range moves[a.ID] {
		lines = append(lines, entry{now.AddDate(0, 0, -m.days), m.who, m.group, m.pence, balance})
		balance -= m.pence
	}
	balance = a.Opening
	for _, p := range paid {
		balance += p.Pence
		p.Balance = balance
		lines = slices.Insert(lines, 0, p)
	}
	return lines
}

// Day is how the pages write the date of a line.
func (e entry) Day() string { return e.When.Format("2 Jan 2006") }

// Amount is the sum with its sign, "+" for what came in.
func (e entry) Amount() string {
	if e.Pence > 0 {
		return "+" + money(e.Pence)
	}
	return money(e.Pence)
}

// After is the balance that the line left.
func (e entry) After() string { return money(e.Balance) }

// money writes pence as pounds with a comma for thousands and a minus sign.
func money(pence int) string {
	sign := ""
	if pence < 0 {
		sign, pence = "−", -pence
	}
	whole := strconv.Itoa(pence / 100)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	cents := strconv.Itoa(pence % 100)
	return sign + "£" + whole + "." + strings.Repeat("0", 2-len(cents)) + cents
}

var sum = regexp.MustCompile(`^£?\s*([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,6})(?:\.([0-9]{1,2}))?\s*(?:£|pounds)?$`)

// parseMoney reads "50", "£50", "50.00" and "1,250.5" as pence.
func parseMoney(s string) (int, bool) {
	m := sum.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	whole, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if err != nil {
		return 0, false
	}
	cents, _ := strconv.Atoi((m[2] + "00")[:2]) // digits, as the pattern has it
	return whole*100 + cents, true
}

func accountByID(id string) (bankAccount, bool) {
	i := slices.IndexFunc(accounts, func(a bankAccount) bool { return a.ID == id })
	if i < 0 {
		return bankAccount{}, false
	}
	return accounts[i], true
}
