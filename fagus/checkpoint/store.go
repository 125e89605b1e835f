package checkpoint

import (
	"context"
	"io"
)

// A Store keeps objects by name. Names have letters, digits, '-' and '.', and at most 100 bytes.
// Several goroutines and processes use it at the same time.
type Store interface {
	// Create begins an object, which appears when it is committed. An object of this name that
	// exists already makes Create or Commit fail with fs.ErrExist.
	Create(ctx context.Context, name string) (Writer, error)
	// Open opens an object. If there is none, the error is fs.ErrNotExist.
	Open(ctx context.Context, name string) (Reader, error)
	// List returns all objects, in any order.
	List(ctx context.Context) ([]Object, error)
	// Remove removes an object. It is no error if there is none.
	Remove(ctx context.Context, name string) error
	// Lock reserves the store for a job until unlock is called or this process ends. The error says
	// who has it. Who only reads needs no lock.
	Lock(ctx context.Context) (unlock func() error, err error)
	// String says where the store is, for messages.
	String() string
}

// A Writer writes one object. Either Commit or Abort is called once, at the end.
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
	// Size returns the bytes of the object.
	Size() int64
}

// An Object is what List tells of one.
type Object struct {
	Name  string
	Bytes int64
}
