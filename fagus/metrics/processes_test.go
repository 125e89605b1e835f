package metrics_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/meter"
	"github.com/fagus-dsm/fagus/fagus/metrics"
)

// TestProcesses: a process is found as long as it serves; sockets of which nobody says what a
// process says are not, and are removed if they are old and deaf.
func TestProcesses(t *testing.T) {
	cache, err := os.MkdirTemp("", "f") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(cache) })
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache) // for macOS
	find := func() []metrics.Process {
		t.Helper()
		all, err := metrics.Processes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := find(); len(all) != 0 {
		t.Errorf("nobody serves, and the processes are %v", all)
	}
	m := meter.New()
	s, err := metrics.Serve(":0", m, metrics.About{Program: "life", Job: "7"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.ByName(); err != nil {
		t.Fatal(err)
	}
	if _, err := fagus.Run(t.Context(), fagus.Config{Nodes: 2, Meter: m}, func(n *fagus.Node) error { return n.Barrier() }); err != nil {
		t.Fatal(err)
	}
	own := find()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if len(own) != 1 || own[0].PID != os.Getpid() || own[0].Parent != os.Getppid() || own[0].Program != "life" || own[0].Job != "7" || fmt.Sprint(own[0].Ranks) != "[0 1]" {
		t.Fatalf("the process is %+v", own)
	}
	if !strings.HasPrefix(own[0].Address, host+":") {
		t.Errorf("other hosts reach it at %s", own[0].Address)
	}
	folder := filepath.Dir(own[0].Socket)
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may enter the folder of sockets: %v, %v", info, err)
	}
	for name, answer := range map[string]string{
		"1": "nothing", "2": `{"pid":0}`, "3": `{"pid":3,"ranks":[-1]}`, "4": `{"pid":4,"ranks":[99999999]}`, "5": strings.Repeat("[", 2<<20),
	} {
		l, err := net.Listen("unix", filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		other := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }), ReadHeaderTimeout: time.Second}
		go func() { _ = other.Serve(l) }()
		defer other.Close()
	}
	for _, name := range []string{"old", "new"} {
		l, err := net.Listen("unix", filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		_ = l.Close()
	}
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(folder, "old"), hour, hour); err != nil {
		t.Fatal(err)
	}
	if all := find(); len(all) != 1 {
		t.Errorf("the processes are %+v, want one", all)
	}
	if _, err := os.Lstat(filepath.Join(folder, "old")); !os.IsNotExist(err) {
		t.Errorf("an old socket is not removed: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(folder, "new")); err != nil {
		t.Errorf("a new socket is removed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if all := find(); len(all) != 0 {
		t.Errorf("nobody serves any more, and the processes are %+v", all)
	}
}
