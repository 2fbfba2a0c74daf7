package webhooksender

import (
	"errors"
	"net/http"
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
