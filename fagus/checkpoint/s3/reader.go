package s3

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// reader is a checkpoint.Reader.
type reader struct {
	store *Store
	ctx   context.Context
	name  string
	etag  string
	size  int64
}

// Open implements checkpoint.Store. Reading ends with ctx.
func (s *Store) Open(ctx context.Context, name string) (checkpoint.Reader, error) {
	r := &reader{store: s, ctx: ctx, name: name}
	err := s.retry(ctx, "opening "+name, func(ctx context.Context) error {
		header, err := s.head(ctx, name)
		if err != nil {
			return err
		}
		r.etag = header.Get("ETag")
		r.size, err = strconv.ParseInt(header.Get("Content-Length"), 10, 64)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Size implements checkpoint.Reader.
func (r *reader) Size() int64 { return r.size }

// Close implements io.Closer.
func (r *reader) Close() error { return nil }

// ReadAt implements io.ReaderAt. Short reads come from a window, so that reading an object piece by
// piece takes one request per MiB.
func (r *reader) ReadAt(p []byte, at int64) (n int, err error) {
	if at < 0 {
		return 0, fmt.Errorf("s3: %v: reading %s: offset %d is negative", r.store, r.name, at)
	}
	if at >= r.size {
		return 0, io.EOF
	}
	wanted := p[:min(int64(len(p)), r.size-at)]
	if len(wanted) >= windowBytes {
		n, err = r.fetch(wanted, at)
	} else {
		n, err = r.short(wanted, at)
	}
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// fetch fills p. When a connection breaks, only the missing bytes are requested again.
func (r *reader) fetch(p []byte, at int64) (n int, err error) {
	err = r.store.retry(r.ctx, fmt.Sprintf("reading %d bytes at %d of %s", len(p), at, r.name), func(ctx context.Context) error {
		header := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", at+int64(n), at+int64(len(p))-1)}, "If-Match": {r.etag}}
		answer, err := r.store.do(ctx, request{method: http.MethodGet, key: r.store.key(r.name), header: header})
		if err != nil {
			return err
		}
		body := answer.Body
		defer body.Close()
		got, err := io.ReadFull(body, p[n:])
		n += got
		return err
	})
	return n, err
}

const (
	windowBytes = 1 << 20
	// tailBytes are read at once at the end of an object, where its index is.
	tailBytes   = 64 << 10
	mostWindows = 16
)

// windows are the ranges of objects that were read last, the newest at the end.
type windows struct {
	mu  sync.Mutex
	all []window
}

type window struct {
	name, etag string
	at         int64
	data       []byte // never changes
}

// short reads less than a window.
func (r *reader) short(p []byte, at int64) (n int, err error) {
	if data := r.store.windows.find(r, at, len(p)); data != nil {
		return copy(p, data), nil
	}
	from := max(0, min(at, r.size-tailBytes))
	data := make([]byte, min(windowBytes, r.size-from))
	if n, err := r.fetch(data, from); err != nil {
		return min(len(p), max(0, int(from)+n-int(at))), err
	}
	r.store.windows.add(window{r.name, r.etag, from, data})
	return copy(p, data[at-from:]), nil
}

// find returns at least n bytes from an offset on, or nil if no window has them.
func (ws *windows) find(r *reader, at int64, n int) []byte {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for i, w := range slices.Backward(ws.all) {
		if w.name == r.name && w.etag == r.etag && w.at <= at && at+int64(n) <= w.at+int64(len(w.data)) {
			ws.all = append(slices.Delete(ws.all, i, i+1), w)
			return w.data[at-w.at:]
		}
	}
	return nil
}

func (ws *windows) add(w window) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.all) == mostWindows {
		ws.all = slices.Delete(ws.all, 0, 1)
	}
	ws.all = append(ws.all, w)
}
