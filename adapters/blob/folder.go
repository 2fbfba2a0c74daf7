package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// folder keeps contents in files. gocloud's own file driver renames without
// syncing, so content acknowledged to an event could be gone after a power
// cut; this one syncs the file, and every folder that got a new entry.
//
// A content's type is kept beside it in "<sha>.type", written first.
type folder struct{ root string }

func openFolder(root string) (folder, error) {
	return folder{root}, os.MkdirAll(root, 0o700)
}

const typeSuffix = ".type"

func (f folder) put(ctx context.Context, key string, data []byte, contentType string) error {
	path := filepath.Join(f.root, filepath.FromSlash(key))
	switch info, err := os.Stat(path); {
	case err == nil && info.Size() == int64(len(data)):
		if time.Since(info.ModTime()) > renewal {
			if err := os.Chtimes(path, time.Time{}, time.Now()); err != nil {
				return err
			}
		}
		return f.syncEntries(path) // whoever wrote it may not have come to this yet
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if contentType == "" {
		contentType = noContentType
	}
	if err := writeFile(path+typeSuffix, []byte(contentType)); err != nil {
		return err
	}
	if err := writeFile(path, data); err != nil {
		return err
	}
	return f.syncEntries(path)
}

// syncEntries makes the file's name and those of its folders durable.
func (f folder) syncEntries(path string) error {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		if err := errors.Join(d.Sync(), d.Close()); err != nil {
			return err
		}
		if dir == f.root || len(dir) <= len(f.root) {
			return nil
		}
	}
}

func (f folder) get(_ context.Context, key string) (io.ReadSeekCloser, int64, string, error) {
	path := filepath.Join(f.root, filepath.FromSlash(key))
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, "", ErrNotFound
	}
	if err != nil {
		return nil, 0, "", err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, "", errors.Join(err, file.Close())
	}
	contentType := noContentType
	switch raw, err := os.ReadFile(path + typeSuffix); {
	case err == nil:
		contentType = strings.TrimSpace(string(raw))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, 0, "", errors.Join(err, file.Close())
	}
	return file, info.Size(), contentType, nil
}

func (f folder) written(_ context.Context, key string) (time.Time, error) {
	info, err := os.Stat(filepath.Join(f.root, filepath.FromSlash(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, ErrNotFound
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// remove leaves the folders: another content may be on its way into them.
func (f folder) remove(_ context.Context, key string) error {
	path := filepath.Join(f.root, filepath.FromSlash(key))
	for _, name := range []string{path, path + typeSuffix} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (folder) close() error { return nil }

// writeFile puts data at path wholly or not at all, synced.
func writeFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, writeErr := temp.Write(data)
	err = errors.Join(writeErr, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
