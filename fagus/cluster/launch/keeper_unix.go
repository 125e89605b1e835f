//go:build unix

package launch

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
)

// keeper is a process that kills the process groups of the ranks if this process ends before them,
// even by SIGKILL. The kernel kills the ranks themselves (Pdeathsig), but not the programs that a
// rank has started.
type keeper struct {
	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser // nil: there is no keeper
}

// keeperScript keeps a list of groups as its input says (+ PID, - PID). The input ends when this
// process does; the script then kills the groups in the list.
const keeperScript = `left=
while read -r op pid; do
	if [ "$op" = + ]; then
		left="$left $pid"
	else
		rest=
		for p in $left; do [ "$p" = "$pid" ] || rest="$rest $p"; done
		left=$rest
	fi
done
for p in $left; do kill -s KILL -- "-$p"; done`

// startKeeper starts a keeper. A system without a shell has none.
func startKeeper() *keeper { return keep(keeperScript) }

// folderScript removes a folder at the end of its input. Ranks that are about to be killed may
// still write there.
const folderScript = `read -r op
for wait in 0.1 0.5 2 0; do
	rm -rf -- "$1"
	[ -e "$1" ] || exit 0
	sleep "$wait"
done`

func keepFolder(folder string) *keeper { return keep(folderScript, folder) }

// keep starts a shell that reads its input until this process ends.
func keep(script string, args ...string) *keeper {
	k := &keeper{cmd: exec.Command("/bin/sh", append([]string{"-c", script, "sh"}, args...)...)}
	k.cmd.Dir = "/"
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // away from the signals of the terminal
	in, err := k.cmd.StdinPipe()
	if err != nil || k.cmd.Start() != nil {
		return k
	}
	k.in = in
	return k
}

// add makes the keeper responsible for the group that a process leads, until remove.
func (k *keeper) add(pid int)    { k.tell('+', pid) }
func (k *keeper) remove(pid int) { k.tell('-', pid) }

func (k *keeper) tell(op rune, pid int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in != nil {
		_, _ = fmt.Fprintf(k.in, "%c %d\n", op, pid) // fails if somebody has killed the keeper
	}
}

func (k *keeper) stop() {
	if k.in != nil {
		_ = k.in.Close()
		_ = k.cmd.Wait() // the exit status says only whether its last kill found a process
	}
}
