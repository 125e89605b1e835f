//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// TestReportOrigin checks which rank is reported, and that a descriptor which is not the pipe of
// the launcher is left alone.
func TestReportOrigin(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		err  error
		want string
	}{
		{boom, "2"},
		{fmt.Errorf("fagus: %w", &dimmnet.Failed{Network: "tcp", Rank: 7, Why: "boom"}), "7"},
		{&dimmnet.Failed{Network: "shm", Rank: 0, Lost: boom}, "0"},
		{&Failed{Rank: 5, Why: "boom"}, "5"},
		{dimmnet.Gone(boom), "2 gone"},
		{fmt.Errorf("fagus: %w", dimmnet.Gone(fmt.Errorf("tcp: %w", boom))), "2 gone"},
		{&dimmnet.Failed{Network: "quic", Rank: 2, Lost: boom}, "2 gone"}, // the others say so
		{&dimmnet.Failed{Network: "quic", Rank: 2, Why: "boom"}, "2"},
		{&Failed{Rank: 2, Why: "boom", cause: dimmnet.Gone(boom)}, "2 gone"},
		{&Failed{Rank: 2, Why: "boom", cause: boom}, "2"},
	} {
		for i, right := range []bool{true, false, true} {
			prints := i == 2
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			fd, err := syscall.Dup(int(w.Fd())) // ReportOrigin closes it
			if err == nil {
				err = w.Close()
			}
			name, failed := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			if err = errors.Join(err, failed); err != nil {
				t.Fatal(err)
			}
			want, others := c.want, !strings.HasPrefix(c.want, "2")
			switch {
			case !right:
				name, want = name+"0", ""
			case others: // the launcher prints it
				want += "\n" + c.err.Error()
			case prints:
				want += " prints"
			}
			t.Setenv(OriginVariable, fmt.Sprintf("fd:%d %s", fd, name))
			if passed := ReportOrigin(2, c.err, prints); passed != (right && others) {
				t.Errorf("%v, right pipe %t: passed on: %t", c.err, right, passed)
			}
			if !right {
				if err := syscall.Close(fd); err != nil {
					t.Errorf("a foreign descriptor was closed: %v", err)
				}
			}
			if got, err := io.ReadAll(r); string(got) != want || err != nil {
				t.Errorf("%v, right pipe %t: %q, %v; want %q", c.err, right, got, err, want)
			}
			_ = r.Close() // all was read
		}
	}
	t.Setenv(OriginVariable, "nonsense")
	ReportOrigin(2, boom, true)
}
