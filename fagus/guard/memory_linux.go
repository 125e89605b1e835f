package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported says why this system cannot guard memory, or nil.
func Supported() error { return nil }

func pageBytes() int { return unix.Getpagesize() }

// mapTwice maps n zero bytes, whole pages, at two places: own can be read and
// written, view not yet.
func mapTwice(n int) (own, view []byte, err error) {
	fd, err := unix.MemfdCreate("fagus", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("memfd_create: %w", err)
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }() // the mappings keep the memory
	if err := unix.Ftruncate(fd, int64(n)); err != nil {
		return nil, nil, err
	}
	if own, err = unix.Mmap(fd, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, nil, err
	}
	if view, err = unix.Mmap(fd, 0, n, unix.PROT_NONE, unix.MAP_SHARED); err != nil {
		return nil, nil, errors.Join(err, unix.Munmap(own))
	}
	return own, view, nil
}

func unmap(mem []byte) error { return unix.Munmap(mem) }

// protect makes pages of a view accessible, or not.
func protect(pages []byte, a access) error {
	err := unix.Mprotect(pages, [...]int{closed: unix.PROT_NONE, readable: unix.PROT_READ, writable: unix.PROT_READ | unix.PROT_WRITE}[a])
	if err == unix.ENOMEM {
		return fmt.Errorf("mprotect: %w: too many pieces with different access (see vm.max_map_count); fewer nodes, or larger bindings, make fewer", err)
	}
	return err
}

// forget drops the page table's entries of pages; their content stays.
func forget(pages []byte) error { return unix.Madvise(pages, unix.MADV_DONTNEED) }

// pagemap says which pages have an entry in the page table.
type pagemap struct{ fd int }

// openPagemap's result reads nothing where the kernel does not show the table.
func openPagemap() pagemap {
	fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1
	}
	return pagemap{fd}
}

// touched reads one flag a page; ok is false where the kernel does not tell.
func (m pagemap) touched(pages []byte) (flags []bool, ok bool) {
	const word, present = 8, 1 << 63
	size := pageBytes()
	table := make([]byte, len(pages)/size*word)
	first := int64(uintptr(unsafe.Pointer(unsafe.SliceData(pages)))) / int64(size)
	if n, err := unix.Pread(m.fd, table, first*word); err != nil || n != len(table) {
		return nil, false
	}
	for ; len(table) > 0; table = table[word:] {
		flags = append(flags, binary.NativeEndian.Uint64(table)&present != 0)
	}
	return flags, true
}

func (m pagemap) close() error {
	if m.fd < 0 {
		return nil
	}
	return unix.Close(m.fd)
}
