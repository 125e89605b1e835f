//go:build unix

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

func TestIdentityFromEnv(t *testing.T) {
	authority, err := identity.NewAuthority(3)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for rank := range dimmnet.Rank(3) {
		id, err := authority.Issue(rank)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, IdentityFile(rank)), id.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(where string) (*identity.Identity, error) {
		return IdentityFromEnv(vars{"FAGUS_IDENTITY": where}.lookup, 1)
	}
	for _, where := range []string{folder, folder + "/rank-%r.pem", folder + "/rank-1.pem"} {
		if id, err := read(where); err != nil || id.Rank() != 1 || id.Size() != 3 {
			t.Errorf("FAGUS_IDENTITY=%s gives identity %v, %v", where, id, err)
		}
	}
	f, err := os.Open(folder + "/rank-1.pem")
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(f.Fd())) // IdentityFromEnv closes it
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if id, err := read(fmt.Sprintf("fd:%d", fd)); err != nil || id.Rank() != 1 {
		t.Errorf("FAGUS_IDENTITY=fd:%d gives identity %v, %v", fd, id, err)
	}
	if id, err := read(""); id != nil || err != nil {
		t.Errorf("without FAGUS_IDENTITY the identity is %v, %v", id, err)
	}
	if err := os.Chmod(folder+"/rank-1.pem", 0o640); err != nil {
		t.Fatal(err)
	}
	for where, says := range map[string]string{
		folder:           "chmod 600",
		folder + "/none": "create identities with `fagus identity`",
		"fd:":            "want fd: and an inherited",
		"fd:1":           "want fd: and an inherited",
		"fd:9999":        "bad file descriptor",
		"/dev/null":      "FAGUS_IDENTITY=/dev/null",
	} {
		if _, err := read(where); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("FAGUS_IDENTITY=%s gives error %v, want %q", where, err, says)
		}
	}
}
