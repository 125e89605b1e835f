//go:build !linux

package guard

import "errors"

var errNoMemfd = errors.New("guard: checking accesses needs memfd_create, which only Linux has")

// Supported returns the reason why this system cannot guard memory.
func Supported() error                           { return errNoMemfd }
func pageBytes() int                             { return 4096 }
func mapTwice(int) (own, view []byte, err error) { return nil, nil, errNoMemfd }
func unmap([]byte) error                         { return errNoMemfd }
func mapAgain([]byte) ([]byte, error)            { return nil, errNoMemfd }
func unmapAgain([]byte) error                    { return errNoMemfd }
func protect([]byte, access) error               { return errNoMemfd }
func forget([]byte) error                        { return errNoMemfd }

// pagemap is empty: reading the page table needs Linux.
type pagemap struct{}

func openPagemap() pagemap                             { return pagemap{} }
func (pagemap) touched([]byte) (flags []bool, ok bool) { return nil, false }
func (pagemap) close() error                           { return nil }
