package checkpoint

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
)

// shelf is a store in memory. It counts readers and writers that are not ended.
type shelf struct {
	objects
	open    int // readers that are not closed
	writing int // writers that are neither committed nor aborted
	aborted int
	failing func(doing, name string) error // nil: never
}

func newShelf() *shelf {
	return &shelf{objects: objects{}, failing: func(string, string) error { return nil }}
}

func (s *shelf) Create(_ context.Context, name string) (Writer, error) {
	if err := s.failing("create", name); err != nil {
		return nil, err
	}
	if s.objects[name] != nil {
		return nil, fs.ErrExist
	}
	s.writing++
	return &shelfWriter{shelf: s, name: name}, nil
}

func (s *shelf) Open(ctx context.Context, name string) (Reader, error) {
	r, err := s.objects.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	s.open++
	return &shelfReader{Reader: r, shelf: s, name: name}, nil
}

func (s *shelf) Remove(_ context.Context, name string) error { delete(s.objects, name); return nil }

func (s *shelf) Lock(context.Context) (unlock func() error, err error) {
	return func() error { return nil }, nil
}

type shelfWriter struct {
	shelf *shelf
	name  string
	bytes.Buffer
}

func (w *shelfWriter) Write(p []byte) (int, error) {
	if err := w.shelf.failing("write", w.name); err != nil {
		return 0, err
	}
	return w.Buffer.Write(p)
}

func (w *shelfWriter) Commit() error {
	w.shelf.writing--
	if err := w.shelf.failing("commit", w.name); err != nil {
		return err
	}
	w.shelf.objects[w.name] = slices.Clone(w.Bytes())
	return nil
}

func (w *shelfWriter) Abort() { w.shelf.writing--; w.shelf.aborted++ }

type shelfReader struct {
	Reader
	shelf *shelf
	name  string
	ended bool
}

func (r *shelfReader) ReadAt(p []byte, at int64) (int, error) {
	if r.ended {
		panic("a reader is used after Close")
	}
	if err := r.shelf.failing("read", r.name); err != nil {
		return 0, err
	}
	return r.Reader.ReadAt(p, at)
}

func (r *shelfReader) Close() error {
	if !r.ended {
		r.ended = true
		r.shelf.open--
	}
	return nil
}
