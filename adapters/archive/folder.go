// Package archive keeps histories of tests in files: exports as auditors have them,
// compressed in pieces, so that each event can be read by itself.
package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"understudy/eventstore/integrity"
)

const (
	// suffix is how names of archives end, before it is the test's id.
	suffix = ".export.gz"
	// unfinished is behind the test's id while its archive is being made, or the store is
	// being scavenged by it.
	unfinished = ".unfinished"
	// pieceBytes is how much text a piece has, uncompressed, if its lines allow.
	pieceBytes = 64 << 10
	// keptPieces bounds the pieces in memory.
	keptPieces = 32
)

// Folder is a directory of archives. An archive is an export whose pieces, of whole lines,
// are members of a gzip file; nothing changes it any more. All methods may be called
// concurrently.
type Folder struct {
	dir string

	mu sync.Mutex
	// recent and older are pieces that were read last.
	recent, older map[place]piece
}

// place is where a piece begins in a file.
type place struct {
	name   string
	offset int64
}

// piece is lines without their ends.
type piece [][]byte

// NewFolder is the archives of a directory, which may not be there yet.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

// Read finds data and metadata of the event that a reference names.
func (f *Folder) Read(ref string) (data, metadata []byte, err error) {
	var at place
	var line int
	if _, err := fmt.Sscanf(ref, "%s %d %d", &at.name, &at.offset, &line); err != nil {
		return nil, nil, fmt.Errorf("%q names no event of an archive", ref)
	}
	lines, err := f.piece(at)
	if err != nil {
		return nil, nil, err
	}
	if line < 0 || line >= len(lines) {
		return nil, nil, fmt.Errorf("%s has no line %d at %d", at.name, line, at.offset)
	}
	e, ok, err := integrity.ReadEvent(lines[line])
	if err != nil || !ok {
		return nil, nil, fmt.Errorf("%s has no event in line %d at %d: %w", at.name, line, at.offset, err)
	}
	return e.Data, e.Metadata, nil
}

// Each passes the events of an archive, each with the reference that names it. An error of
// each ends it and is returned as it is.
func (f *Folder) Each(name string, each func(position uint64, ref string, data, metadata []byte) error) error {
	return f.pieces(name, func(offset int64, lines piece) error {
		for i, line := range lines {
			e, ok, err := integrity.ReadEvent(line)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if !ok {
				continue
			}
			if err := each(e.Position, fmt.Sprintf("%s %d %d", name, offset, i), e.Data, e.Metadata); err != nil {
				return err
			}
		}
		return nil
	})
}

// piece reads one piece, or has it from before.
func (f *Folder) piece(at place) (piece, error) {
	f.mu.Lock()
	kept, ok := f.recent[at]
	if !ok {
		kept, ok = f.older[at]
	}
	f.mu.Unlock()
	if !ok {
		file, err := f.open(at.name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		if _, err := file.Seek(at.offset, io.SeekStart); err != nil {
			return nil, err
		}
		if kept, err = readPiece(bufio.NewReader(file), new(gzip.Reader)); err != nil {
			return nil, fmt.Errorf("%s at %d: %w", file.Name(), at.offset, err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recent == nil || len(f.recent) >= keptPieces/2 {
		f.older, f.recent = f.recent, map[place]piece{}
	}
	f.recent[at] = kept
	return kept, nil
}

func (f *Folder) open(name string) (*os.File, error) {
	if filepath.Base(name) != name || !strings.HasSuffix(name, suffix) {
		return nil, fmt.Errorf("%q is no name of an archive", name)
	}
	return os.Open(filepath.Join(f.dir, name))
}

// pieces passes every piece of an archive with its place.
func (f *Folder) pieces(name string, each func(offset int64, lines piece) error) error {
	file, err := f.open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	in := &counted{Reader: bufio.NewReader(file)}
	var zip gzip.Reader
	for {
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		offset := in.n
		lines, err := readPiece(in, &zip)
		if err != nil {
			return fmt.Errorf("%s at %d: %w", file.Name(), offset, err)
		}
		if err := each(offset, lines); err != nil {
			return err
		}
	}
}

// counted counts what is read.
type counted struct {
	*bufio.Reader

	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// readPiece reads a member of a gzip file and not a byte more.
func readPiece(in io.Reader, zip *gzip.Reader) (piece, error) {
	if err := zip.Reset(in); err != nil {
		return nil, err
	}
	zip.Multistream(false)
	text, err := io.ReadAll(zip)
	if err != nil {
		return nil, err
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")), nil
}

// add makes an archive of the export at a path. It appears when it is on the disk as a
// whole, and the export goes.
func (f *Folder) add(name, path string) error {
	export, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = export.Close() }()
	temp, err := os.CreateTemp(f.dir, ".archive-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already when all went well
	if err := errors.Join(compress(temp, export), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(temp.Name(), filepath.Join(f.dir, name)), f.sync(), os.Remove(path))
}

// compress writes text in pieces.
func compress(w io.Writer, text io.Reader) error {
	in := bufio.NewReader(text)
	zip := gzip.NewWriter(nil)
	for ended := false; !ended; {
		var lines []byte
		for !ended && len(lines) < pieceBytes {
			line, err := in.ReadBytes('\n')
			if ended = errors.Is(err, io.EOF); err != nil && !ended {
				return err
			}
			lines = append(lines, line...)
		}
		if len(lines) == 0 {
			break
		}
		zip.Reset(w)
		_, err := zip.Write(lines)
		if err := errors.Join(err, zip.Close()); err != nil {
			return err
		}
	}
	return nil
}

// read is the export of an archive, and the SHA-256 of its file in hex.
func (f *Folder) read(name string) (export []byte, sum string, err error) {
	file, err := f.open(name)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if export, err = unzipped(bufio.NewReader(io.TeeReader(file, hash))); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file.Name(), err)
	}
	return export, hex.EncodeToString(hash.Sum(nil)), nil
}

func unzipped(file io.Reader) ([]byte, error) {
	zip, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

// locked runs do while nobody else archives into the folder, which is made when it is not
// there.
func (f *Folder) locked(do func() error) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	dir, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // which also unlocks it
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.dir, err)
	}
	return do()
}

// ErrBusy says that somebody else archives into the folder.
var ErrBusy = errors.New("tests are being archived; try again")

// begin notes that a test's archive is being made.
func (f *Folder) begin(testID string) error {
	file, err := os.OpenFile(filepath.Join(f.dir, testID+unfinished), os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), f.sync())
}

// finish notes that there is nothing more to do about a test.
func (f *Folder) finish(testID string) error {
	return errors.Join(os.Remove(filepath.Join(f.dir, testID+unfinished)), f.sync())
}

// sync makes names durable.
func (f *Folder) sync() error {
	dir, err := os.Open(f.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// sweep removes what is left of files that were never whole.
func (f *Folder) sweep() error {
	entries, err := os.ReadDir(f.dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			err = errors.Join(err, os.Remove(filepath.Join(f.dir, entry.Name())))
		}
	}
	return err
}

// Has reports whether a test has an archive, finished or not.
func (f *Folder) Has(testID string) bool {
	_, err := os.Stat(filepath.Join(f.dir, testID+suffix))
	return err == nil
}

// Unfinished are the tests whose archiving was begun and has not come to its end.
func (f *Folder) Unfinished() (tests []string, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if id, ok := strings.CutSuffix(entry.Name(), unfinished); ok {
			tests = append(tests, id)
		}
	}
	return tests, err
}
