package notary

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"understudy/eventstore/integrity"
)

// HeadsFile is where signed heads are kept, apart from the log that they are
// of: one signed note after the other, each with an empty line behind it. It
// is only ever added to, by one at a time: it stays locked until it is closed.
type HeadsFile struct {
	path string
	file *os.File
	// size is where the last whole head ends.
	size int64
	last integrity.Head
	// signer is the key that has signed it, in text form.
	signer string
}

// tailBytes is more than two heads have.
const tailBytes = 4 << 10

// errSigning: a process that has lost its leadership and does not know yet.
var errSigning = errors.New("another process adds heads to it")

// OpenHeads opens the file of a log whose heads key signs, or did before it
// one that has led to it, and reads the last head. What a crash left half-written of a head is cut off: nobody was told
// of it. A file that is missing or empty is fs.ErrNotExist, one that somebody
// has open errSigning, which passes.
func OpenHeads(path string, key *integrity.Key) (_ *HeadsFile, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	// Where the file system has no locks, the one in Postgres has to do.
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", path, errSigning)
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	h := &HeadsFile{path: path, file: f}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	start := max(0, info.Size()-tailBytes)
	tail := make([]byte, info.Size()-start)
	if _, err := f.ReadAt(tail, start); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	note, end := lastNote(tail, key.Name())
	if note == nil {
		return nil, fmt.Errorf("%s has no head of the log %s: %w", path, key.Name(), fs.ErrNotExist)
	}
	last, signer, err := key.Chain().OpenHead(note)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged at its end, or the keyring is not the newest: %w", path, err)
	}
	h.last, h.signer = last, signer.String()
	if noteLength(tail[end:]) > 0 { // more than half of a head
		return nil, fmt.Errorf("%s is damaged at its end: what stands behind the head of size %d is none", path, h.last.Size)
	}
	if h.size = start + int64(end); h.size != info.Size() {
		err = f.Truncate(h.size)
	}
	return h, err
}

// lastNote finds the last whole note in the end of a file, and where it and
// its empty line end.
func lastNote(tail []byte, origin string) (note []byte, end int) {
	begin := []byte(origin + "\n")
	for at := len(tail); at > 0; {
		at = bytes.LastIndex(tail[:at], begin)
		if at < 0 {
			return nil, 0
		}
		if at > 0 && !bytes.HasSuffix(tail[:at], []byte("\n\n")) {
			continue
		}
		if n := noteLength(tail[at:]); n > 0 {
			return tail[at : at+n-1], at + n
		}
	}
	return nil, 0
}

// noteLines is how many lines a signed head has, with the empty one behind it.
const noteLines = 6

// noteLength is how many bytes the first head of text has with its empty line,
// 0 when it is not whole.
func noteLength(text []byte) int {
	at := 0
	for range noteLines {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return 0
		}
		at += n + 1
	}
	return at
}

// beginHeads makes the file with the head of the empty log. One that has no
// more than such a head, which a crash left before its key was kept, is made
// anew; any other stays and is an error.
func beginHeads(path string, key *integrity.Key) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	there, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if n := noteLength(there); n > 0 && (n < len(there) || !bytes.HasPrefix(there[bytes.IndexByte(there, '\n')+1:], []byte("0\n"))) {
		return fmt.Errorf("%s has heads that were signed with another key than this keyring's, which has none: "+
			"put the keyring back that belongs to them", path)
	}
	head, err := emptyHead(key)
	if err != nil {
		return err
	}
	signed, err := integrity.SignHead(head, key)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".heads-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already when all went well
	_, writeErr := temp.Write(append(signed, '\n'))
	if err := errors.Join(writeErr, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func emptyHead(key *integrity.Key) (integrity.Head, error) {
	var empty integrity.Tree
	root, err := empty.Root()
	return integrity.Head{Origin: key.Name(), Root: root}, err
}

// Last is the newest head of the file.
func (h *HeadsFile) Last() integrity.Head { return h.last }

// Add signs a head and adds it, unless it is there by this key. It is on disk
// when Add returns. What a failure has left of it is taken away, or overwritten
// by the next one.
func (h *HeadsFile) Add(head integrity.Head, key *integrity.Key) (signed []byte, err error) {
	signed, err = integrity.SignHead(head, key)
	if err != nil || (head == h.last && h.signer == key.Public().String()) {
		return signed, err
	}
	if head.Size < h.last.Size || (head.Size == h.last.Size && h.signer == key.Public().String()) {
		return nil, fmt.Errorf("%s: a head of %d after one of %d", h.path, head.Size, h.last.Size)
	}
	record := append(bytes.Clone(signed), '\n')
	_, err = h.file.WriteAt(record, h.size)
	if err == nil {
		err = h.file.Sync()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keep a signed head: %w", err), h.file.Truncate(h.size))
	}
	h.size += int64(len(record))
	h.last, h.signer = head, key.Public().String()
	return signed, nil
}

// Close closes the file.
func (h *HeadsFile) Close() error { return h.file.Close() }

// ReadHeads passes every head of a file to each, in the order of the file,
// with its signed note, which is checked. A file that is missing or has no head
// is an error: every file begins with the head of the empty log.
func ReadHeads(path string, keys *integrity.Chain, each func(integrity.Head, []byte) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return notHere(err)
	}
	return headsOf(path, text, keys, each)
}

// headsOf is EachHead of the text of a file, or of its end, which has a head.
func headsOf(path string, text []byte, keys *integrity.Chain, each func(integrity.Head, []byte) error) error {
	if noteLength(text) == 0 {
		return notHere(fmt.Errorf("%s has no head", path))
	}
	if err := EachHead(text, keys, each); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func notHere(err error) error {
	return fmt.Errorf("the signed heads of the log are not here, UNDERSTUDY_AUDIT_DIR says where they are: %w", err)
}

// manyHeads is some 250 heads: minutes of a log that grows all the time.
const manyHeads = 64 << 10

// ReadLastHeads is ReadHeads of the end of a file, of some 250 heads.
func ReadLastHeads(path string, keys *integrity.Chain, each func(integrity.Head, []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return notHere(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	start := max(0, info.Size()-manyHeads)
	text := make([]byte, info.Size()-start)
	if _, err := f.ReadAt(text, start); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if start > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n\n"+keys.Newest().Name()+"\n"))
		text = append([]byte(keys.Newest().Name()+"\n"), text...)
	}
	return headsOf("the end of "+path, text, keys, each)
}

// EachHead is ReadHeads of a text, which may have none.
func EachHead(text []byte, keys *integrity.Chain, each func(integrity.Head, []byte) error) error {
	for n := 1; len(text) > 0; n++ {
		length := noteLength(text)
		if length == 0 {
			return nil // half-written: a crash, or being written
		}
		head, _, err := keys.OpenHead(text[:length-1])
		if err != nil {
			return fmt.Errorf("its head number %d: %w", n, err)
		}
		if err := each(head, text[:length-1]); err != nil {
			return err
		}
		text = text[length:]
	}
	return nil
}
