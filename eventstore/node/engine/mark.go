package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// markName is the file, beside Pebble's own, that holds the high-water mark:
// which event was the newest when something was last acknowledged.
//
// Pebble cannot tell a log whose end was cut off from one that ends there, or
// a version of its tables that lacks the newest changes from the newest one.
// The mark can: it is written after the log's sync and before the
// acknowledgement, so that a store whose newest event lies before the mark has
// lost acknowledged events. It is not synced at each append, which would cost
// as much as the append; killing the process loses none of it, a power failure
// what the kernel had not written back. It is therefore never ahead of the
// log, and a refusal for its sake is never a false alarm.
const markName = "acknowledged"

// The file is one record, overwritten in place and smaller than any sector, so
// that a power failure leaves the old one or the new one: magic, position and
// id of the event, CRC-32C (Castagnoli) of what stands before it. Numbers are
// big-endian.
const (
	markMagic = "UNDACK01"
	markSize  = len(markMagic) + 8 + 16 + 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mark is the newest event that was acknowledged; position 0 is none.
type mark struct {
	position uint64
	id       [16]byte
}

func (m mark) encode() []byte {
	b := append(make([]byte, 0, markSize), markMagic...)
	b = binary.BigEndian.AppendUint64(b, m.position)
	b = append(b, m.id[:]...)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeMark(b []byte) (m mark, ok bool) {
	body := markSize - 4
	if len(b) != markSize || string(b[:len(markMagic)]) != markMagic ||
		binary.BigEndian.Uint32(b[body:]) != crc32.Checksum(b[:body], castagnoli) {
		return mark{}, false
	}
	m.position = binary.BigEndian.Uint64(b[len(markMagic):])
	copy(m.id[:], b[len(markMagic)+8:body])
	return m, true
}

// readMark reads the mark of a directory; ok is false when there is no such
// file. A file that is damaged wraps ErrUnreadable.
func readMark(disk vfs.FS, dir string) (m mark, ok bool, err error) {
	path := disk.PathJoin(dir, markName)
	raw, err := readFile(disk, path)
	if errors.Is(err, fs.ErrNotExist) {
		return mark{}, false, nil
	}
	if err != nil {
		return mark{}, false, fmt.Errorf("%w: %s: %w", ErrUnreadable, path, err)
	}
	if m, ok = decodeMark(raw); !ok {
		return mark{}, false, fmt.Errorf("%w: the file %s is damaged, so that nobody can say whether the newest events are there; "+
			"restore the directory from a backup or, to go on with the events that are there, remove that file", ErrUnreadable, path)
	}
	return m, true, nil
}

// openMark puts m in place of the directory's mark, durably, and opens the file
// for writing. A power failure meanwhile leaves the old mark or the new one.
func openMark(disk vfs.FS, dir string, m mark) (vfs.File, error) {
	path := disk.PathJoin(dir, markName)
	f, err := disk.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(m.encode())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := errors.Join(disk.Rename(path+".new", path), syncDir(disk, dir)); err != nil {
		return nil, err
	}
	return disk.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
}

func readFile(disk vfs.FS, path string) ([]byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(f)
	return raw, errors.Join(err, f.Close())
}

func syncDir(disk vfs.FS, dir string) error {
	d, err := disk.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
