package sites_test

import (
	"encoding/json"
	"strings"
	"testing"

	"understudy/test/sites"
)

func TestAppTakesAPreOrder(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.App, sites.Options{Now: fridayNoon})
	status, body := g.get("/order/details")
	g.wants(status, body, 200, "It is empty")
	status, body = g.post("/order/add", "item=seeded-sourdough&quantity=0")
	g.wants(status, body, 200, "Enter a number from 1 to 12")
	status, body = g.post("/order/add", "item=seeded-sourdough&quantity=2")
	g.wants(status, body, 200, "Added to your order")
	status, body = g.post("/order/change", "item=seeded-sourdough&do=less")
	g.wants(status, body, 200, "<strong>£4.60</strong>")
	status, body = g.get("/order/details")
	g.wants(status, body, 200, "Where and when?")
	status, body = g.post("/order/pickup", "shop=mill-lane&time=10:30")
	g.wants(status, body, 422, "Choose a day")
	if !strings.Contains(body, `value="mill-lane" selected`) || !strings.Contains(body, `value="10:30" checked`) {
		t.Error("what was chosen is lost after a mistake")
	}
	status, body = g.post("/order/pickup", "shop=abbey-gardens&day=2026-05-03&time=10:30")
	g.wants(status, body, 422, "Abbey Gardens is closed on Sunday")
	status, body = g.post("/order/pickup", "shop=mill-lane&day=2026-05-02&time=10:30")
	g.wants(status, body, 200, "Saturday 2 May at 10.30 am")
	status, body = g.post("/order/details", "name=Ann+Lee&phone=none")
	g.wants(status, body, 422, "Enter a telephone number")
	if !strings.Contains(body, `value="Ann Lee"`) || g.reached("order_placed") {
		t.Error("the name is lost after a mistake, or a faulty form counts as an order")
	}
	status, body = g.post("/order/details", "name=Ann+Lee&phone=01632+960001")
	g.wants(status, body, 200, "Your order is placed")
	if !g.reached("order_placed") || !g.reached("sourdough_for_tomorrow_morning") {
		t.Error("/_truth does not tell the order as it was")
	}
	status, body = g.get("/you/orders")
	g.wants(status, body, 200, "1 × Seeded Sourdough")
	status, body = g.get("/order")
	g.wants(status, body, 200, "It is empty")
}

func TestAppTellsOneOrderFromAnother(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string][2]string{
		"another loaf": {"white-sourdough", "shop=mill-lane&day=2026-05-02&time=10:30"},
		"another day":  {"seeded-sourdough", "shop=mill-lane&day=2026-05-04&time=10:30"},
		"after noon":   {"seeded-sourdough", "shop=mill-lane&day=2026-05-02&time=12:00"},
	} {
		g := visit(t, sites.App, sites.Options{Now: fridayNoon})
		g.post("/order/add", "quantity=1&item="+fields[0])
		g.post("/order/pickup", fields[1])
		status, body := g.post("/order/details", "name=Ann+Lee&phone=01632+960001")
		g.wants(status, body, 200, "Your order is placed")
		if g.reached("sourdough_for_tomorrow_morning") {
			t.Errorf("%s counts as a Seeded Sourdough for tomorrow morning", name)
		}
	}
}

func TestAppKeepsFavouritesAndNotifications(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.App, sites.Options{})
	status, body := g.post("/saved", "item=cardamom-bun")
	g.wants(status, body, 200, "Saved to your favourites")
	status, body = g.get("/saved")
	g.wants(status, body, 200, "Cardamom Bun")
	if !g.reached("bun_saved") {
		t.Error("/_truth does not tell the favourite")
	}
	status, body = g.post("/saved", "item=cardamom-bun")
	g.wants(status, body, 200, "No longer among your favourites")
	status, body = g.post("/you/notifications", "notice=offers")
	g.wants(status, body, 200, "Offers and discounts turned off")
	if !g.reached("offers_off") || g.reached("ready_off") || strings.Count(body, `aria-checked="true"`) != 3 {
		t.Error("turning off one notification does not turn off just that one")
	}
	status, body = g.post("/you/notifications", "notice=offers")
	g.wants(status, body, 200, "Offers and discounts turned on")
	if g.reached("offers_off") {
		t.Error("a notification that is on again counts as off")
	}
	status, body = g.post("/you/details", "name=Ann&phone=01632+960001&email=nonsense")
	g.wants(status, body, 422, `value="nonsense"`)
	status, body = g.post("/you/details", "name=Ann&phone=01632+960001")
	g.wants(status, body, 200, "Your details are kept")
}

func TestAppAnswersAboutNutsAndOpeningTimes(t *testing.T) {
	t.Parallel()
	g := visit(t, sites.App, sites.Options{Now: fridayNoon})
	status, body := g.get("/item/honey-oat-loaf")
	g.wants(status, body, 200, "Contains wheat, oats, milk and hazelnuts")
	status, body = g.get("/shops/mill-lane")
	g.wants(status, body, 200, `data-api="/api/shops/mill-lane"`)
	if g.reached("mill_lane_seen") {
		t.Error("the opening times count as seen before they were loaded")
	}
	status, body = g.get("/api/shops/mill-lane")
	var shop struct {
		Name  string
		Hours []struct{ Days, Open string }
	}
	if err := json.Unmarshal([]byte(body), &shop); err != nil || status != 200 || shop.Name != "Mill Lane" || len(shop.Hours) != 3 || shop.Hours[2].Open != "8.30 am to 1 pm" {
		t.Errorf("the shop's data are %d %q", status, body)
	}
	if !g.reached("mill_lane_seen") || !g.reached("honey_oat_loaf_seen") {
		t.Error("/_truth misses what was read")
	}
	status, body = g.get("/menu?c=bread&diet=vegan&diet=nonuts")
	g.wants(status, body, 200, "White Sourdough")
	if strings.Contains(body, "Honey Oat Loaf") {
		t.Error("a loaf with nuts is shown to who wants none")
	}
	status, body = g.get("/menu?q=honey+loaf")
	g.wants(status, body, 200, `href="/item/honey-oat-loaf"`)
	if strings.Contains(body, `href="/item/butter-croissant"`) {
		t.Error("the search finds what was not asked for")
	}
	_, body = g.get("/menu?q=honey+oat+loaf+without+haggis")
	_, cards, _ := strings.Cut(body, `class="cards"`)
	if first := strings.Index(cards, `href="/item/`); first < 0 || !strings.HasPrefix(cards[first:], `href="/item/honey-oat-loaf"`) {
		t.Error("a search with a word too many does not find what it names")
	}
	status, body = g.get("/menu?q=haggis")
	g.wants(status, body, 200, "Nothing on the menu fits that")
	status, body = g.post("/catering", "people=90&date=2026-05-02&name=Ann&email=a@b.org")
	g.wants(status, body, 422, "10 to 80 people")
	status, body = g.post("/catering", "people=40&date=2026-05-09&name=Ann&email=a@b.org")
	g.wants(status, body, 200, "Your enquiry is on its way")
}
