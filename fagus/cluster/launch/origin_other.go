//go:build !linux

package launch

import "os/exec"

// origin does nothing: the name of a pipe is Linux's.
type origin struct{}

func newOrigin(*exec.Cmd) (*origin, error) { return nil, nil }
func (o *origin) read() told               { return told{rank: -1} }
func (o *origin) close()                   {}
