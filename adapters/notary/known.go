package notary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore/integrity"
)

// ReadKnown reads what an auditor knows of the log of an export, each part from
// the file that is named for it, if one is.
func ReadKnown(key, head, consistency string, export []byte) (known integrity.Known, err error) {
	if key != "" {
		if known.Key, err = integrity.ParsePublicKey(key); err != nil {
			return known, fmt.Errorf("--key: %w", err)
		}
	}
	if head != "" {
		if known.Head, err = readHead(head, known.Key, export); err != nil {
			return known, fmt.Errorf("--head: %w", err)
		}
	}
	if consistency != "" {
		if known.Consistency, err = readConsistency(consistency); err != nil {
			return known, fmt.Errorf("--consistency: %w", err)
		}
	}
	return known, nil
}

// readHead reads a file with a signed head, as text or as the interface
// answers, or with many. Of many it takes the one that the export is under, or
// else the newest.
func readHead(path string, key *integrity.PublicKey, export []byte) (*integrity.Head, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var answer struct{ Note string }
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		text = []byte(answer.Note)
	}
	v := integrity.Verify(export, integrity.Known{Key: key})
	if v.Key == nil {
		return nil, errors.New("the export has no readable key to check the head with")
	}
	var found *integrity.Head
	err = EachHead(append(bytes.TrimRight(text, "\n"), "\n\n"...), v.Key, func(h integrity.Head, _ []byte) error {
		if found == nil || found.Size != v.Manifest.Head.Size {
			found = &h
		}
		return nil
	})
	if err == nil && found == nil {
		err = errors.New("it has no signed head")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}

// readConsistency reads the answer of GET /v1/audit/consistency.
func readConsistency(path string) (tlog.TreeProof, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var answer struct{ Hashes []string }
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	proof := make(tlog.TreeProof, len(answer.Hashes))
	for i, h := range answer.Hashes {
		if proof[i], err = tlog.ParseHash(h); err != nil {
			return nil, fmt.Errorf("%s: hash %s: %w", path, strconv.Itoa(i+1), err)
		}
	}
	return proof, nil
}
