//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
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
		{boom, "2\n"},
		{fmt.Errorf("fagus: %w", &dimmnet.Failed{Network: "tcp", Rank: 7, Why: "boom"}), "7\n"},
		{&dimmnet.Failed{Network: "shm", Rank: 0, Lost: boom}, "0\n"},
		{&Failed{Rank: 5, Why: "boom"}, "5\n"},
		{dimmnet.Gone(boom), "2 gone\n"},
		{fmt.Errorf("fagus: %w", dimmnet.Gone(fmt.Errorf("tcp: %w", boom))), "2 gone\n"},
		{&dimmnet.Failed{Network: "quic", Rank: 2, Lost: boom}, "2 gone\n"}, // the others say so
		{&dimmnet.Failed{Network: "quic", Rank: 2, Why: "boom"}, "2\n"},
		{&Failed{Rank: 2, Why: "boom", cause: dimmnet.Gone(boom)}, "2 gone\n"},
		{&Failed{Rank: 2, Why: "boom", cause: boom}, "2\n"},
	} {
		for _, right := range []bool{true, false} {
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
			want := c.want
			if !right {
				name, want = name+"0", ""
			}
			t.Setenv(OriginVariable, fmt.Sprintf("fd:%d %s", fd, name))
			ReportOrigin(2, c.err)
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
	ReportOrigin(2, boom)
}
