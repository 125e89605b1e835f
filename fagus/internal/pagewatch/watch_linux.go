//go:build linux && (amd64 || arm64)

package pagewatch

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Watch finds which pages of memory were written. It belongs to one goroutine.
type Watch struct {
	userfault, pagemap int          // file descriptors; -1 if not open
	err                error        // why pages cannot be watched
	found              []pageRegion // buffer for the results of a scan
}

// New returns a Watch. It makes no system calls before it is used.
func New() *Watch { return &Watch{userfault: -1, pagemap: -1} }

// Open prepares the Watch, as Forget and Written do first. It fails if the kernel cannot watch.
func (w *Watch) Open() error {
	if w.err == nil && w.userfault < 0 {
		if err := errors.Join(w.open(), w.probe()); err != nil {
			w.err = fmt.Errorf("pagewatch: this kernel does not report which pages were written: %w", errors.Join(err, w.Close()))
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

// probe writes to one of three pages, and checks that the kernel reports exactly that page.
func (w *Watch) probe() error {
	if w.pagemap < 0 {
		return nil // open has failed and returned the error
	}
	page := unix.Getpagesize()
	mem, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(mem) }() // cannot fail, because probe has mapped mem
	for i := range mem {
		mem[i] = 1
	}
	hits, misses := 0, 0
	if err := w.forget(mem); err != nil {
		return err
	}
	mem[page] = 2
	err = w.written(mem, func(lo, hi int) {
		if lo == page && hi == 2*page {
			hits++
		} else {
			misses++
		}
	})
	if err == nil && (hits != 1 || misses != 0) {
		return errors.New("probing the kernel: after a write to one page it reports other pages, or none")
	}
	return err
}

// Forget makes Written ignore all earlier writes to the pages of mem. mem lies in a private
// anonymous mapping. Pages that mem covers in part are affected as a whole.
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

// Written calls f for the parts of mem that may have been written since the last Forget, in
// increasing order of the offsets lo and hi in mem. After an error the calls are incomplete.
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
			return fmt.Errorf("pagewatch: the kernel made no progress in the scan of %d bytes at %#x", hi-lo, lo)
		}
		lo = uintptr(arg.walkEnd)
	}
	return nil
}

// Close releases the kernel's resources. Later calls return an error.
func (w *Watch) Close() error {
	var err error
	for _, fd := range []*int{&w.userfault, &w.pagemap} {
		if *fd >= 0 {
			err = errors.Join(err, unix.Close(*fd))
			*fd = -1
		}
	}
	if w.err == nil {
		w.err = errors.New("pagewatch: this Watch is closed")
	}
	return err
}

func pages(mem []byte) (lo, hi uintptr) {
	size := uintptr(unix.Getpagesize())
	base := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return base &^ (size - 1), (base + uintptr(len(mem)) + size - 1) &^ (size - 1)
}
