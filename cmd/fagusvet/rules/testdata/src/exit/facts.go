package exit

import (
	"example.com/lib"
	"github.com/fagus-dsm/fagus/fagus"
)

func byLibrary(n *fagus.Node) error {
	lib.Check(n.Barrier()) // want `exit: Check calls log.Fatal at lib.go:19, which ends the process or the goroutine of the rank: let it return an error instead`
	return nil
}
