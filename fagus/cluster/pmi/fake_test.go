//go:build unix

package pmi

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(rankBody) != "" {
		os.Exit(rankMain())
	}
	goleak.VerifyTestMain(m)
}

// launcher is a fake launcher: a store, and a socket for each rank.
type launcher struct {
	version int // of PMI, 1 or 2
	size    int
	present int // number of ranks that a fence waits for; 0 means all
	values  int // limit of a value in bytes
	// instead returns what the launcher sends instead of its answer, or handled = false. If over,
	// it closes the connection then.
	instead func(rank int, request message) (sent string, over, handled bool)

	mu      sync.Mutex
	store   map[string]string
	longest int // length of the longest value
	waiting []*os.File
	env     []map[string]string // by rank
	files   []*os.File          // the launcher's ends, by rank
	served  sync.WaitGroup
}

// start opens the sockets and serves them until the test ends.
func (l *launcher) start(t *testing.T) *launcher {
	t.Helper()
	l.store = make(map[string]string)
	for rank := range l.size {
		ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		theirs := os.NewFile(uintptr(ends[1]), "rank")
		l.files = append(l.files, os.NewFile(uintptr(ends[0]), "launcher"))
		l.env = append(l.env, map[string]string{"PMI_FD": strconv.Itoa(ends[1]), "PMI_RANK": strconv.Itoa(rank), "PMI_SIZE": strconv.Itoa(l.size)})
		if l.version == 2 {
			l.env[rank]["PMI_JOBID"] = "7.0"
		}
		t.Cleanup(func() { _ = theirs.Close() })
	}
	for rank, file := range l.files {
		l.served.Go(func() {
			l.serve(rank, file)
			_ = file.Close()
		})
	}
	t.Cleanup(l.stop)
	return l
}

// stop ends all connections.
func (l *launcher) stop() {
	for _, env := range l.env {
		fd, _ := strconv.Atoi(env["PMI_FD"])
		_ = syscall.Shutdown(fd, syscall.SHUT_RDWR)
	}
	l.served.Wait()
}

func (l *launcher) lookup(rank int) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, found := l.env[rank][name]
		return value, found
	}
}

func (l *launcher) serve(rank int, file *os.File) {
	r := bufio.NewReaderSize(file, maxLine)
	decode := readLine
	for {
		m, err := decode(r)
		if err != nil {
			return
		}
		if l.instead != nil {
			if sent, over, handled := l.instead(rank, m); handled {
				if _, err := file.WriteString(sent); err != nil || over {
					return
				}
				continue
			}
		}
		if m.cmd == "init" {
			fmt.Fprintf(file, "cmd=response_to_init rc=0 pmi_version=%d pmi_subversion=0\n", l.version)
			if l.version == 2 {
				decode = readFrame
			}
			continue
		}
		if !l.answer(rank, file, m) {
			return
		}
	}
}

// answer answers all requests but the first. It reports whether the rank stays in the job.
func (l *launcher) answer(rank int, to *os.File, m message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, _ := m.get("key")
	value, _ := m.get("value")
	send := func(cmd, format string, args ...any) {
		if text := "cmd=" + cmd + fmt.Sprintf(format, args...); l.version == 1 {
			fmt.Fprintln(to, text)
		} else {
			fmt.Fprintf(to, "%-6d%s", len(text)+1, text+";")
		}
	}
	switch m.cmd {
	case "get_maxes":
		send("maxes", " kvsname_max=256 keylen_max=64 vallen_max=%d", l.values)
	case "get_my_kvsname":
		send("my_kvsname", " kvsname=kvs_1")
	case "fullinit":
		send("fullinit-response", ";rc=0;rank=%d;size=%d", rank, l.size)
	case "put", "kvs-put":
		l.store[key], l.longest = value, max(l.longest, len(value))
		if l.version == 1 {
			send("put_result", " rc=0 msg=success")
		} else {
			send("kvs-put-response", ";rc=0")
		}
	case "barrier_in", "kvs-fence":
		if l.waiting = append(l.waiting, to); len(l.waiting) == cmp.Or(l.present, l.size) {
			for _, to = range l.waiting {
				if l.version == 1 {
					send("barrier_out", "")
				} else {
					send("kvs-fence-response", ";rc=0")
				}
			}
			l.waiting = nil
		}
	case "get", "kvs-get":
		switch value, found := l.store[key]; {
		case l.version == 2 && found:
			send("kvs-get-response", ";found=TRUE;value=%s;rc=0", value)
		case l.version == 2:
			send("kvs-get-response", ";found=FALSE;rc=0")
		case found:
			send("get_result", " rc=0 msg=success value=%s", value)
		default:
			send("get_result", " rc=-1 msg=key_%s_not_found value=unknown", key)
		}
	case "finalize":
		if l.version == 1 {
			send("finalize_ack", "")
		} else {
			send("finalize-response", ";rc=0")
		}
		return false
	}
	return true
}
