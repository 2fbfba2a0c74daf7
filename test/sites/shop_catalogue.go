package sites

import (
	"fmt"
	"strings"
)

// product is one piece of the shop. Shape and the two colours draw its picture.
type product struct {
	Slug, Name, Category, Shape, Glaze, Ground string
	Pence                                      int
	Short, Long, Size                          string
	SoldOut                                    bool
}

// Price is the price as the shop writes it.
func (p product) Price() string { return pounds(p.Pence) }

func pounds(pence int) string { return fmt.Sprintf("£%d.%02d", pence/100, pence%100) }

type category struct{ Slug, Name, Intro string }

var categories = []category{
	{"mugs", "Mugs & cups", "Thrown one at a time, with handles pulled to fit three fingers."},
	{"bowls", "Bowls", "For porridge at seven, noodles at one and salad for eight."},
	{"plates", "Plates", "Flat enough to stack, uneven enough to be yours."},
	{"vases", "Vases", "From a single stem to the whole hedge."},
	{"planters", "Planters", "Frost-proof stoneware with a saucer that really fits."},
}

var products = []product{
	{"tidepool-mug", "Tidepool Mug", "mugs", "mug", "#4f8a8b", "#e4efec", 2400, "A generous everyday mug in sea-green glaze.", "The glaze breaks from teal to sand where it runs thin over the rim, so no two are alike. Holds a proper cup of tea and stays warm for most of it.", "350 ml, 9.5 cm tall", false},
	{"ember-espresso-cup", "Ember Espresso Cup", "mugs", "cup", "#b5533c", "#f6e6dd", 1600, "A small, thick-walled cup for a short, strong coffee.", "Iron-red inside and out, with a bare clay foot. The thick wall keeps a double espresso hot to the last sip.", "90 ml, 6 cm tall", false},
	{"morning-mist-cup", "Morning Mist Cup", "mugs", "mug", "#8e9aa6", "#ecf0f3", 2200, "A wide cappuccino cup in soft grey.", "Satin grey over speckled stoneware. Wide enough for foam, heavy enough not to slide off a saucer.", "250 ml, 7.5 cm tall", false},
	{"fernwood-ramen-bowl", "Fernwood Ramen Bowl", "bowls", "bowl", "#5b7553", "#e8efe1", 3400, "A deep bowl for noodles, stews and second helpings.", "Our best-loved bowl: fern green outside, cream inside, with a notch for chopsticks.", "1.1 l, 18 cm across", false},
	{"pebble-breakfast-bowl", "Pebble Breakfast Bowl", "bowls", "bowl", "#a58f78", "#f3ede4", 2600, "A rounded bowl that sits well in the hand.", "Made for porridge, eaten standing up. The outside is left unglazed and polished like a river stone.", "550 ml, 14 cm across", false},
	{"harvest-serving-bowl", "Harvest Serving Bowl", "bowls", "bowl", "#c08a3e", "#f8eed8", 5800, "A wide bowl for the middle of the table.", "Honey glaze that pools at the base. Room for a salad for eight.", "2.8 l, 30 cm across", false},
	{"lichen-dinner-plate", "Lichen Dinner Plate", "plates", "plate", "#8a9a72", "#eef1e5", 3000, "A dinner plate with a soft, raised rim.", "Matt lichen green with darker flecks. Stacks neatly and does not mind knives.", "27 cm across", false},
	{"slate-side-plate", "Slate Side Plate", "plates", "plate", "#56616b", "#e7eaed", 2000, "A side plate in deep blue-grey.", "For toast, cake and everything that is better on its own plate.", "18 cm across", false},
	{"bracken-bud-vase", "Bracken Bud Vase", "vases", "budvase", "#9c5f3b", "#f5e7db", 2800, "A small vase for one good stem.", "Narrow at the neck so that a single flower stands upright. Russet glaze with a bare clay shoulder.", "14 cm tall", false},
	{"tall-willow-vase", "Tall Willow Vase", "vases", "vase", "#6a8299", "#e6edf3", 6400, "A floor-standing vase for branches.", "Thrown in two parts and joined when leather-hard. Heavy enough to hold cherry blossom.", "42 cm tall", false},
	{"moss-planter", "Moss Planter", "planters", "planter", "#6f7d4e", "#eef0e0", 3600, "A sturdy pot for herbs on a sill.", "Frost-proof stoneware, a drainage hole and a matching saucer.", "16 cm across", false},
	{"drift-hanging-planter", "Drift Hanging Planter", "planters", "hanging", "#c7b299", "#f6f0e7", 4200, "A hanging pot with a cotton rope.", "White slip over dark clay, combed while wet. The next kiln opens in three weeks.", "18 cm across, 60 cm rope", true},
}

func productBySlug(slug string) (product, bool) {
	for _, p := range products {
		if p.Slug == slug {
			return p, true
		}
	}
	return product{}, false
}

func productsIn(category string) []product {
	var out []product
	for _, p := range products {
		if p.Category == category {
			out = append(out, p)
		}
	}
	return out
}

// findProducts returns the products that hold every word of the query in their
// name, category or description; a plural "s" in the query is forgiven.
func findProducts(query string) []product {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil
	}
	var out []product
	for _, p := range products {
		text := strings.ToLower(strings.Join([]string{p.Name, p.Category, p.Short, p.Long}, " "))
		hit := true
		for _, w := range words {
			if !strings.Contains(text, w) && !strings.Contains(text, strings.TrimSuffix(w, "s")) {
				hit = false
			}
		}
		if hit {
			out = append(out, p)
		}
	}
	return out
}
