package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// bucket keeps contents in any store that gocloud.dev has a driver for; those
// acknowledge a write when it is durable.
type bucket struct{ b *blob.Bucket }

func openBucket(ctx context.Context, address string) (bucket, error) {
	b, err := blob.OpenBucket(ctx, address)
	return bucket{b}, err
}

func (b bucket) put(ctx context.Context, key string, data []byte, contentType string) error {
	switch at, err := b.written(ctx, key); {
	case err == nil && time.Since(at) <= renewal:
		return nil
	case err != nil && !errors.Is(err, ErrNotFound):
		return err
	}
	if contentType == "" {
		contentType = noContentType
	}
	return b.b.WriteAll(ctx, key, data, &blob.WriterOptions{ContentType: contentType})
}

// get reads the whole content: the readers of remote stores open a connection
// at every seek, and an artifact is a few megabytes at most.
func (b bucket) get(ctx context.Context, key string) (io.ReadSeekCloser, int64, string, error) {
	r, err := b.b.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, 0, "", ErrNotFound
	}
	if err != nil {
		return nil, 0, "", err
	}
	data, readErr := io.ReadAll(r)
	if err := errors.Join(readErr, r.Close()); err != nil {
		return nil, 0, "", err
	}
	return sameBytes{bytes.NewReader(data)}, int64(len(data)), r.ContentType(), nil
}

func (b bucket) written(ctx context.Context, key string) (time.Time, error) {
	attributes, err := b.b.Attributes(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return time.Time{}, ErrNotFound
	}
	if err != nil {
		return time.Time{}, err
	}
	return attributes.ModTime, nil
}

func (b bucket) remove(ctx context.Context, key string) error {
	if err := b.b.Delete(ctx, key); gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	return nil
}

func (b bucket) close() error { return b.b.Close() }
