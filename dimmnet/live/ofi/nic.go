//go:build ofi && linux && cgo

package ofi

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fagus-dsm/fagus/dimmnet/live/cpuset"
)

// nic chooses the domain for the rank with the number place on its host, and returns the node with
// which to open it. A domain that the configuration names need not have the node's address.
func nic(cfg *Config, node string, place int) (domain, at string, err error) {
	all, err := list(cfg.Provider, node)
	if err != nil {
		return "", "", err
	}
	if cfg.Domain == "" {
		return nearest(all, os.DirFS("/sys"), cpuset.Own(), place), node, nil
	}
	named := func(p Provider) bool { return p.Domain == cfg.Domain }
	if slices.ContainsFunc(all, named) {
		return cfg.Domain, node, nil
	}
	if node != "" {
		if all, err = list(cfg.Provider, ""); err != nil {
			return "", "", err
		}
		if slices.ContainsFunc(all, named) {
			return cfg.Domain, "", nil
		}
	}
	var names []string
	for _, p := range all {
		if !slices.Contains(names, p.Domain) {
			names = append(names, p.Domain)
		}
	}
	return "", "", fmt.Errorf("provider %s has no NIC %q on this host: set FAGUS_DOMAIN to one of %s, or leave it empty", cfg.Provider, cfg.Domain, strings.Join(names, ", "))
}
