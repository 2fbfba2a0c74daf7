package sites

import (
	"slices"
	"strings"
)

// bake is something that the bakery sells.
type bake struct {
	Slug, Name, Category string
	Pence                int
	Art                  string // of the picture, see web/app/_art.html
	About                string
	Contains, Traces     string // in the words of the allergen list
	Diets                string // ids of diets that it suits
}

// Price is what one costs.
func (b bake) Price() string { return pounds(b.Pence) }

// bakeCategory is a part of the menu.
type bakeCategory struct{ Slug, Name, Art string }

var bakeCategories = []bakeCategory{
	{"bread", "Bread", "loaf"}, {"pastries", "Pastries", "croissant"}, {"cakes", "Cakes", "slice"}, {"lunch", "Lunch", "sandwich"}, {"drinks", "Drinks", "cup"},
}

// diets are what the menu can be narrowed to.
var diets = []option{{"vegan", "Vegan", ""}, {"nonuts", "Without nuts", ""}, {"nogluten", "Without gluten", ""}}

var bakes = []bake{
	{"white-sourdough", "White Sourdough", "bread", 420, "loaf", "Our everyday loaf: thin crust, open crumb, two days in the making.", "Contains wheat", "sesame", "vegan nonuts"},
	{"seeded-sourdough", "Seeded Sourdough", "bread", 460, "seeded", "Sunflower, pumpkin and linseed, soaked overnight so that they stay soft.", "Contains wheat", "sesame and nuts", "vegan"},
	{"honey-oat-loaf", "Honey Oat Loaf", "bread", 480, "tin", "A soft tin loaf with a crackling top. Makes the best toast we know.", "Contains wheat, oats, milk and hazelnuts", "sesame", ""},
	{"dark-rye", "Dark Rye", "bread", 440, "rye", "Dense and malty, cut thin. It keeps for a week.", "Contains rye and barley", "nuts", "vegan"},
	{"seed-crackers", "Seed Crackers", "bread", 350, "crackers", "Crisp and salty, baked without flour.", "Contains sesame", "nuts", "vegan nogluten"},
	{"butter-croissant", "Butter Croissant", "pastries", 240, "croissant", "Twenty-seven layers, baked at six every morning.", "Contains wheat, milk and egg", "nuts", ""},
	{"almond-croissant", "Almond Croissant", "pastries", 340, "croissant", "Yesterday's croissant, filled and baked again.", "Contains wheat, milk, egg and almonds", "other nuts", ""},
	{"cardamom-bun", "Cardamom Bun", "pastries", 290, "bun", "A knot of soft dough with freshly ground cardamom.", "Contains wheat, milk and egg", "almonds", ""},
	{"cheese-twist", "Cheese Twist", "pastries", 270, "twist", "Puff pastry, old Cheddar and a little mustard.", "Contains wheat, milk and mustard", "", "nonuts"},
	{"lemon-slice", "Lemon Drizzle Slice", "cakes", 310, "slice", "Sharp, sticky and gone by noon.", "Contains wheat, milk and egg", "", "nonuts"},
	{"carrot-slice", "Carrot Cake Slice", "cakes", 340, "slice", "Spiced, with a thick layer of soft cheese.", "Contains wheat, milk, egg and walnuts", "", ""},
	{"brownie", "Dark Chocolate Brownie", "cakes", 320, "brownie", "Ground rice instead of flour. Nobody notices.", "Contains milk, egg and soya", "nuts", "nogluten"},
	{"cheddar-sandwich", "Cheddar and Pickle Sandwich", "lunch", 560, "sandwich", "Two slices of white sourdough, and more cheese than is sensible.", "Contains wheat, milk and mustard", "", "nonuts"},
	{"squash-focaccia", "Roast Squash Focaccia", "lunch", 590, "sandwich", "Squash, sage and white beans on olive oil bread.", "Contains wheat", "nuts", "vegan"},
	{"leek-soup", "Leek and Potato Soup", "lunch", 480, "cup", "Half a litre, with a roll. Hot from eleven.", "Contains wheat and celery", "", "vegan nonuts"},
	{"flat-white", "Flat White", "drinks", 330, "cup", "A double shot and not much milk. Oat milk costs nothing extra.", "Contains milk", "", "nonuts nogluten"},
	{"mint-tea", "Fresh Mint Tea", "drinks", 260, "cup", "A handful of leaves and hot water.", "Contains none of the fourteen allergens", "", "vegan nonuts nogluten"},
}

func bakeBySlug(slug string) (bake, bool) {
	for _, b := range bakes {
		if b.Slug == slug {
			return b, true
		}
	}
	return bake{}, false
}

// searchMenu lists what holds at least half of the words of a query that have more
// than two letters, what holds most of them first. No words are held by all.
func searchMenu(list []bake, query string) []bake {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(query)), func(w string) bool { return len(w) < 3 })
	hits := map[string]int{}
	found := slices.DeleteFunc(list, func(b bake) bool {
		text := strings.ToLower(b.Name + " " + b.About + " " + b.Category + " " + b.Contains)
		for _, w := range words {
			if strings.Contains(text, strings.TrimSuffix(w, "s")) {
				hits[b.Slug]++
			}
		}
		return 2*hits[b.Slug] < len(words)
	})
	slices.SortStableFunc(found, func(a, b bake) int { return hits[b.Slug] - hits[a.Slug] })
	return found
}

// menuOf lists what belongs to a category, "" being all, and suits every diet.
func menuOf(category string, wanted []string) (found []bake) {
	for _, b := range bakes {
		suits := category == "" || b.Category == category
		for _, d := range wanted {
			suits = suits && strings.Contains(" "+b.Diets+" ", " "+d+" ")
		}
		if suits {
			found = append(found, b)
		}
	}
	return found
}

// branch is one of the bakery's shops, as its JSON has it.
type branch struct {
	Slug    string       `json:"-"`
	Name    string       `json:"name"`
	Address string       `json:"address"`
	Phone   string       `json:"phone"`
	About   string       `json:"about"`
	Hours   []branchDays `json:"hours"`
}

// branchDays is a row of opening times.
type branchDays struct {
	Days string `json:"days"`
	Open string `json:"open"`
}

var branches = []branch{
	{"quay-street", "Quay Street", "8 Quay Street, Whitby YO21 3PU", "01632 960 771", "Where it all began. You can watch the ovens through the window.", []branchDays{{"Monday to Friday", "7 am to 5 pm"}, {"Saturday", "7 am to 4 pm"}, {"Sunday", "8 am to 2 pm"}}},
	{"station-arcade", "Station Arcade", "Unit 4, Station Arcade, York YO24 1AB", "01632 960 772", "Two minutes from platform 3, with a hatch for people in a hurry.", []branchDays{{"Monday to Friday", "6.30 am to 7 pm"}, {"Saturday", "7.30 am to 6 pm"}, {"Sunday", "9 am to 4 pm"}}},
	{"mill-lane", "Mill Lane", "The Old Mill, Mill Lane, Malton YO17 7HR", "01632 960 773", "Twelve seats, a garden, and a bowl of water for dogs.", []branchDays{{"Monday to Friday", "7.30 am to 4 pm"}, {"Saturday", "8 am to 3 pm"}, {"Sunday", "8.30 am to 1 pm"}}},
	{"abbey-gardens", "Abbey Gardens", "The Kiosk, Abbey Gardens, Whitby YO22 4JT", "01632 960 774", "A kiosk with the best view of the harbour.", []branchDays{{"Monday to Friday", "9 am to 4 pm"}, {"Saturday", "9 am to 5 pm"}, {"Sunday", "Closed"}}},
}
