package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
	"github.com/fagus-dsm/fagus/dimmnet/live/reach"
)

const (
	// fagusIdentity locates the identity of a process: "fd:3", a file whose name contains %r for
	// the rank, or a folder that holds IdentityFile.
	fagusIdentity = "FAGUS_IDENTITY"
	fagusInsecure = "FAGUS_INSECURE"     // 1: a rank without an identity may send unencrypted data
	fagusStall    = "FAGUS_STALL"        // HostConfig.Stall
	fagusPatience = "FAGUS_JOIN_TIMEOUT" // HostConfig.Timeout
	fagusPorts    = "FAGUS_PORTS"        // HostsConfig.Ports
)

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

// ParseStall reads the value of FAGUS_STALL.
func ParseStall(text string) (time.Duration, error) {
	stall, err := time.ParseDuration(text)
	if err != nil || stall == 0 {
		return 0, fmt.Errorf("cluster: %s=%q: want a time such as 30s, or -1s for no limit", fagusStall, text)
	}
	return stall, nil
}

// HostsConfigFromEnv reads FAGUS_IDENTITY, FAGUS_INSECURE, FAGUS_INTERFACE, FAGUS_PORTS,
// FAGUS_STALL and the variables of Options for a rank.
func HostsConfigFromEnv(lookup func(string) (string, bool), rank dimmnet.Rank) (cfg HostsConfig, err error) {
	if cfg.Identity, err = IdentityFromEnv(lookup, rank); err != nil {
		return cfg, err
	}
	cfg.Interface, _ = lookup(fagusInterface)
	cfg.Settings = settingsFromEnv(lookup)
	ports, _ := lookup(fagusPorts)
	if cfg.Ports, err = reach.ParsePorts(ports); err != nil {
		return cfg, fmt.Errorf("cluster: %s: %w", fagusPorts, err)
	}
	if stall, _ := lookup(fagusStall); stall != "" {
		if cfg.Stall, err = ParseStall(stall); err != nil {
			return cfg, err
		}
	}
	if limit, _ := lookup(fagusPatience); limit != "" {
		if cfg.Timeout, err = time.ParseDuration(limit); err != nil || cfg.Timeout <= 0 || cfg.Timeout > maxPatience {
			return cfg, fmt.Errorf("cluster: %s=%q: want a time such as 60s, at most %v", fagusPatience, limit, maxPatience)
		}
	}
	switch v, _ := lookup(fagusInsecure); v {
	case "", "0":
	case "1":
		cfg.Insecure = true
	default:
		return cfg, fmt.Errorf("cluster: %s=%q: want 1, 0 or an empty value", fagusInsecure, v)
	}
	return cfg, nil
}
