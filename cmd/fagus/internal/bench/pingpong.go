package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/corepair"
	"github.com/fagus-dsm/fagus/cmd/fagus/internal/bench/peers"
)

const (
	fiPingPong        = "fi_pingpong"
	pingPongSamples   = 5
	fewTrips          = 500                    // they also connect: 40 ms with ofi_rxm
	pingPongTime      = 200 * time.Millisecond // of the trips that are counted
	longestPingPong   = 20 * time.Second
	pingPongUsecField = 6 // after bytes, #sent, #ack, total, time, MB/sec
)

// addPingPong adds fi_pingpong to the cases of ping-pong. The result says why it cannot.
func (f *field) addPingPong(cases []peers.Case) error {
	for i := range cases {
		if cases[i].Op != pingPong {
			continue
		}
		if _, err := exec.LookPath(fiPingPong); err != nil {
			return err
		}
		if f.over == socketsProvider {
			return errors.New("a trip takes milliseconds, because its thread shares a processor with the provider's")
		}
		cases[i].Others = []peers.Other{f.libfabricPingPong(cases[i].Size)}
	}
	return nil
}

// libfabricPingPong returns libfabric's own program as another measurement of op ping-pong.
func (f *field) libfabricPingPong(bytes int) peers.Other {
	trips := 0
	take := func(ctx context.Context) (time.Duration, error) {
		few, err := f.pingPong(ctx, bytes, fewTrips)
		if err != nil {
			return 0, err
		}
		if trips == 0 {
			trips = fewTrips + max(fewTrips, int(pingPongTime/max(1, few/fewTrips)))
		}
		all, err := f.pingPong(ctx, bytes, trips)
		if err != nil {
			return 0, err
		}
		return (all - few) / time.Duration(trips-fewTrips), nil
	}
	return peers.Other{Name: fiPingPong, Samples: pingPongSamples, Take: take}
}

// pingPong returns the time of some round trips, with that of the connection.
func (f *field) pingPong(ctx context.Context, size, trips int) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, longestPingPong)
	defer cancel()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	control := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		return 0, err
	}
	argv := []string{"-p", f.over, "-e", "rdm", "-S", strconv.Itoa(size), "-I", strconv.Itoa(trips)}
	var out, serverOut bytes.Buffer
	server := exec.CommandContext(ctx, fiPingPong, append(argv, "-B", strconv.Itoa(control))...)
	server.Stdout, server.Stderr = &serverOut, &serverOut
	if err := startOn(server, f.cpus[1]); err != nil {
		return 0, err
	}
	defer server.Wait()
	defer cancel()
	if err := listening(ctx, control); err != nil {
		return 0, fmt.Errorf("%w; %s said: %s", err, fiPingPong, serverOut.String())
	}
	client := exec.CommandContext(ctx, fiPingPong, append(argv, "-P", strconv.Itoa(control), "127.0.0.1")...)
	client.Stdout, client.Stderr = &out, &out
	if err := startOn(client, f.cpus[0]); err != nil {
		return 0, err
	}
	if err := client.Wait(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out.String())
	}
	if err := server.Wait(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, serverOut.String())
	}
	return parsePingPong(out.String(), trips)
}

// parsePingPong returns the time of so many round trips from the table of fi_pingpong, which has a
// line of one size, and says how long a message takes one way.
func parsePingPong(text string, trips int) (time.Duration, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	if len(fields) > pingPongUsecField && len(lines) > 1 {
		usec, err := strconv.ParseFloat(fields[pingPongUsecField], 64)
		if err == nil && usec > 0 {
			return time.Duration(2 * usec * float64(trips) * float64(time.Microsecond)), nil
		}
	}
	return 0, fmt.Errorf("%s printed %q: want the time of a transfer", fiPingPong, text)
}

// startOn starts a command bound to a processor: a process inherits it from the thread.
func startOn(cmd *exec.Cmd, cpu int) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // without Unlock: the thread ends with the goroutine
		if err := corepair.Pin(cpu); err != nil {
			started <- err
			return
		}
		started <- cmd.Start()
	}()
	return <-started
}

// listening waits until a port of this host is being listened at. It does not connect: the server
// takes the first connection for its client.
func listening(ctx context.Context, control int) error {
	for !listens(control) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("nobody listens at port %d: %w", control, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// listens reports whether a TCP socket of this host listens at a port, as /proc/net says.
func listens(port int) bool {
	const listening = "0A" // TCP_LISTEN
	suffix := fmt.Sprintf(":%04X", port)
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) > 3 && strings.HasSuffix(fields[1], suffix) && fields[3] == listening {
				return true
			}
		}
	}
	return false
}
