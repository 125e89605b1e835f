package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// fagusIdentity locates the identity of a process: "fd:3", a file whose name contains %r for the
// rank, or a folder that holds IdentityFile.
const fagusIdentity = "FAGUS_IDENTITY"

// IdentityFile returns the name of a rank's identity file within a folder.
func IdentityFile(rank dimmnet.Rank) string { return fmt.Sprintf("rank-%d.pem", rank) }

// IdentityFromEnv reads the identity that FAGUS_IDENTITY names for a rank: an inherited file
// descriptor ("fd:3"), which IdentityFromEnv closes; a file, in whose name %r stands for the
// rank; or a folder made by `fagus identity`. Only the owner may have access to the file.
// IdentityFromEnv returns nil and no error if FAGUS_IDENTITY is not set.
func IdentityFromEnv(lookup func(string) (string, bool), rank dimmnet.Rank) (*identity.Identity, error) {
	where, _ := lookup(fagusIdentity)
	if where == "" {
		return nil, nil
	}
	id, err := readIdentity(where, rank)
	if err != nil {
		return nil, fmt.Errorf("cluster: %s=%s: %w", fagusIdentity, where, err)
	}
	return id, nil
}

func readIdentity(where string, rank dimmnet.Rank) (*identity.Identity, error) {
	if strings.HasPrefix(where, "fd:") {
		return identity.Inherited(where)
	}
	path := strings.ReplaceAll(where, "%r", strconv.Itoa(int(rank)))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, IdentityFile(rank))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: create identities with `fagus identity`", err)
	}
	info, err := f.Stat()
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("%s has mode %v, so other users can access it: run chmod 600 on it", path, info.Mode().Perm())
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, err
	}
	return identity.Read(f)
}
