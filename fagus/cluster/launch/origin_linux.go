package launch

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
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

// read returns what the process, which has ended, has told.
func (o *origin) read() told {
	_ = o.w.Close() // so that the pipe ends, unless a program that the rank has started keeps it
	var text []byte
	if o.r.SetReadDeadline(time.Now().Add(10*time.Millisecond)) == nil {
		text, _ = io.ReadAll(io.LimitReader(o.r, 1<<16)) // at the deadline there is no more
	}
	first, why, _ := strings.Cut(string(text), "\n")
	words := strings.Fields(first)
	if len(words) == 0 {
		return told{rank: -1}
	}
	rank, err := strconv.Atoi(words[0])
	if err != nil {
		return told{rank: -1}
	}
	return told{rank, slices.Contains(words, cluster.OriginGone), slices.Contains(words, cluster.OriginPrints), why}
}

func (o *origin) close() {
	_ = o.w.Close() // may be closed
	_ = o.r.Close()
}
