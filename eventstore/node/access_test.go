package node

import (
	"encoding/base64"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"
)

// FuzzUsers: whatever a client says who it is, it is a user only by the name and the password
// of that one, and a reader stays one.
func FuzzUsers(f *testing.F) {
	encode := base64.StdEncoding.EncodeToString
	f.Add("Basic "+encode([]byte("ops:a:password")), "Bearer x")
	f.Add("basic  "+encode([]byte("auditor:secret")), "")
	f.Add("Basic "+encode([]byte("ops:a")), "Basic "+encode([]byte("auditor:secret"))+"=")
	f.Add("Basic "+encode([]byte("ops")), "Basic")
	g := newGuard([]User{{Name: "ops", Password: "a:password"}, {Name: "auditor", Password: "secret", ReadOnly: true}}, slog.New(slog.DiscardHandler))
	f.Fuzz(func(t *testing.T, header, other string) {
		allowed := map[string]bool{}
		for _, h := range []string{header, other} {
			if scheme, encoded, _ := strings.Cut(h, " "); strings.EqualFold(scheme, "Basic") {
				raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
				if err != nil {
					continue
				}
				allowed[map[string]string{"ops:a:password": "ops", "auditor:secret": "auditor"}[string(raw)]] = true
			}
		}
		delete(allowed, "")
		headers := metadata.Pairs("authorization", header, "authorization", other)
		u, err := g.admit(metadata.NewIncomingContext(t.Context(), headers), "/event_store.client.streams.Streams/Append")
		if (err == nil) != (len(allowed) > 0) || err == nil && (!allowed[u.name] || u.readOnly != (u.name == "auditor")) {
			t.Errorf("%q and %q are %q: %v", header, other, u.name, err)
		}
	})
}
