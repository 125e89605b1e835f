//go:build linux && (amd64 || arm64)

package pagewatch

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Watch knows which pages of memory were written. It belongs to one goroutine.
type Watch struct {
	userfault, pagemap int // -1 if not open
	err                error
	found              []pageRegion
}

// New returns a Watch that asks nothing of the kernel before it is used.
func New() *Watch { return &Watch{userfault: -1, pagemap: -1} }

// Open says why pages cannot be watched here, or nil. The other calls do the same first.
func (w *Watch) Open() error {
	if w.err == nil && w.userfault < 0 {
		if err := errors.Join(w.open(), w.probe()); err != nil {
			w.err = fmt.Errorf("pagewatch: this kernel does not tell which pages were written: %w", errors.Join(err, w.Close()))
		}
	}
	return w.err
}

func (w *Watch) open() error {
	fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK|userModeOnly, 0, 0)
	if errno != 0 {
		return fmt.Errorf("userfaultfd: %w", errno)
	}
	w.userfault = int(fd)
	api := uffdioAPI{api: uffdVersion, features: featureWPAsync}
	if _, err := request(w.userfault, requestAPI, unsafe.Pointer(&api)); err != nil {
		return fmt.Errorf("userfaultfd with asynchronous write protection: %w", err)
	}
	var err error
	if w.pagemap, err = unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("/proc/self/pagemap: %w", err)
	}
	w.found = make([]pageRegion, 512)
	return nil
}

// probe writes to one of three pages and wants to be told of that one.
func (w *Watch) probe() error {
	if w.pagemap < 0 {
		return nil // open has failed
	}
	page := unix.Getpagesize()
	mem, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(mem) }() // it was mapped here: it cannot fail
	for i := range mem {
		mem[i] = 1
	}
	told := 0
	if err := w.forget(mem); err != nil {
		return err
	}
	mem[page] = 2
	err = w.written(mem, func(lo, hi int) {
		if lo == page && hi == 2*page {
			told++
		} else {
			told += 2
		}
	})
	if err == nil && told != 1 {
		return errors.New("it says something else than what was written")
	}
	return err
}

// Forget lets only what is written from now on to the pages of mem count. mem is
// some bytes of a private anonymous mapping, and all of the pages on which they are is
// forgotten.
func (w *Watch) Forget(mem []byte) error {
	if err := w.Open(); err != nil {
		return err
	}
	return w.forget(mem)
}

func (w *Watch) forget(mem []byte) error {
	lo, hi := pages(mem)
	arg := scanArg{size: uint64(unsafe.Sizeof(scanArg{})), flags: scanProtect | scanCheck, start: uint64(lo), end: uint64(hi),
		mask: pageWritten, result: pageWritten}
	_, err := request(w.pagemap, requestScan, unsafe.Pointer(&arg))
	if err == unix.EPERM { // not registered yet
		reg := uffdioRegister{start: uint64(lo), length: uint64(hi - lo), mode: modeWP}
		if _, err := request(w.userfault, requestRegister, unsafe.Pointer(&reg)); err != nil {
			return fmt.Errorf("pagewatch: registering %d bytes at %#x: %w", hi-lo, lo, err)
		}
		_, err = request(w.pagemap, requestScan, unsafe.Pointer(&arg))
	}
	if err != nil {
		return fmt.Errorf("pagewatch: protecting %d bytes at %#x: %w", hi-lo, lo, err)
	}
	return nil
}

// Written calls f with the parts of mem on whose pages something may have been written since
// Forget of them, by position. lo and hi count from the start of mem. After an error
// nothing is known.
func (w *Watch) Written(mem []byte, f func(lo, hi int)) error {
	if err := w.Open(); err != nil {
		return err
	}
	return w.written(mem, f)
}

func (w *Watch) written(mem []byte, f func(lo, hi int)) error {
	base := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	lo, hi := pages(mem)
	for lo < hi {
		arg := scanArg{size: uint64(unsafe.Sizeof(scanArg{})), flags: scanCheck, start: uint64(lo), end: uint64(hi),
			vec: unsafe.Pointer(unsafe.SliceData(w.found)), vecLen: uint64(len(w.found)), mask: pageWritten, result: pageWritten}
		n, err := request(w.pagemap, requestScan, unsafe.Pointer(&arg))
		if err != nil {
			return fmt.Errorf("pagewatch: scanning %d bytes at %#x: %w", hi-lo, lo, err)
		}
		for _, r := range w.found[:n] {
			f(max(int(r.start)-int(base), 0), min(int(r.end)-int(base), len(mem)))
		}
		if arg.walkEnd <= uint64(lo) {
			return fmt.Errorf("pagewatch: the scan of %d bytes at %#x does not end", hi-lo, lo)
		}
		lo = uintptr(arg.walkEnd)
	}
	return nil
}

// Close gives up what the kernel keeps. The Watch must not be used again.
func (w *Watch) Close() error {
	var err error
	for _, fd := range []*int{&w.userfault, &w.pagemap} {
		if *fd >= 0 {
			err = errors.Join(err, unix.Close(*fd))
			*fd = -1
		}
	}
	if w.err == nil {
		w.err = errors.New("pagewatch: closed")
	}
	return err
}

// pages are the addresses of the whole pages that mem lies on.
func pages(mem []byte) (lo, hi uintptr) {
	size := uintptr(unix.Getpagesize())
	base := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return base &^ (size - 1), (base + uintptr(len(mem)) + size - 1) &^ (size - 1)
}
