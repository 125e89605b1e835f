package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/fagus-dsm/fagus/fagus/checkpoint"
)

// memory is a checkpoint.Store that does not wait for a disk.
type memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	locked  bool
	open    int // readers and writers
}

func newMemory() *memory { return &memory{objects: map[string][]byte{}} }

type memoryWriter struct {
	bytes.Buffer
	to   *memory
	name string
}

func (w *memoryWriter) Abort() { w.to.close() }

func (w *memoryWriter) Commit() error {
	defer w.to.close()
	w.to.mu.Lock()
	defer w.to.mu.Unlock()
	if _, ok := w.to.objects[w.name]; ok {
		return fs.ErrExist
	}
	w.to.objects[w.name] = w.Bytes()
	return nil
}

type memoryReader struct {
	*bytes.Reader
	of *memory
}

func (r memoryReader) Close() error {
	r.of.close()
	return nil
}

func (m *memory) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open--
}

func (m *memory) Create(_ context.Context, name string) (checkpoint.Writer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open++
	return &memoryWriter{to: m, name: name}, nil
}

func (m *memory) Open(_ context.Context, name string) (checkpoint.Reader, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.objects[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	m.open++
	return memoryReader{bytes.NewReader(b), m}, nil
}

func (m *memory) List(context.Context) (all []checkpoint.Object, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, b := range m.objects {
		all = append(all, checkpoint.Object{Name: name, Bytes: int64(len(b))})
	}
	return all, nil
}

func (m *memory) Remove(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, name)
	return nil
}

func (m *memory) Lock(context.Context) (unlock func() error, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locked {
		return nil, errors.New("a job has it already")
	}
	m.locked = true
	return func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.locked = false
		return nil
	}, nil
}

func (m *memory) String() string { return "memory" }
