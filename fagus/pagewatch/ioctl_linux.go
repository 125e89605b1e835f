//go:build linux && (amd64 || arm64)

package pagewatch

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// From linux/userfaultfd.h and linux/fs.h. A request's number has the size of its argument in bits 16 to 29.
const (
	userModeOnly   = 1 // flag of userfaultfd: faults of the kernel wait for nobody
	uffdVersion    = 0xaa
	featureWPAsync = 1 << 15
	modeWP         = 1 << 1

	requestAPI      = 0xc018aa3f // UFFDIO_API
	requestRegister = 0xc020aa00 // UFFDIO_REGISTER
	requestScan     = 0xc0606610 // PAGEMAP_SCAN

	scanProtect = 1 << 0 // PM_SCAN_WP_MATCHING
	scanCheck   = 1 << 1 // PM_SCAN_CHECK_WPASYNC: EPERM, and not silence, of what is not registered
	pageWritten = 1 << 1 // PAGE_IS_WRITTEN
)

type uffdioAPI struct{ api, features, ioctls uint64 }

type uffdioRegister struct{ start, length, mode, ioctls uint64 }

type scanArg struct {
	size, flags, start, end, walkEnd uint64
	vec                              unsafe.Pointer // to vecLen pageRegions
	vecLen, maxPages                 uint64
	inverted, mask, anyOf, result    uint64
}

type pageRegion struct{ start, end, categories uint64 }

// request is ioctl.
func request(fd int, number uintptr, arg unsafe.Pointer) (int, error) {
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), number, uintptr(arg))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
