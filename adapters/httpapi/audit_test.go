package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"understudy/adapters/httpapi"
	"understudy/adapters/service"
	"understudy/domain"
)

// sealed is a log with a head of size 10.
type sealed struct{}

const someHash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

func (sealed) Head(context.Context) (httpapi.AuditHead, error) {
	return httpapi.AuditHead{
		Origin: "understudy/0123456789abcdef", Size: 10, RootHash: someHash, Note: "understudy/0123456789abcdef\n10\n" + someHash + "\n",
		Key: "understudy/0123456789abcdef+00000001+AA", SignedAt: domain.At(noon), Keys: []httpapi.AuditKey{
			{Key: "understudy/0123456789abcdef+00000000+AA", UntilSize: new(int64)},
			{Key: "understudy/0123456789abcdef+00000001+AA", Rotation: "understudy key rotation v1\n"},
		},
	}, nil
}

func (sealed) Proof(_ context.Context, p service.Principal, stream string, revision uint64, size int64) (httpapi.AuditProof, error) {
	if p.OrganizationID != "org_a" || stream != "testrun-test_1" {
		return httpapi.AuditProof{}, domain.Refuse(domain.CodeNotFound, "there is no such event here")
	}
	if size == 0 {
		size = 10
	}
	return httpapi.AuditProof{
		Stream: stream, Revision: int64(revision), Type: "testrun.created.v1", Position: 7, Index: 4, Record: []byte("record"),
		LeafHash: someHash, Size: size, RootHash: someHash, Hashes: []string{someHash},
	}, nil
}

func (sealed) Consistency(_ context.Context, from, to int64) (httpapi.AuditConsistency, error) {
	return httpapi.AuditConsistency{From: from, To: max(to, 10), FromRootHash: someHash, ToRootHash: someHash, Hashes: []string{}}, nil
}

func TestHeadsAndProofs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	head := s.send("GET", "/audit/head", "read", "").wants(t, 200, "").object(t)
	if head["size"] != 10.0 || head["signed_at"] != "2026-11-21T12:00:00.000Z" || !strings.Contains(fmt.Sprint(head["note"]), someHash) {
		t.Errorf("the head: %v", head)
	}
	keys, _ := head["keys"].([]any)
	if want := fmt.Sprint([]any{
		map[string]any{"key": "understudy/0123456789abcdef+00000000+AA", "from_size": 0, "until_size": 0},
		map[string]any{"key": "understudy/0123456789abcdef+00000001+AA", "from_size": 0, "rotation": "understudy key rotation v1\n"},
	}); fmt.Sprint(keys) != want {
		t.Errorf("its keys are %v, want %s", keys, want)
	}
	proof := s.send("GET", "/audit/proof?stream=testrun-test_1&revision=3", "read", "").wants(t, 200, "").object(t)
	if proof["revision"] != 3.0 || proof["size"] != 10.0 || proof["record"] != "cmVjb3Jk" {
		t.Errorf("the proof: %v", proof)
	}
	s.send("GET", "/audit/proof?stream=testrun-test_1&revision=3&size=10", "all", "").wants(t, 200, "")
	if c := s.send("GET", "/audit/consistency?from=2", "read", "").wants(t, 200, "").object(t); c["from"] != 2.0 || c["to"] != 10.0 {
		t.Errorf("the proof of consistency: %v", c)
	}
	s.send("GET", "/audit/consistency?from=2&to=2", "read", "").wants(t, 200, "")
	s.send("GET", "/audit/head", "", "").wants(t, 401, "unauthenticated")
	s.send("GET", "/audit/proof?stream=testrun-test_1&revision=3", "other", "").wants(t, 404, "not_found")
	for path, want := range map[string]string{
		"/audit/proof?revision=3":                              "stream",
		"/audit/proof?stream=testrun-test_1":                   "revision",
		"/audit/proof?stream=testrun-test_1&revision=-1":       "revision",
		"/audit/proof?stream=testrun-test_1&revision=1&size=0": "size",
		"/audit/proof?stream=x&revision=1&size=11":             "size must be at most 10, the size of the newest signed head",
		"/audit/consistency":                                   "from",
		"/audit/consistency?from=11":                           "from must be at most 10",
		"/audit/consistency?from=3&to=2":                       "from must not be larger than to",
		"/audit/consistency?from=3&to=11":                      "to must be at most 10",
	} {
		p := s.isProblem(s.send("GET", path, "read", "").wants(t, 422, "validation_failed"))
		if len(p.Errors) != 1 || !strings.Contains(p.Errors[0].Message, want) {
			t.Errorf("GET %s: %+v, want %q", path, p.Errors, want)
		}
	}
}
