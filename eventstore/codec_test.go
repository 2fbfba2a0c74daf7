package eventstore_test

import (
	"strings"
	"testing"

	"understudy/domain"
	"understudy/eventstore"
)

func TestCodec(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec(tillCatalogue)
	typ, data, err := codec.Encode(paid{Amount: 2})
	if err != nil || typ != "till.paid.v1" || string(data) != `{"amount":2}` {
		t.Fatalf("encoded as %s %s (%v)", typ, data, err)
	}
	if e, err := codec.Decode(typ, data); err != nil || e != (paid{Amount: 2}) {
		t.Errorf("decoded as %#v (%v)", e, err)
	}
	raw := []byte(`{"a":1}`)
	e, err := codec.Decode("till.emptied.v1", raw)
	raw[0] = 'X'
	unknown, ok := e.(domain.Unknown)
	if err != nil || !ok || unknown.Type != "till.emptied.v1" || string(unknown.Data) != `{"a":1}` {
		t.Errorf("an unknown type decoded as %#v (%v)", e, err)
	}
	if _, err := codec.Decode("till.paid.v1", []byte(`{"amount":"x"}`)); err == nil || !strings.Contains(err.Error(), "till.paid.v1") {
		t.Errorf("wrong data said %v", err)
	}
	if _, _, err := codec.Encode(domain.Unknown{Type: "till.emptied.v1"}); err == nil {
		t.Error("an event that cannot be read again was encoded")
	}
}

func TestCodecRefusesATypeTwice(t *testing.T) {
	t.Parallel()
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "till.paid.v1") {
			t.Errorf("panicked with %q", said)
		}
	}()
	eventstore.NewCodec(tillCatalogue, []domain.Entry{domain.Recordable[paid]()})
}
