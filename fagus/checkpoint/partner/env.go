package partner

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet/live/identity"
)

// IdentityVariable names, as "fd:4", the inherited file descriptor with the identity by which a
// rank reaches the memory of other hosts.
const IdentityVariable = "FAGUS_CHECKPOINT_IDENTITY"

// FromEnv is Open with the identity that IdentityVariable names, whose descriptor it closes. A rank
// calls it once. Without the variable there is no identity.
func FromEnv(address string, lookup func(string) (string, bool)) (*Store, error) {
	where, _ := lookup(IdentityVariable)
	if where == "" {
		return Open(address, nil)
	}
	id, err := identity.Inherited(where)
	if err != nil {
		return nil, fmt.Errorf("partner: %s=%s: %w", IdentityVariable, where, err)
	}
	return Open(address, id)
}
