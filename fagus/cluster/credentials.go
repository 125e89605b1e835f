package cluster

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/identity"
)

const (
	// fagusIdentity says where the identity of a process is: "fd:3", a file in whose name
	// %r stands for the rank, or a folder in which IdentityFile is.
	fagusIdentity = "FAGUS_IDENTITY"
	fagusInsecure = "FAGUS_INSECURE" // 1: without identities nothing is to be encrypted
	fdPrefix      = "fd:"
	maxIdentity   = 64 << 10 // bytes
)

// IdentityFile is the name of the file of a rank's identity in a folder.
func IdentityFile(rank dimmnet.Rank) string { return fmt.Sprintf("rank-%d.pem", rank) }

// IdentityFromEnv reads the identity that FAGUS_IDENTITY gives to a rank: from an inherited
// file descriptor ("fd:3"), which is closed then; from a file, in whose name %r stands for the
// rank; or from a folder as `fagus identity` makes it. A file must be its owner's alone. Nil
// without an error says that nothing is set.
func IdentityFromEnv(lookup func(string) (string, bool), rank dimmnet.Rank) (*identity.Identity, error) {
	where, _ := lookup(fagusIdentity)
	if where == "" {
		return nil, nil
	}
	f, err := openIdentity(where, rank)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxIdentity))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %s=%s: %w", fagusIdentity, where, err)
	}
	id, err := identity.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("cluster: %s=%s: %w", fagusIdentity, where, err)
	}
	return id, nil
}

func openIdentity(where string, rank dimmnet.Rank) (*os.File, error) {
	if number, ok := strings.CutPrefix(where, fdPrefix); ok {
		fd, err := strconv.ParseUint(number, 10, 16)
		if err != nil || fd < 3 {
			return nil, fmt.Errorf("cluster: %s=%s: want the number of an inherited file, 3 or more", fagusIdentity, where)
		}
		return os.NewFile(uintptr(fd), where), nil
	}
	path := strings.ReplaceAll(where, "%r", strconv.Itoa(int(rank)))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, IdentityFile(rank))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: %s=%s: %w: `fagus identity` makes them", fagusIdentity, where, err)
	}
	info, err := f.Stat()
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("others may read %s (mode %v): chmod 600", path, info.Mode().Perm())
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, fmt.Errorf("cluster: %s=%s: %w", fagusIdentity, where, err)
	}
	return f, nil
}

// HostsConfigFromEnv is what FAGUS_IDENTITY, FAGUS_INSECURE and FAGUS_INTERFACE say for a
// rank.
func HostsConfigFromEnv(lookup func(string) (string, bool), rank dimmnet.Rank) (cfg HostsConfig, err error) {
	if cfg.Identity, err = IdentityFromEnv(lookup, rank); err != nil {
		return cfg, err
	}
	cfg.Interface, _ = lookup(fagusInterface)
	switch v, _ := lookup(fagusInsecure); v {
	case "", "0":
	case "1":
		cfg.Insecure = true
	default:
		return cfg, fmt.Errorf("cluster: %s=%q: want 1, 0 or nothing", fagusInsecure, v)
	}
	return cfg, nil
}
