package partner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

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
	number, found := strings.CutPrefix(where, "fd:")
	fd, err := strconv.ParseUint(number, 10, 16)
	if !found || err != nil || fd < 3 {
		return nil, fmt.Errorf("partner: %s=%s: want fd: and an inherited file descriptor, 3 or more", IdentityVariable, where)
	}
	const most = 64 << 10
	f := os.NewFile(uintptr(fd), where)
	text, err := io.ReadAll(io.LimitReader(f, most))
	var id *identity.Identity
	if err = errors.Join(err, f.Close()); err == nil {
		id, err = identity.Parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("partner: %s=%s: %w", IdentityVariable, where, err)
	}
	return Open(address, id)
}
