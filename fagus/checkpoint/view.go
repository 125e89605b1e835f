package checkpoint

import (
	"fmt"
	"io/fs"
	"iter"
	"os"
	"syscall"
)

// A Piece is a range of consecutive bytes of an array with one checksum.
type Piece struct {
	Offset int // in the array, in bytes
	Bytes  int // at most 1 MiB
	// Part is the object with the bytes: a part of the checkpoint, or of an earlier one.
	Part string
}

// Pieces returns the saved pieces of an array, an index in Arrays, in ascending order and without
// overlaps. Bytes between pieces were never saved, and Read returns 0 for them.
func (o *Snapshot) Pieces(array int) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		for _, at := range o.arrays[array] {
			if !yield(Piece{int(at.Offset), int(at.Bytes), at.object}) {
				return
			}
		}
	}
}

// Own reports whether a part belongs to this checkpoint, and not to an earlier one.
func (o *Snapshot) Own(part string) bool {
	number, what := parseName(part)
	return what == aPart && number == o.Manifest.Number
}

// within returns an error if an array, or bytes of it, do not exist.
func (o *Snapshot) within(array, offset, bytes int) error {
	if array < 0 || array >= len(o.arrays) {
		return fmt.Errorf("checkpoint %d: array %d of %d", o.Manifest.Number, array, len(o.arrays))
	}
	if a := o.Manifest.Arrays[array]; offset < 0 || offset > a.Bytes || bytes > a.Bytes-offset {
		return fmt.Errorf("checkpoint %d: array %q: %d bytes at %d: it has %d", o.Manifest.Number, a.Name, bytes, offset, a.Bytes)
	}
	return nil
}

// OpenExisting returns the store in an existing directory, for reading. It creates nothing. The
// checkpoints may belong to another user.
func OpenExisting(path string) (*Directory, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	host := hostDisk{path: path, others: true}
	return &Directory{path: path, disk: host, lock: host.lock}, nil
}
