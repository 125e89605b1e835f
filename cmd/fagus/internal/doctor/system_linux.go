package doctor

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/fagus-dsm/fagus/dimmnet/capacity"
)

// probeSystem tries each kernel feature that ranks use.
func probeSystem() []finding {
	return slices.Concat([]finding{
		probeKernel(), probeMemory(), probeMemfd(), probeFutex(), probeUserfaultfd(), probePagemapScan(),
	}, probeLimits(), []finding{
		good("/dev/shm", "not needed: segments have no names"),
		probeClock(),
	})
}

func probeKernel() finding {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return lack("kernel", err, "")
	}
	return good("kernel", "%s %s", unix.ByteSliceToString(u.Sysname[:]), unix.ByteSliceToString(u.Release[:]))
}

func probeMemory() finding {
	const few = 256 << 20
	free := capacity.Left()
	if free.Limit != "" && free.Bytes < few {
		return note("memory", free.String(), "end other processes, or raise the limit")
	}
	return good("memory", "%v", free)
}

func probeMemfd() finding {
	fd, err := unix.MemfdCreate("fagus-doctor", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err == nil {
		if err = unix.Ftruncate(fd, 4096); err == nil {
			_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
		}
		_ = unix.Close(fd) // nothing was stored in it
	}
	if err != nil {
		return lack("memfd", err, "--net shm needs it: Linux 3.17, and a sandbox that allows memfd_create")
	}
	return good("memfd", "with seals; --net shm works")
}

func probeFutex() finding {
	var word uint32
	const wake = 1
	if _, _, e := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&word)), wake, 1, 0, 0, 0); e != 0 {
		return lack("futex", e, "--net shm needs it: use a sandbox that allows the call")
	}
	return good("futex", "ranks can sleep")
}

// writeDetection is the advice for a kernel that cannot report written pages.
const writeDetection = "without it writes are found by twins, which is slower if few pages of large arrays change"

// probeUserfaultfd tries asynchronous write-protection, by which writes cause no page faults.
func probeUserfaultfd() finding {
	const (
		userModeOnly = 1
		version      = 0xAA
		ioctlAPI     = 0xC018AA3F
		wpAsync      = 1 << 15
	)
	fd, _, e := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK|userModeOnly, 0, 0)
	if e != 0 {
		return note("userfaultfd", e.Error(), writeDetection)
	}
	defer func() { _ = unix.Close(int(fd)) }() // nothing was stored in it
	api := struct{ api, features, ioctls uint64 }{api: version, features: wpAsync}
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, fd, ioctlAPI, uintptr(unsafe.Pointer(&api))); e != 0 {
		return note("userfaultfd", "without asynchronous write-protection: "+e.Error(), writeDetection+": Linux 6.7 has it")
	}
	return good("userfaultfd", "with asynchronous write-protection")
}

// probePagemapScan asks the kernel which pages of a mapping are present.
func probePagemapScan() finding {
	const ioctlScan = 0xC0606610
	name, advice := "PAGEMAP_SCAN", writeDetection+": Linux 6.7 has it"
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return note(name, err.Error(), advice)
	}
	defer func() { _ = f.Close() }() // nothing was written
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return note(name, err.Error(), advice)
	}
	defer func() { _ = unix.Munmap(page) }() // nothing was stored in it
	const present = 1 << 3
	start := uint64(uintptr(unsafe.Pointer(&page[0])))
	arg := struct {
		size, flags, start, end, walkEnd, vec, vecLen, maxPages, inverted, mask, anyOf, result uint64
	}{start: start, end: start + uint64(len(page)), mask: present, result: present}
	arg.size = uint64(unsafe.Sizeof(arg))
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), ioctlScan, uintptr(unsafe.Pointer(&arg))); e != 0 {
		return note(name, e.Error(), advice)
	}
	return good(name, "written pages can be listed")
}

// probeLimits reports the limits of this process that ranks may meet. A rank inherits them.
func probeLimits() (all []finding) {
	for _, l := range []struct {
		name     string
		resource int
		unit     uint64
		in, flag string // the unit, and the flag of ulimit
		enough   uint64 // in units
		use      string
	}{
		{"open files", unix.RLIMIT_NOFILE, 1, "", "-n", 1024, "a rank needs about 2 for every other rank"},
		{"processes", unix.RLIMIT_NPROC, 1, "", "-u", 256, "of this user; a rank is one, and has about 10 threads"},
		{"file size", unix.RLIMIT_FSIZE, 1 << 20, " MiB", "-f", 1 << 10, "the arrays that ranks of --net shm share fit into one file in memory; checkpoints and results are files"},
		{"address space", unix.RLIMIT_AS, 1 << 20, " MiB", "-v", unix.RLIM_INFINITY, "Go reserves more than it uses, and a rank of --net shm maps the memory of all others"},
		{"data", unix.RLIMIT_DATA, 1 << 20, " MiB", "-d", unix.RLIM_INFINITY, "arrays of private placement, and all that a program allocates"},
		{"locked memory", unix.RLIMIT_MEMLOCK, 1 << 10, " KiB", "-l", 0, "only NICs that --net ofi uses need it"},
	} {
		var r unix.Rlimit
		if err := unix.Getrlimit(l.resource, &r); err != nil {
			all = append(all, lack(l.name, err, ""))
			continue
		}
		text := func(n uint64) string {
			if n == unix.RLIM_INFINITY {
				return "unlimited"
			}
			return fmt.Sprint(n/l.unit, l.in)
		}
		value := fmt.Sprintf("%s (limit %s); %s", text(r.Cur), text(r.Max), l.use)
		if r.Cur != unix.RLIM_INFINITY && r.Cur/l.unit < l.enough {
			want := "unlimited"
			if l.enough != unix.RLIM_INFINITY && l.unit == 1 {
				want = fmt.Sprint(l.enough)
			}
			all = append(all, note(l.name, value, fmt.Sprintf("what does not fit fails: ulimit %s %s", l.flag, want)))
			continue
		}
		all = append(all, good(l.name, "%s", value))
	}
	return all
}

func probeClock() finding {
	text, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return note("clock", err.Error(), "it is unknown whether reading the clock needs a system call")
	}
	source := strings.TrimSpace(string(text))
	switch source {
	case "tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page":
		return good("clock", "%s", source)
	}
	return note("clock", source, "reading it needs a system call: short operations take longer, and figures are less exact")
}

// readResources returns the memory and the limits of this host.
func readResources() (r resources) {
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			// Sscanf leaves its variable unchanged if the line does not match.
			_, _ = fmt.Sscanf(line, "MemTotal: %d kB", &r.MemoryBytes)
			_, _ = fmt.Sscanf(line, "MemAvailable: %d kB", &r.FreeBytes)
		}
	}
	r.MemoryBytes, r.FreeBytes = r.MemoryBytes<<10, r.FreeBytes<<10
	for kind, to := range map[int]*uint64{unix.RLIMIT_NOFILE: &r.OpenFiles, unix.RLIMIT_NPROC: &r.Processes, unix.RLIMIT_AS: &r.AddressBytes} {
		var l unix.Rlimit
		if err := unix.Getrlimit(kind, &l); err == nil && l.Cur != unix.RLIM_INFINITY {
			*to = l.Cur
		}
	}
	return r
}

// doNotFragment makes the kernel send the socket's datagrams whole or not at all, whatever it knows
// of the path.
func doNotFragment(c *net.UDPConn, six bool) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	level, option, value := unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE
	if six {
		level, option, value = unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), level, option, value) }); err != nil {
		return err
	}
	return failed
}
