//go:build ofi && linux && cgo

package ofi

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// things returns the open files of this process, and its files of provider shm.
func things(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"/proc/self/fd/*", fmt.Sprintf("/dev/shm/%d:*", os.Getpid())} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if to, err := os.Readlink(name); err == nil {
				name += " -> " + to
			}
			all = append(all, name)
		}
	}
	return all
}

// TestOpenClose checks that a closed endpoint leaves no file. With go test -asan the process also
// reports at its end which memory was not freed.
func TestOpenClose(t *testing.T) {
	for _, p := range Software()[:3] {
		t.Run(p, func(t *testing.T) {
			node := ""
			if usesIP(p) {
				node = "127.0.0.1"
			}
			var before []string
			for i := range longtest.Cases(50, 5) {
				if i == 1 {
					before = things(t) // the first leaves what libfabric keeps for the process
				}
				e, err := open(p, node, "", 8, 8, 2)
				if err != nil {
					t.Fatal(err)
				}
				r, _, err := e.expose(make([]byte, 1<<16), false)
				if err != nil {
					t.Error(err)
				}
				r.hide()
				e.close()
			}
			for _, name := range things(t) {
				if !slices.Contains(before, name) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// TestStale checks that an endpoint of provider shm opens where a killed process with the same
// number has left its files. They are like this process's files, and the provider sees that it
// runs.
func TestStale(t *testing.T) {
	files := func() []string {
		names, err := filepath.Glob(fmt.Sprintf("/dev/shm/%d:*", os.Getpid()))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := files()
	first, err := open("shm", "", "", 8, 8, 2)
	if err != nil {
		t.Fatal(err)
	}
	fresh := slices.DeleteFunc(files(), func(name string) bool { return slices.Contains(before, name) })
	if len(fresh) != 1 {
		t.Fatalf("an endpoint of provider shm has the files %v, want one", fresh)
	}
	b, err := os.ReadFile(fresh[0])
	first.close()
	if err != nil {
		t.Fatal(err)
	}
	var number, part, endpoint int // the provider counts the endpoints of a process
	if _, err := fmt.Sscanf(filepath.Base(fresh[0]), "%d:%d:%d", &number, &part, &endpoint); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		name := fmt.Sprintf("/dev/shm/%d:%d:%d", number, part, endpoint+i)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(name) // the file is gone if the test passes
	}
	second, err := open("shm", "", "", 8, 8, 2)
	if err != nil {
		t.Fatal(err)
	}
	second.close()
	if left := slices.DeleteFunc(files(), func(name string) bool { return slices.Contains(before, name) }); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
