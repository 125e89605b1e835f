package launch

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster"
)

// origin is the pipe on which a rank tells which rank failed first (cluster.ReportOrigin).
type origin struct{ r, w *os.File }

// newOrigin makes a pipe, and passes its end for writing to the process of cmd.
func newOrigin(cmd *exec.Cmd) (*origin, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", w.Fd()))
	if err != nil {
		_, _ = r.Close(), w.Close() // nothing was written
		return nil, err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, w)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=fd:%d %s", cluster.OriginVariable, 2+len(cmd.ExtraFiles), name))
	return &origin{r, w}, nil
}

// read returns what the process, which has ended, has told: which rank failed first, -1 if it has
// told nothing, and whether the process itself is lost.
func (o *origin) read() (rank int, isGone bool) {
	rank = -1
	var more string
	_ = o.w.Close() // so that the pipe ends, unless a program that the rank has started keeps it
	if o.r.SetReadDeadline(time.Now().Add(10*time.Millisecond)) == nil {
		if _, err := fmt.Fscan(o.r, &rank); err == nil {
			_, _ = fmt.Fscanln(o.r, &more) // usually there is no more
		}
	}
	return rank, more == cluster.OriginGone
}

func (o *origin) close() {
	_ = o.w.Close() // may be closed
	_ = o.r.Close()
}
