//go:build linux

package hog_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/hog"
)

// TestMain runs the tests. With HOG in its environment this process is a hog, its keeper, which
// starts hogs and waits to be killed, or a process that ends without spinning.
func TestMain(m *testing.M) {
	var err error
	switch os.Getenv("HOG") {
	case "":
		os.Exit(m.Run())
	case "spin":
		var cpu int
		if cpu, err = strconv.Atoi(os.Args[1]); err == nil {
			err = hog.Spin(cpu, os.Stdin, os.Stdout)
		}
	case "keeper":
		err = keep()
	case "mute":
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func keep() error {
	if err := os.Setenv("HOG", "spin"); err != nil {
		return err
	}
	cpus, err := corepair.Allowed()
	if err != nil {
		return err
	}
	if _, err := hog.Start(os.Args[0], nil, []int{cpus[0], cpus[0]}); err != nil {
		return err
	}
	fmt.Println("kept")
	time.Sleep(time.Minute)
	return nil
}

// children returns the numbers of the processes that pid has started.
func children(t *testing.T, pid int) (all []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tasks {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, child)
		}
	}
	return all
}

// ticks returns the processor time that a process has used, in ticks; ok is false if it has ended.
func ticks(pid int) (n int, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	user, err := strconv.Atoi(fields[11])
	return user, err == nil
}

// within waits at most 20 s until done returns true.
func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited 20 s: " + what)
		}
	}
}

func allowed(t *testing.T) []int {
	t.Helper()
	cpus, err := corepair.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	return cpus
}

// TestHerd: hogs use processors until they are stopped.
func TestHerd(t *testing.T) {
	t.Setenv("HOG", "spin")
	cpu := allowed(t)[0]
	before := children(t, os.Getpid())
	herd, err := hog.Start(os.Args[0], nil, []int{cpu, cpu})
	if err != nil {
		t.Fatal(err)
	}
	hogs := children(t, os.Getpid())
	if len(hogs) != len(before)+2 {
		t.Errorf("children %v, before %v, want two more", hogs, before)
	}
	for _, pid := range hogs {
		within(t, "a hog uses no processor", func() bool {
			n, ok := ticks(pid)
			return !ok || n >= 5
		})
	}
	if err := herd.Stop(); err != nil {
		t.Error(err)
	}
	for _, pid := range hogs {
		if _, ok := ticks(pid); ok {
			t.Errorf("process %d lives", pid)
		}
	}
	if err := herd.Stop(); err != nil {
		t.Errorf("again: %v", err)
	}
}

// TestKilledKeeper: hogs end when the process that started them is killed.
func TestKilledKeeper(t *testing.T) {
	keeper := exec.Command(os.Args[0])
	keeper.Env, keeper.Stderr = append(os.Environ(), "HOG=keeper"), os.Stderr
	out, err := keeper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := keeper.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	hogs := children(t, keeper.Process.Pid)
	if killed := keeper.Process.Kill(); killed != nil {
		t.Error(killed)
	}
	if line != "kept\n" || err != nil || len(hogs) != 2 {
		t.Fatalf("the keeper said %q, %v, and has the children %v", line, err, hogs)
	}
	began := time.Now()
	for _, pid := range hogs {
		within(t, "a hog has survived its keeper", func() bool {
			_, ok := ticks(pid)
			return !ok
		})
	}
	t.Logf("ended after %v", time.Since(began))
	_ = keeper.Wait() // it was killed
}

// TestFailures: a hog that cannot start, does not spin, or has ended is an error.
func TestFailures(t *testing.T) {
	cpu := allowed(t)[0]
	if _, err := hog.Start("no-such-program", nil, []int{cpu}); err == nil || !strings.Contains(err.Error(), "hog: on processor") {
		t.Errorf("no program: %v", err)
	}
	t.Setenv("HOG", "mute")
	if _, err := hog.Start(os.Args[0], nil, []int{cpu}); err == nil || !strings.Contains(err.Error(), `it said ""`) {
		t.Errorf("a mute hog: %v", err)
	}
	t.Setenv("HOG", "spin")
	if _, err := hog.Start(os.Args[0], nil, []int{1023}); err == nil {
		t.Error("a hog on a processor that does not exist: no error")
	}
	before := children(t, os.Getpid())
	herd, err := hog.Start(os.Args[0], nil, []int{cpu})
	if err != nil {
		t.Fatal(err)
	}
	hogs := children(t, os.Getpid())
	if len(hogs) != len(before)+1 {
		t.Fatalf("children %v, before %v", hogs, before)
	}
	if err := syscall.Kill(hogs[len(hogs)-1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	within(t, "a killed hog lives", func() bool { return len(children(t, os.Getpid())) == len(before) })
	if err := herd.Stop(); err == nil {
		t.Error("a hog that was killed: no error")
	}
}
