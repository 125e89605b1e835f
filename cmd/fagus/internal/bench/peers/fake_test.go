package peers_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
)

// TestMain runs the tests. With PEERS_FAKE in its environment, it runs a fake system instead.
func TestMain(m *testing.M) {
	if behaviour := os.Getenv("PEERS_FAKE"); behaviour != "" {
		if err := fake(behaviour, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

// fakeSystem returns a system that claims that an operation takes took. It logs each command.
func fakeSystem(t *testing.T, name, behaviour string, took time.Duration, log string) peers.System {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return peers.System{Name: name, Ranks: 2, Launched: true, Argv: []string{self, name, fmt.Sprint(took.Nanoseconds()), log},
		Env: []string{"PEERS_FAKE=" + behaviour}, Patience: 20 * time.Second}
}

// withRanks returns a fake system with another number of ranks.
func withRanks(s peers.System, ranks int) peers.System {
	s.Ranks = ranks
	s.Env = append(s.Env, fmt.Sprintf("PEERS_FAKE_RANKS=%d", ranks))
	return s
}

// fake runs all ranks of a fake system in this process; they are two without PEERS_FAKE_RANKS.
func fake(behaviour string, args []string) error {
	name, log, socket := args[0], args[2], args[3]
	took, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	commands := 0 // of rank 0
	batch := func(rank int) func(peers.Command) (time.Duration, error) {
		return func(c peers.Command) (time.Duration, error) {
			switch {
			case behaviour == "hangs":
				forever()
			case behaviour == "fails" && rank == 1:
				return 0, errors.New("no more paper")
			case behaviour == "dies":
				fmt.Fprintln(os.Stderr, "the end is near")
				os.Exit(4)
			case rank > 0:
				return time.Hour, nil // the driver uses the time of rank 0
			}
			f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o666)
			if err != nil {
				return 0, err
			}
			fmt.Fprintf(f, "%s %s %d %d\n", name, c.Op, c.Size, c.Count)
			commands++
			if behaviour == "moody" && commands > 200 {
				return time.Duration(1000 * took * c.Count), f.Close()
			}
			return time.Duration(took * c.Count), f.Close()
		}
	}
	second := 1
	switch behaviour {
	case "absent":
		return errors.New("nobody is at home")
	case "lost":
		forever()
	case "twins":
		second = 0
	case "babbles":
		return babble(socket)
	}
	ranks := 2
	if text := os.Getenv("PEERS_FAKE_RANKS"); text != "" {
		if ranks, err = strconv.Atoi(text); err != nil {
			return err
		}
	}
	done := make(chan error, ranks)
	for r := range ranks {
		if r == 1 {
			r = second
		}
		go func() { done <- peers.Attend(socket, r, batch(r)) }()
	}
	var failed error
	for range ranks {
		failed = errors.Join(failed, <-done)
	}
	return failed
}

// babble is a fake system whose ranks answer with text instead of a time.
func babble(socket string) error {
	for rank := range 2 {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			return err
		}
		fmt.Fprintf(conn, "rank %d\nsoon\n", rank)
	}
	forever()
	return nil // not reached
}

// forever blocks. It sleeps instead of using an empty select: in a program without cgo the
// runtime reports a process whose goroutines all block as a deadlock.
func forever() {
	for {
		time.Sleep(time.Hour)
	}
}
