package integrity

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Head says what the tree was at a size: no two heads of one origin and size
// have different roots.
type Head struct {
	// Origin names the log, and is the name of the key that signs its heads.
	Origin string
	// Size is the number of events.
	Size int64
	// Root is the hash of the tree of that size.
	Root tlog.Hash
}

// text is the head as C2SP's tlog-checkpoint: three lines.
func (h Head) text() string {
	return h.Origin + "\n" + strconv.FormatInt(h.Size, 10) + "\n" + h.Root.String() + "\n"
}

// SignHead makes the signed note of a head. The same head gives the same note.
func SignHead(h Head, key *Key) ([]byte, error) {
	return key.sign(h.text())
}

func parseHead(text string) (h Head, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return h, fmt.Errorf("it has not the three lines origin, size and root hash")
	}
	h.Origin = lines[0]
	if h.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || h.Size < 0 {
		return h, fmt.Errorf("its size is %q", lines[1])
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return h, fmt.Errorf("its root hash is %q", lines[2])
	}
	h.Root = tlog.Hash(root)
	if h.text() != text {
		return h, fmt.Errorf("it is not in its canonical form")
	}
	return h, nil
}
