//go:build pmix && linux && cgo

package pmi

// #cgo pkg-config: pmix
// #include <stdlib.h>
// #include <pmix_common.h>
// #include "libpmix.h"
import "C"

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// libpmix is the library.
type libpmix struct{}

var _ library = libpmix{}

const jobBytes = C.PMIX_MAX_NSLEN + 1 // of a job's name

func newLibrary() (library, error) { return libpmix{}, nil }

func failure(status C.int) error {
	if status == 0 {
		return nil
	}
	return errors.New(C.GoString(C.fagus_pmix_error(status)))
}

func (libpmix) open(lost *os.File) (job string, rank, size int, err error) {
	var name [jobBytes]C.char
	var r, s C.uint32_t
	fd := int(lost.Fd()) // makes the descriptor blocking
	if err := syscall.SetNonblock(fd, true); err != nil {
		return "", 0, 0, err
	}
	err = failure(C.fagus_pmix_open(&name[0], jobBytes, &r, &s, C.int(fd)))
	return C.GoString(&name[0]), int(r), int(s), err
}

func (libpmix) put(key string, own []byte) error {
	k := C.CString(key)
	defer C.free(unsafe.Pointer(k))
	return failure(C.fagus_pmix_put(k, unsafe.Pointer(unsafe.SliceData(own)), C.size_t(len(own))))
}

func (libpmix) fence() error { return failure(C.fagus_pmix_fence()) }

func (libpmix) get(rank int, key string) ([]byte, error) {
	k := C.CString(key)
	defer C.free(unsafe.Pointer(k))
	var data unsafe.Pointer
	var bytes C.size_t
	if err := failure(C.fagus_pmix_get(C.uint32_t(rank), k, C.int(answerTime.Seconds()), &data, &bytes)); err != nil {
		return nil, err
	}
	defer C.free(data)
	return C.GoBytes(data, C.int(min(bytes, maxBlob+2))), nil // what is longer, fetch refuses
}

func (libpmix) finalize() error { return failure(C.fagus_pmix_finalize()) }
