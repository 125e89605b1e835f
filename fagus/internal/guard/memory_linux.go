package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported returns the reason why this system cannot guard memory, or nil if it can.
func Supported() error { return nil }
func pageBytes() int   { return unix.Getpagesize() }

// mapTwice maps n zero bytes, a multiple of the page size, at two addresses. own is
// readable and writable, view is inaccessible until protect opens it.
func mapTwice(n int) (own, view []byte, err error) {
	fd, err := unix.MemfdCreate("fagus", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("memfd_create: %w", err)
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }() // the mappings keep the memory alive
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

// mapAgain maps own, whole pages of a shared mapping, at another address, readable and writable.
// unmapAgain unmaps the result.
func mapAgain(own []byte) ([]byte, error) {
	// With an old size of 0 mremap leaves a shared mapping as it is, and makes another one.
	at, err := unix.MremapPtr(unsafe.Pointer(unsafe.SliceData(own)), 0, nil, uintptr(len(own)), unix.MREMAP_MAYMOVE)
	if err != nil {
		return nil, fmt.Errorf("mremap: %w", err)
	}
	return unsafe.Slice((*byte)(at), len(own)), nil
}

func unmapAgain(mem []byte) error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(mem)), uintptr(len(mem)))
}

func protect(pages []byte, a access) error {
	err := unix.Mprotect(pages, [...]int{closed: unix.PROT_NONE, readable: unix.PROT_READ, writable: unix.PROT_READ | unix.PROT_WRITE}[a])
	if err == unix.ENOMEM {
		return fmt.Errorf("mprotect: %w: too many memory ranges with different protection: use fewer nodes or larger bindings, or raise vm.max_map_count", err)
	}
	return err
}

func forget(pages []byte) error { return unix.Madvise(pages, unix.MADV_DONTNEED) }

// pagemap tells which pages have an entry in the page table.
type pagemap struct{ fd int }

// openPagemap opens this process's page table. If the system forbids it, touched always fails.
func openPagemap() pagemap {
	fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd = -1
	}
	return pagemap{fd}
}

// touched reports which pages have an entry. ok is false if the page table cannot be read.
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
