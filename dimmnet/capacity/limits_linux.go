package capacity

import (
	"math"

	"golang.org/x/sys/unix"
)

// limits returns the limits of this process's memory, without those that are not set.
func limits() (set []limit) {
	for _, l := range []struct {
		resource int
		limit
	}{
		{unix.RLIMIT_AS, limit{name: "the limit of the address space, ulimit -v", field: 0}},
		{unix.RLIMIT_DATA, limit{name: "the limit of data, ulimit -d", field: 5}},
	} {
		var r unix.Rlimit
		if err := unix.Getrlimit(l.resource, &r); err == nil && r.Cur < math.MaxInt64 {
			l.bytes = int64(r.Cur)
			set = append(set, l.limit)
		}
	}
	return set
}
