package webhooksender

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWhatIsSentVerifies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringN(16, -1, -1).Draw(t, "secret")
		if rapid.Bool().Draw(t, "generated") {
			secret = GenerateSecret()
		}
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		at := time.Unix(rapid.Int64Range(0, 1<<40).Draw(t, "at"), 0)
		r := Request{Body: body, Secrets: Secrets{Current: secret}, Event: "test.completed", DeliveryID: "dlv_1", Attempt: 1, At: at}
		h := http.Header{}
		setHeaders(h, r)
		got := http.Header{} // as a server reads them, canonical
		for name, values := range h {
			for _, v := range values {
				got.Add(name, v)
			}
		}
		off := time.Duration(rapid.Int64Range(-600, 600).Draw(t, "off")) * time.Second
		err := Verify(secret, got, body, at.Add(off), Tolerance)
		if far := off.Abs() > Tolerance; far != errors.Is(err, ErrTimestamp) || !far && err != nil {
			t.Fatalf("%s off: %v", off, err)
		}
		if err := Verify(secret, got, body, at.Add(off), 0); err != nil {
			t.Fatalf("without a tolerance: %v", err)
		}
		if err := Verify(secret+"x", got, body, at, Tolerance); !errors.Is(err, ErrService) {
			t.Fatalf("another secret: %v", err)
		}
		if err := Verify(secret, got, append(body, 'x'), at, Tolerance); !errors.Is(err, ErrService) {
			t.Fatalf("another body: %v", err)
		}
		got.Del("X-Service-Signature")
		for name, other := range map[string]string{"webhook-id": "dlv_2", "webhook-timestamp": "17"} {
			changed := got.Clone()
			changed.Set(name, other)
			if err := Verify(secret, changed, body, at, 0); !errors.Is(err, ErrStandard) && at.Unix() != 17 {
				t.Fatalf("another %s: %v", name, err)
			}
		}
	})
}

func TestVerifyDuringARotation(t *testing.T) {
	t.Parallel()
	body, at := []byte(`{"event":"test.completed"}`), time.Unix(1_800_000_000, 0)
	h := http.Header{}
	setHeaders(h, Request{Body: body, Secrets: Secrets{Current: "the new secret 1", Previous: "the old secret 1"}, DeliveryID: "dlv_1", Attempt: 1, At: at})
	got := http.Header{}
	for name, values := range h {
		for _, v := range values {
			got.Add(name, v)
		}
	}
	if err := Verify("the old secret 1", got, body, at, Tolerance); err != nil {
		t.Errorf("the old secret: %v", err)
	}
	// X-Service-Signature keeps the old one; Standard Webhooks' has both.
	if err := Verify("the new secret 1", got, body, at, Tolerance); !errors.Is(err, ErrService) {
		t.Errorf("the new secret with the service's own header: %v", err)
	}
	got.Del("X-Service-Signature")
	if err := Verify("the new secret 1", got, body, at, Tolerance); err != nil {
		t.Errorf("the new secret: %v", err)
	}
}

func TestVerifyRefusesWhatIsIncomplete(t *testing.T) {
	t.Parallel()
	body, at := []byte("{}"), time.Unix(1_800_000_000, 0)
	standard := SignStandard("sixteen letters!", "dlv_1", at, body)
	for name, c := range map[string]struct {
		header map[string]string
		want   error
	}{
		"nothing":        {map[string]string{}, ErrUnsigned},
		"no time":        {map[string]string{"webhook-signature": standard, "webhook-id": "dlv_1"}, ErrTimestamp},
		"no id":          {map[string]string{"webhook-signature": standard, "webhook-timestamp": "1800000000"}, ErrStandard},
		"no signature":   {map[string]string{"webhook-signature": " ", "webhook-id": "dlv_1", "webhook-timestamp": "1800000000"}, ErrStandard},
		"half of one":    {map[string]string{"webhook-signature": standard[:20], "webhook-id": "dlv_1", "webhook-timestamp": "1800000000"}, ErrStandard},
		"wrong prefix":   {map[string]string{"X-Service-Signature": SignService("sixteen letters!", body)[7:]}, ErrService},
		"the only right": {map[string]string{"webhook-signature": "v1,AAAA v2,x " + standard, "webhook-id": "dlv_1", "webhook-timestamp": "1800000000"}, nil},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if err := Verify("sixteen letters!", h, body, at, Tolerance); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// FuzzDelivery: of all that a receiver may be sent, only what was signed verifies, and
// only as long as its time is near.
func FuzzDelivery(f *testing.F) {
	secret, sent, at := "sixteen letters!", []byte(`{"event":"test.completed"}`), time.Unix(1_800_000_000, 0)
	service, standard := SignService(secret, sent), SignStandard(secret, "dlv_1", at, sent)
	f.Add(service, standard, "dlv_1", "1800000000", sent, int32(0))
	f.Add("", "v1,AAAA "+standard, "dlv_1", "+01800000000", sent, int32(-301))
	f.Add(service, "", "dlv_1", "x", append(sent, ' '), int32(0))
	f.Add("", standard, "dlv_1.1800000000", "-9223372036854775808", sent, int32(1))
	f.Fuzz(func(t *testing.T, given, other, id, timestamp string, body []byte, off int32) {
		h := http.Header{}
		for name, value := range map[string]string{"X-Service-Signature": given, "webhook-signature": other, "webhook-id": id, "webhook-timestamp": timestamp} {
			h.Set(name, value)
		}
		seconds, _ := strconv.ParseInt(timestamp, 10, 64)
		ours := given == "" || given == service && string(body) == string(sent)
		ours = ours && (other == "" || slices.Contains(strings.Fields(other), standard) && id == "dlv_1" && seconds == at.Unix() && string(body) == string(sent))
		now := at.Add(time.Duration(off) * time.Second)
		near := other == "" || now.Sub(at).Abs() <= Tolerance
		if err := Verify(secret, h, body, now, Tolerance); (err == nil) != (given+other != "" && ours && near) {
			t.Errorf("%q of %q, %d s off: %v", h, body, off, err)
		}
	})
}
