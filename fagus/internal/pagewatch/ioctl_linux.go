//go:build linux && (amd64 || arm64)

package pagewatch

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Source: linux/userfaultfd.h, linux/fs.h. Bits 16 to 29 of a request are its argument's size.
const (
	userModeOnly   = 1 // UFFD_USER_MODE_ONLY: faults inside the kernel are not intercepted
	uffdVersion    = 0xaa
	featureWPAsync = 1 << 15
	modeWP         = 1 << 1

	requestAPI      = 0xc018aa3f // UFFDIO_API
	requestRegister = 0xc020aa00 // UFFDIO_REGISTER
	requestScan     = 0xc0606610 // PAGEMAP_SCAN

	scanProtect = 1 << 0 // PM_SCAN_WP_MATCHING
	scanCheck   = 1 << 1 // PM_SCAN_CHECK_WPASYNC: fail with EPERM if a page is not registered
	pageWritten = 1 << 1 // PAGE_IS_WRITTEN
)

type uffdioAPI struct{ api, features, ioctls uint64 }

type uffdioRegister struct{ start, length, mode, ioctls uint64 }

type scanArg struct {
	size, flags, start, end, walkEnd uint64
	vec                              unsafe.Pointer // address of vecLen pageRegions
	vecLen, maxPages                 uint64
	inverted, mask, anyOf, result    uint64
}

type pageRegion struct{ start, end, categories uint64 }

func request(fd int, number uintptr, arg unsafe.Pointer) (int, error) {
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), number, uintptr(arg))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
