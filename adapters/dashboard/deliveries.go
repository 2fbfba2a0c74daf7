package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"understudy/adapters/service"
	"understudy/domain"
	"understudy/domain/delivery"
	"understudy/domain/webhook"
	"understudy/projections"
	"understudy/projections/deliveries"
)

// deliveryRow is a delivery in a list.
type deliveryRow struct{ deliveries.Document }

// Last is the last attempt, nil before the first.
func (d deliveryRow) Last() *attempt {
	if len(d.Attempts) == 0 {
		return nil
	}
	return &attempt{d.Attempts[len(d.Attempts)-1]}
}

// Waits: it has not come to its end.
func (d deliveryRow) Waits() bool { return d.Status == delivery.Pending }

// Why says why it was skipped, "" when it was not.
func (d deliveryRow) Why() string {
	switch {
	case d.SkipReason == nil:
		return ""
	case *d.SkipReason == string(webhook.StatusDeleted):
		return "The webhook was deleted."
	case *d.SkipReason == string(webhook.StatusDisabled):
		return "The webhook was paused or disabled."
	}
	return *d.SkipReason
}

// Ping: it only tries the endpoint.
func (d deliveryRow) Ping() bool { return d.TestID == "" }

// attempt is an attempt in words.
type attempt struct{ deliveries.Attempt }

// Answer is the status of the answer, or why there is none.
func (a attempt) Answer() string {
	switch {
	case a.StatusCode != nil && http.StatusText(*a.StatusCode) != "":
		return fmt.Sprintf("%d %s", *a.StatusCode, http.StatusText(*a.StatusCode))
	case a.StatusCode != nil:
		return strconv.Itoa(*a.StatusCode)
	case a.Error != nil:
		return *a.Error
	}
	return "no answer"
}

// Good: the receiver took it.
func (a attempt) Good() bool { return a.StatusCode != nil && *a.StatusCode/100 == 2 }

// Took is how long the answer took.
func (a attempt) Took() string {
	if a.LatencyMS < 1000 {
		return fmt.Sprintf("%d ms", a.LatencyMS)
	}
	return fmt.Sprintf("%.1f s", float64(a.LatencyMS)/1000)
}

// deliveryPage is a delivery with all its attempts.
type deliveryPage struct {
	deliveryRow
	// To is where the endpoint is now, "" when it is deleted.
	To        string
	Sandbox   bool
	Tries     []attempt
	Headers   [][2]string
	Body      string
	Repeats   bool
	HookState webhook.Status
}

func (d *Dashboard) delivery(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, as, err := either(r.Context(), who, r.PathValue("id"), d.Webhooks.Delivery)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.showDelivery(w, r, as, doc, nil)
}

// showDelivery shows a delivery, with what went wrong with it.
func (d *Dashboard) showDelivery(w http.ResponseWriter, r *http.Request, who service.Principal, doc projections.Document[deliveries.Document], wrong error) {
	of, err := doc.Decode()
	if err != nil {
		d.fail(w, r, err)
		return
	}
	page := deliveryPage{deliveryRow: deliveryRow{of}, Sandbox: who.Environment == domain.Sandbox, Headers: headersOf(of), Body: indented(of.Payload)}
	for _, a := range of.Attempts {
		page.Tries = append(page.Tries, attempt{a})
	}
	hook, err := d.Webhooks.Webhook(r.Context(), who, of.WebhookID)
	switch {
	case err == nil:
		now, err := hook.Decode()
		if err != nil {
			d.fail(w, r, err)
			return
		}
		page.To, page.HookState = now.URL, now.Status
	case domain.CodeOf(err) != domain.CodeNotFound:
		d.fail(w, r, err)
		return
	}
	page.Repeats = page.HookState == webhook.Enabled && !page.Waits() && !page.Ping() && time.Since(of.CreatedAt.Time) < webhook.ReplayWindow
	v := view{Title: "Delivery of " + of.Event, Who: &who, Data: page}
	switch {
	case wrong != nil:
		d.again(w, r, "delivery", v, wrong)
	case asked(r):
		d.part(w, r, "delivery", "attempts", v)
	default:
		d.show(w, r, http.StatusOK, "delivery", v)
	}
}

// headersOf are the headers of a delivery that are the same on every attempt.
func headersOf(of deliveries.Document) [][2]string {
	return [][2]string{
		{"Content-Type", "application/json"}, {"X-Service-Event", of.Event}, {"X-Service-Delivery", of.ID}, {"webhook-id", of.MessageID},
	}
}

// indented is JSON as people read it; what is none stays as it is.
func indented(body json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return string(body)
	}
	return out.String()
}

func (d *Dashboard) replayDelivery(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, as, err := either(r.Context(), who, r.PathValue("id"), d.Webhooks.Delivery)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	call, err := d.callIn(r, as)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	sent, err := d.Webhooks.ReplayDelivery(r.Context(), call, doc.ID, newID(domain.PrefixDelivery))
	if err != nil {
		d.showDelivery(w, r, as, doc, err)
		return
	}
	d.goOn(w, r, "/deliveries/"+sent.ID, "It is sent again, as this delivery.")
}

// replayPage tells how many deliveries a replay sends again.
type replayPage struct {
	ID     string
	Count  int
	Which  []whichChoice
	From   string
	To     string
	Asked  bool
	Chosen webhook.Which
}

// whichChoice is what a replay may take.
type whichChoice struct {
	Which webhook.Which
	Name  string
}

var whichChoices = []whichChoice{
	{webhook.Undelivered, "what did not arrive"}, {webhook.Failed, "what was abandoned"},
	{webhook.Skipped, "what was skipped"}, {webhook.All, "everything, also what arrived"},
}

// minute is how a form writes a time.
const minute = "2006-01-02T15:04"

// replayOf reads what a form asks to send again.
func replayOf(form url.Values) (in service.NewReplay, err error) {
	in.Which = webhook.Undelivered
	for _, c := range whichChoices {
		if form.Get("which") == string(c.Which) {
			in.Which = c.Which
		}
	}
	for name, at := range map[string]*time.Time{"from": &in.From, "to": &in.To} {
		if given := form.Get(name); given != "" {
			if *at, err = time.Parse(minute, given); err != nil {
				return in, domain.Invalid(name, "format", "write the time like 2026-01-31T18:30")
			}
		}
	}
	return in, nil
}

func (d *Dashboard) replayPage(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, call, ok := d.onWebhook(w, r, who)
	if !ok {
		return
	}
	in, err := replayOf(r.Form)
	in.Preview = true
	d.showReplay(w, r, call, doc.ID, in, err)
}

// showReplay shows what a replay would send again, with what went wrong with it.
func (d *Dashboard) showReplay(w http.ResponseWriter, r *http.Request, call service.Call, webhookID string, in service.NewReplay, wrong error) {
	page := replayPage{ID: webhookID, Which: whichChoices, Chosen: in.Which, From: r.Form.Get("from"), To: r.Form.Get("to")}
	v := view{Title: "Send deliveries again", Who: &call.Principal}
	if wrong == nil {
		var preview service.Replay
		preview, wrong = d.Webhooks.ReplayRange(r.Context(), call, webhookID, "", in)
		page.Count, page.Asked = preview.Count, wrong == nil
	}
	v.Data = page
	if wrong != nil {
		d.again(w, r, "replay", v, wrong)
		return
	}
	d.show(w, r, http.StatusOK, "replay", v)
}

func (d *Dashboard) replay(w http.ResponseWriter, r *http.Request, who service.Principal) {
	doc, call, ok := d.onWebhook(w, r, who)
	if !ok {
		return
	}
	in, err := replayOf(r.PostForm)
	if err != nil {
		d.showReplay(w, r, call, doc.ID, in, err)
		return
	}
	made, err := d.Webhooks.ReplayRange(r.Context(), call, doc.ID, newID(domain.PrefixWebhook), in)
	if err != nil {
		d.showReplay(w, r, call, doc.ID, in, err)
		return
	}
	d.goOn(w, r, "/webhooks/"+doc.ID, countWords(made.Count, "delivery is", "deliveries are")+" sent again.")
}

// countWords is a number with the word for one or for more.
func countWords(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}
