//go:build unix

package launch_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/fagus/cluster"
	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// TestMain runs an agent, a launcher or a rank if its command line says so, else the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "launcher" {
		job := launch.Job{Size: 2, Argv: []string{"sh", "-c", os.Args[2]}, Stdout: os.Stdout, Stderr: os.Stderr}
		fmt.Fprintln(os.Stderr, job.Run(context.Background()))
		os.Exit(1)
	}
	if len(os.Args) == 2 && os.Args[1] == "agent" {
		if err := launch.Agent(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == "rank" {
		failLate(os.Args[2])
	}
	if len(os.Args) == 2 && os.Args[1] == "memory" {
		dieWithMemory()
	}
	if len(os.Args) == 4 && os.Args[1] == "epoch" {
		epochRank(os.Args[2], os.Args[3])
	}
	if len(os.Args) == 4 && os.Args[1] == "partner" {
		partnerRank(os.Args[2], os.Args[3])
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // the parallel tests mostly wait
	goleak.VerifyTestMain(m)
}

// dieWithMemory makes a folder in memory, prints its name, and is killed.
func dieWithMemory() {
	m, err := launch.NewMemory()
	if err == nil {
		err = os.WriteFile(filepath.Join(m.Folder, "part"), []byte("x"), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(0) // not what the test wants
	}
	fmt.Print(m.Folder)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// failLate is a rank that fails because of rank 1. Rank 1 exits later by the given time, or never.
func failLate(by string) {
	if os.Getenv("FAGUS_RANK") == "1" {
		late, err := time.ParseDuration(by)
		if err != nil {
			late = time.Hour
		}
		time.Sleep(late)
	}
	cluster.ReportOrigin(1, &dimmnet.Failed{Network: "test", Rank: 1, Why: "boom"}, true)
	os.Exit(1)
}
