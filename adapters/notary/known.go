package notary

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"understudy/eventstore/integrity"
)

// ReadKnown reads what an auditor knows of the log of an export, each part from
// the file that is named for it, if one is. With a head come the keys that have
// led to the one that signed it, if the file has them.
func ReadKnown(key, head, consistency string, export []byte) (known integrity.Known, err error) {
	if key != "" {
		public, err := integrity.ParsePublicKey(key)
		if err != nil {
			return known, fmt.Errorf("--key: %w", err)
		}
		known.Keys = integrity.ChainOf(public)
	}
	if head != "" {
		if err = readHead(head, &known, export); err != nil {
			return known, fmt.Errorf("--head: %s: %w", head, err)
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
func readHead(path string, known *integrity.Known, export []byte) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rotations, text := integrity.CutRotations(string(raw))
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		var answer struct {
			Note string
			Keys []struct{ Rotation string }
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			return err
		}
		text = answer.Note
		for _, k := range answer.Keys[min(1, len(answer.Keys)):] {
			rotations += k.Rotation + "\n"
		}
	}
	if rotations != "" {
		keys, err := integrity.ParseRotations(rotations)
		if err != nil {
			return err
		}
		if known.Keys != nil && !keys.Has(known.Keys.String()) {
			return fmt.Errorf("its keys, %s, are not those of the log whose key is %s", keys, known.Keys)
		}
		known.Keys = keys
	}
	v := integrity.Verify(export, *known)
	if v.Keys == nil {
		return errors.New("the export has no readable key to check the head with")
	}
	err = EachHead([]byte(strings.TrimRight(text, "\n")+"\n\n"), v.Keys, func(h integrity.Head, _ []byte) error {
		if known.Head == nil || known.Head.Size != v.Manifest.Head.Size {
			known.Head = &h
		}
		return nil
	})
	if err == nil && known.Head == nil {
		err = errors.New("it has no signed head")
	}
	return err
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
