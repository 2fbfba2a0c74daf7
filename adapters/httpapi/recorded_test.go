package httpapi

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"understudy/eventstore"
)

// Whatever was recorded, by whatever program, is shown as valid JSON from which
// the very bytes can be had again.
func TestAnyEventCanBeShownByteForByte(t *testing.T) {
	t.Parallel()
	content := rapid.OneOf(
		rapid.SliceOf(rapid.Byte()),
		rapid.SampledFrom([][]byte{
			[]byte(`{"a":  1.50e0,"a":2}`), []byte(` [1, 12345678901234567890] `), []byte("\"\xff\""), []byte(`{"a":1} {"b":2}`),
			[]byte(`null`), []byte(`"</script>"`), nil, []byte(`},"position":0`), []byte("{\"a\":\"\u2028\"}"),
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		e := eventstore.Raw{
			ID: uuid.New(), Stream: rapid.String().Draw(t, "stream"), Revision: rapid.Uint64().Draw(t, "revision"), Position: 7,
			Created: time.Unix(0, rapid.Int64Range(0, 4e18).Draw(t, "created")), Type: rapid.String().Draw(t, "type"),
			ContentType: "application/octet-stream", Data: content.Draw(t, "data"), Metadata: content.Draw(t, "metadata"),
		}
		shown, err := recordedEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			Revision, Position uint64
			Data, Metadata     json.RawMessage
			DataBase64         *[]byte `json:"data_base64"`
		}
		if err := json.Unmarshal(shown, &read); err != nil {
			t.Fatalf("%v: %q", err, shown)
		}
		if read.Revision != e.Revision || read.Position != e.Position {
			t.Fatalf("its place is wrong: %s", shown)
		}
		data := []byte(read.Data)
		if read.DataBase64 != nil {
			data = *read.DataBase64
		} else {
			e.Data = bytes.TrimSpace(e.Data) // space around a value belongs to nobody
		}
		if !bytes.Equal(data, e.Data) {
			t.Fatalf("recorded was %q, shown is %q", e.Data, data)
		}
		if !bytes.Equal(read.Metadata, bytes.TrimSpace(e.Metadata)) && string(read.Metadata) != "null" {
			t.Fatalf("metadata %q, shown is %q", e.Metadata, read.Metadata)
		}
	})
}
