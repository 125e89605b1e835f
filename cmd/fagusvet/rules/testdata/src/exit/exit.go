package exit

import (
	"log"
	"os"
	"runtime"
	"syscall"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/program"
)

func main() {
	if len(os.Args) > 9 {
		os.Exit(2)
	}
	program.Main(run)
}

func run(n *fagus.Node) error {
	if n.Rank() == 0 {
		os.Exit(0) // want `exit: os.Exit ends the process, and with it all ranks that are goroutines: return an error from the program instead`
	}
	defer func() { syscall.Exit(1) }() // want `exit: syscall.Exit ends`
	if n.Nodes() > 3 {
		fail()
	}
	if n.Nodes() > 4 {
		runtime.Goexit() // want `exit: runtime.Goexit ends`
	}
	l := log.New(os.Stderr, "", 0)
	l.Fatalln("no") // want `exit: log.Fatalln ends`
	return nil
}

func fail() {
	log.Fatalf("%d", 1) // want `exit: log.Fatalf ends`
}

func unused() { os.Exit(0) }
