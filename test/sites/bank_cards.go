package sites

import (
	"net/http"
	"slices"
)

// bankCard is a card of the customer and how it is set.
type bankCard struct {
	ID, Name, Ending, Expires         string
	Frozen                            bool
	Contactless, Online, Abroad, Cash bool
	Limit, ShortName, OwnAccount      string
}

var firstCards = [2]bankCard{
	{ID: "debit", Name: "Everyday debit card", ShortName: "debit card", Ending: "4417", Expires: "09/28", OwnAccount: current, Contactless: true, Online: true, Cash: true, Limit: "300"},
	{ID: "credit", Name: "Pike Credit Card", ShortName: "credit card", Ending: "9032", Expires: "02/27", OwnAccount: credit, Contactless: true, Online: true, Abroad: true, Limit: "500"},
}

func cardForm(c bankCard) form {
	tick := func(on bool) string {
		if on {
			return "yes"
		}
		return ""
	}
	return form{
		{Name: "contactless", Label: "Contactless payments", Type: "checkbox", Optional: true, Value: tick(c.Contactless)},
		{Name: "online", Label: "Payments online", Type: "checkbox", Optional: true, Value: tick(c.Online)},
		{Name: "abroad", Label: "Payments abroad", Type: "checkbox", Optional: true, Value: tick(c.Abroad)},
		{Name: "cash", Label: "Cash withdrawals", Type: "checkbox", Optional: true, Value: tick(c.Cash)},
		{Name: "limit", Label: "Most you can spend in a day", Type: "select", Value: c.Limit, missing: "Choose a limit", Options: []option{
			{"100", "£100", ""}, {"300", "£300", ""}, {"500", "£500", ""}, {"1000", "£1,000", ""},
		}},
	}
}

func (b *bank) cardList(w http.ResponseWriter, r *http.Request, c customer) {
	b.page(w, r, 200, "cards", c.cards[:])
}

// theCard finds the card of the path, or answers that there is none.
func (b *bank) theCard(w http.ResponseWriter, r *http.Request, c customer) (int, bool) {
	i := slices.IndexFunc(c.cards[:], func(x bankCard) bool { return x.ID == r.PathValue("id") })
	if i < 0 {
		b.page(w, r, 404, "notfound", nil)
	}
	return i, i >= 0
}

func (b *bank) cardPage(w http.ResponseWriter, r *http.Request, c customer) {
	if i, ok := b.theCard(w, r, c); ok {
		b.page(w, r, 200, "card", map[string]any{"Card": c.cards[i], "Form": cardForm(c.cards[i]), "Done": r.URL.Query().Get("done")})
	}
}

// freeze stops a card or lets it be used again, as the button's value says.
func (b *bank) freeze(w http.ResponseWriter, r *http.Request, c customer) {
	i, ok := b.theCard(w, r, c)
	if !ok {
		return
	}
	frozen := r.PostFormValue("frozen") == "yes"
	b.visits.change(visitor(r), func(v *visit[customer]) {
		v.data.cards[i].Frozen = frozen
		if frozen {
			v.reach(v.data.cards[i].ID + "_card_frozen")
		}
	})
	done := "unfrozen"
	if frozen {
		done = "frozen"
	}
	b.redirect(w, r, "/cards/"+c.cards[i].ID+"?done="+done)
}

func (b *bank) cardSettings(w http.ResponseWriter, r *http.Request, c customer) {
	i, ok := b.theCard(w, r, c)
	if !ok {
		return
	}
	f := cardForm(c.cards[i])
	if !f.read(r) {
		b.page(w, r, http.StatusUnprocessableEntity, "card", map[string]any{"Card": c.cards[i], "Form": f})
		return
	}
	b.visits.change(visitor(r), func(v *visit[customer]) {
		x := &v.data.cards[i]
		x.Contactless, x.Online, x.Abroad, x.Cash = f[0].Value != "", f[1].Value != "", f[2].Value != "", f[3].Value != ""
		x.Limit = f[4].Value
		v.reach("card_settings_saved")
	})
	b.redirect(w, r, "/cards/"+c.cards[i].ID+"?done=saved")
}
