package capacity

import (
	"errors"
	"io/fs"
	"math"
	"math/big"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestLeft reads the files of systems with and without limits.
func TestLeft(t *testing.T) {
	const machine = "MemTotal: 100 kB\nMemAvailable:   90 kB\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		free  int64
		limit string
	}{
		{"another system", nil, 0, ""},
		{"a machine", map[string]string{"/proc/meminfo": machine}, 90 << 10, "the machine's memory"},
		{"no limit", map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"}, 90 << 10, "the machine's memory"},
		{"a limit of a group above", map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "1:name=systemd:/x\n0::/a/b\n",
			"/sys/fs/cgroup/a/memory.max": "50000\n", "/sys/fs/cgroup/a/memory.current": "20000\n",
			"/sys/fs/cgroup/a/memory.stat":  "file 7000\ninactive_file 6000\n",
			"/sys/fs/cgroup/a/b/memory.max": "60000\n", "/sys/fs/cgroup/a/b/memory.current": "100\n"}, 36000, "the control group /a"},
		{"version 1", map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "4:memory:/job\n0::/\n",
			"/sys/fs/cgroup/memory/job/memory.limit_in_bytes": "30000\n", "/sys/fs/cgroup/memory/job/memory.usage_in_bytes": "31000\n"}, 0, "the control group /job"},
		// The limit of version 1 holds for the groups below it, too, and so does its total.
		{"version 1 with a cache", map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "4:memory:/job\n0::/\n",
			"/sys/fs/cgroup/memory/job/memory.limit_in_bytes": "30000\n", "/sys/fs/cgroup/memory/job/memory.usage_in_bytes": "20000\n",
			"/sys/fs/cgroup/memory/job/memory.stat": "cache 9000\ninactive_file 300\ntotal_cache 9000\ntotal_inactive_file 7000\n"}, 17000, "the control group /job"},
		{"a limit that is the machine's memory", map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "0::/\n",
			"/sys/fs/cgroup/memory.max": "92160\n", "/sys/fs/cgroup/memory.current": "0\n"}, 90 << 10, "the machine's memory"},
		{"a limit one byte below it", map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "0::/\n",
			"/sys/fs/cgroup/memory.max": "92160\n", "/sys/fs/cgroup/memory.current": "1\n"}, 90<<10 - 1, "the control group /"},
	} {
		free := left(func(file string) ([]byte, error) {
			if text, ok := test.files[file]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}, nil)
		if free != (Free{test.free, test.limit}) {
			t.Errorf("%s: %+v; want %d, %s", test.name, free, test.free, test.limit)
		}
	}
}

// TestLimits: the limits of the process, less what is in use, bound what is left.
func TestLimits(t *testing.T) {
	read := func(file string) ([]byte, error) {
		switch file {
		case "/proc/meminfo":
			return []byte("MemAvailable: 1000000 kB\n"), nil
		case "/proc/self/statm":
			return []byte("100 10 5 1 0 20 0\n"), nil
		}
		return nil, fs.ErrNotExist
	}
	page := int64(os.Getpagesize())
	for _, c := range []struct {
		limits []limit
		want   Free
	}{
		{nil, Free{1000000 << 10, "the machine's memory"}},
		{[]limit{{"v", 1 << 50, 0}}, Free{1000000 << 10, "the machine's memory"}},
		{[]limit{{"v", 300 * page, 0}, {"d", 250 * page, 5}}, Free{200 * page, "v"}},
		{[]limit{{"v", 300 * page, 0}, {"d", 30 * page, 5}}, Free{10 * page, "d"}},
		{[]limit{{"v", 50 * page, 0}}, Free{0, "v"}},
	} {
		if got := left(read, c.limits); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.limits, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		free Free
		need int
		want error
		text string
	}{
		{Free{100, "x"}, 100, nil, ""},
		{Free{100, "x"}, 101, syscall.ENOMEM, "at least 101 bytes of memory are needed, and 100 bytes are available (x)"},
		{Free{0, ""}, 1 << 46, nil, ""},
		{Free{0, ""}, 1<<47 - 1, nil, ""},
		{Free{0, ""}, 1 << 47, nil, ""},
		{Free{1<<47 - 1, "x"}, 1 << 47, syscall.ENOMEM, "at least 128 TiB of memory are needed, and 127 TiB are available (x)"},
		{Free{0, ""}, 1<<47 + 1, ErrImpossible, "128 TiB of memory are needed: no process can address so much"},
		{Free{math.MaxInt64, "x"}, math.MaxInt, ErrImpossible, "more than 8 EiB of memory are needed: no process can address so much"},
	} {
		err := c.free.Check(c.need)
		if !errors.Is(err, c.want) || err != nil && err.Error() != c.text {
			t.Errorf("%+v, %d: %v, want %v, %q", c.free, c.need, err, c.want, c.text)
		}
	}
	if left := Left(); left.Limit != "" && left.Check(1<<46) == nil && !strings.Contains(left.String(), "available") {
		t.Errorf("64 TiB fit into %v", left)
	}
}

// TestText: each unit begins at its border, and shows whole units.
func TestText(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		want  string
	}{
		{0, "0 bytes"},
		{1, "1 bytes"},
		{100<<10 - 1, "102399 bytes"},
		{100 << 10, "100 KiB"},
		{100<<10 + 1, "100 KiB"},
		{101<<10 - 1, "100 KiB"},
		{101 << 10, "101 KiB"},
		{100<<20 - 1, "102399 KiB"},
		{100 << 20, "100 MiB"},
		{100<<20 + 1, "100 MiB"},
		{1 << 30, "1024 MiB"},
		{1 << 40, "1048576 MiB"},
		{10<<40 - 1, "10485759 MiB"},
		{10 << 40, "10 TiB"},
		{10<<40 + 1, "10 TiB"},
		{11<<40 - 1, "10 TiB"},
		{math.MaxInt64 - 1, "8388607 TiB"},
		{math.MaxInt64, "more than 8 EiB"},
	} {
		if got := Text(c.bytes); got != c.want {
			t.Errorf("%d bytes: %q, want %q", c.bytes, got, c.want)
		}
	}
}

// FuzzProduct compares products and sums with exact ones.
func FuzzProduct(f *testing.F) {
	for _, n := range [][3]int{{8, 6074001000, 6074001000}, {8, 2000000000, 2000000000}, {1 << 31, 1 << 31, 2}, {3037000500, 3037000500, 1}, {0, math.MaxInt, math.MaxInt}, {math.MaxInt, math.MaxInt, 0}, {5, -1, 7},
		{2, 3, 5}, {1 << 31, 1 << 31, 1}, {math.MaxInt, 1, 1}, {math.MaxInt - 1, 1, 1}, {1<<31 - 1, 1<<32 + 1, 2}, {1 << 62, 2, 1}, {0, 3, 4}, {3, 4, 0}} {
		f.Add(n[0], n[1], n[2])
	}
	f.Fuzz(func(t *testing.T, a, b, c int) {
		a, b, c = max(0, a), max(0, b), max(0, c)
		bound := func(x *big.Int) int {
			if !x.IsInt64() {
				return math.MaxInt
			}
			return int(x.Int64())
		}
		n := func(x int) *big.Int { return big.NewInt(int64(x)) }
		if got, want := Product(a, b, c), bound(new(big.Int).Mul(new(big.Int).Mul(n(a), n(b)), n(c))); got != want {
			t.Errorf("%d x %d x %d = %d, want %d", a, b, c, got, want)
		}
		if got, want := Sum(a, b, c), bound(new(big.Int).Add(new(big.Int).Add(n(a), n(b)), n(c))); got != want {
			t.Errorf("%d + %d + %d = %d, want %d", a, b, c, got, want)
		}
	})
}
