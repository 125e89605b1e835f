package checkpoint

import (
	"context"
	"io"
)

// A Store keeps objects by name. Names have letters, digits, '-' and '.', and at most 100 bytes.
// Several goroutines and processes use it at the same time.
type Store interface {
	// Create begins an object, which appears when it is committed. If an object with this name
	// exists already, Create or Commit fails with fs.ErrExist.
	Create(ctx context.Context, name string) (Writer, error)
	// Open opens an object. If there is none, the error is fs.ErrNotExist.
	Open(ctx context.Context, name string) (Reader, error)
	// List returns all objects, in any order.
	List(ctx context.Context) ([]Object, error)
	// Remove removes an object. It is no error if there is none.
	Remove(ctx context.Context, name string) error
	// Lock reserves the store for a job until unlock is called or this process ends. If another
	// job has it, the error says which. A job that only reads needs no lock.
	Lock(ctx context.Context) (unlock func() error, err error)
	// String says where the store is, for messages.
	String() string
}

// A Writer writes one object. Exactly one of Commit and Abort is called, once, at the end.
type Writer interface {
	io.Writer
	// Commit returns when the object is durable: it survives a loss of power.
	Commit() error
	// Abort gives the object up.
	Abort()
}

// A Reader reads one object.
type Reader interface {
	io.ReaderAt
	io.Closer
	// Size returns the size of the object in bytes.
	Size() int64
}

// An Object describes one object in a List.
type Object struct {
	Name  string
	Bytes int64
}
