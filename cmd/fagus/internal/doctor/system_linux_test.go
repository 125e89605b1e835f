package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLimits: each limit that is low is a note that names it and the remedy.
func TestLimits(t *testing.T) {
	const variable = "DOCTOR_TEST_LIMIT"
	if of, limited := os.LookupEnv(variable); limited {
		var resource int
		var most uint64
		fmt.Sscan(of, &resource, &most)
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			t.Fatal(err)
		}
		for _, f := range probeLimits() {
			fmt.Println(f.Health, f.Name, f.Value, f.Advice)
		}
		return
	}
	for _, c := range []struct {
		resource int
		most     uint64
		want     string
	}{
		{unix.RLIMIT_NOFILE, 100, "note open files 100 (limit 100); a rank needs about 2 for every other rank what does not fit fails: ulimit -n 1024"},
		{unix.RLIMIT_NPROC, 100, "note processes 100 (limit 100); "},
		{unix.RLIMIT_FSIZE, 100 << 20, "note file size 100 MiB (limit 100 MiB); "},
		{unix.RLIMIT_AS, 64 << 30, "note address space 65536 MiB (limit 65536 MiB); "},
		{unix.RLIMIT_DATA, 64 << 30, "note data 65536 MiB (limit 65536 MiB); "},
		{unix.RLIMIT_MEMLOCK, 64 << 10, "ok locked memory 64 KiB (limit 64 KiB); only NICs"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLimits$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", variable, c.resource, c.most))
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "\n"+c.want) && !strings.HasPrefix(string(out), c.want) {
			t.Errorf("limit %d: %v, %s, want %q", c.resource, err, out, c.want)
		}
	}
}
