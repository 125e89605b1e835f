package checkpoint

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// OverDisk returns a Directory over a disk in memory. The lock is in the directory path.
func OverDisk(path string, d *Disk) *Directory {
	return &Directory{path: path, disk: d, lock: hostDisk{path: path}.lock}
}

// Disk is a directory in memory that fails on demand, and forgets what a loss of power destroys.
type Disk struct {
	// Before is called before each operation with its number, from 0, and its name, such as
	// "write". The operation fails with its error.
	Before func(number int, what string) error

	mu      sync.Mutex
	count   int
	open    int                    // files that are being read or written
	files   map[string]*memoryFile // by name
	durable map[string]*memoryFile // the names that Sync has made durable
}

type memoryFile struct {
	bytes  []byte
	synced []byte
}

// ErrDisk is the error of a Disk that fails on demand.
var ErrDisk = errors.New("the disk has failed")

// NewDisk returns an empty disk.
func NewDisk() *Disk {
	return &Disk{files: map[string]*memoryFile{}, durable: map[string]*memoryFile{}}
}

// LeftOpen returns how many files of a Directory over a Disk are being read or written.
func LeftOpen(s Store) int {
	dir, ok := s.(*Directory)
	if !ok {
		return 0
	}
	d, ok := dir.disk.(*Disk)
	if !ok {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// Operations returns how many operations there were.
func (d *Disk) Operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// Loss is what a loss of power leaves.
type Loss int

// The losses.
const (
	LoseNothing Loss = iota // a process was killed, not the host
	LoseAll                 // names and bytes that were not synced are gone
	LoseBytes               // all names are there, but only some bytes that were not synced
	LoseSome                // some names and some bytes that were not synced are there
	Losses
)

// After returns the disk after a loss. The seed chooses what is left.
func (d *Disk) After(loss Loss, seed uint64) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := rand.New(rand.NewPCG(seed, uint64(loss)))
	after := NewDisk()
	names := d.files
	if loss == LoseAll {
		names = d.durable
	}
	copies := map[*memoryFile]*memoryFile{}
	for _, name := range sortedKeys(names) {
		f := names[name]
		if loss == LoseSome && d.durable[name] != f && r.IntN(2) == 0 {
			if f = d.durable[name]; f == nil {
				continue
			}
		}
		c := copies[f]
		if c == nil {
			b := slices.Clone(f.bytes)
			switch loss {
			case LoseAll:
				b = slices.Clone(f.synced)
			case LoseBytes, LoseSome:
				if !bytes.Equal(f.synced, b) {
					clear(b[len(b)-r.IntN(len(b)+1):]) // blocks that were never written
					b = b[:len(b)-r.IntN(len(b)+1)]
				}
			}
			c = &memoryFile{bytes: b, synced: slices.Clone(b)}
			copies[f] = c
		}
		after.files[name], after.durable[name] = c, c
	}
	if loss == LoseSome { // names that were removed, which may come back
		for _, name := range sortedKeys(d.durable) {
			if d.files[name] == nil && r.IntN(2) == 0 {
				c := &memoryFile{bytes: slices.Clone(d.durable[name].synced)}
				c.synced = slices.Clone(c.bytes)
				after.files[name], after.durable[name] = c, c
			}
		}
	}
	return after
}

func sortedKeys(m map[string]*memoryFile) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Change changes the bytes of a file.
func (d *Disk) Change(name string, change func([]byte) []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name].bytes = change(d.files[name].bytes)
}

// Bytes returns the bytes of a file.
func (d *Disk) Bytes(name string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.files[name].bytes)
}

// Names returns the names of all files, in order.
func (d *Disk) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sortedKeys(d.files)
}

// do counts an operation, and carries it out unless it should fail.
func (d *Disk) do(what string, operation func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	number := d.count
	d.count++
	if d.Before != nil {
		if err := d.Before(number, what); err != nil {
			return err
		}
	}
	return operation()
}

func (d *Disk) Create(name string) (f file, err error) {
	err = d.do("create", func() error {
		if d.files[name] != nil {
			return fs.ErrExist
		}
		m := new(memoryFile)
		d.files[name] = m
		f = &writing{d, m}
		d.open++
		return nil
	})
	return f, err
}

func (d *Disk) Link(from, to string) error {
	return d.do("link", func() error {
		switch {
		case d.files[to] != nil:
			return fs.ErrExist
		case d.files[from] == nil:
			return fs.ErrNotExist
		}
		d.files[to] = d.files[from]
		return nil
	})
}

func (d *Disk) Remove(name string) error {
	return d.do("remove", func() error {
		if d.files[name] == nil {
			return fs.ErrNotExist
		}
		delete(d.files, name)
		return nil
	})
}

func (d *Disk) Sync() error {
	return d.do("sync directory", func() error {
		clear(d.durable)
		for name, f := range d.files {
			d.durable[name] = f
		}
		return nil
	})
}

func (d *Disk) List() (all []Object, err error) {
	err = d.do("list", func() error {
		for _, name := range sortedKeys(d.files) {
			all = append(all, Object{name, int64(len(d.files[name].bytes))})
		}
		return nil
	})
	return all, err
}

func (d *Disk) Open(name string) (r Reader, err error) {
	err = d.do("open", func() error {
		if d.files[name] == nil {
			return fs.ErrNotExist
		}
		r = &reading{bytes.NewReader(slices.Clone(d.files[name].bytes)), d}
		d.open++
		return nil
	})
	return r, err
}

type writing struct {
	disk *Disk
	file *memoryFile
}

func (w *writing) Write(p []byte) (int, error) {
	err := w.disk.do("write", func() error {
		w.file.bytes = append(w.file.bytes, p...)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *writing) Sync() error {
	return w.disk.do("sync", func() error {
		w.file.synced = slices.Clone(w.file.bytes)
		return nil
	})
}

func (w *writing) Close() error {
	w.disk.closed()
	return w.disk.do("close", func() error { return nil })
}

func (d *Disk) closed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
}

type reading struct {
	*bytes.Reader
	disk *Disk
}

func (r *reading) ReadAt(p []byte, at int64) (n int, err error) {
	err = r.disk.do("read", func() error {
		n, err = r.Reader.ReadAt(p, at)
		return err
	})
	return n, err
}

func (r *reading) Close() error {
	r.disk.closed()
	return nil
}

// SetPatience sets how long k waits for data that are being written.
func (k *Keeper) SetPatience(d time.Duration) { k.patience = d }
