//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/fagus-dsm/fagus/dimmnet"
)

// joinLater starts to join as place. The function wait returns the Host.
func joinLater(t *testing.T, place Place, cfg Spec) (wait func() *Host) {
	t.Helper()
	joined := make(chan error, 1)
	var host *Host
	go func() {
		var err error
		host, err = JoinHost(t.Context(), place, cfg)
		joined <- err
	}()
	return func() *Host {
		t.Helper()
		if err := <-joined; err != nil {
			t.Fatal(err)
		}
		return host
	}
}

// hostile joins as rank 1 of 2 by hand. It returns the Host of rank 0 and the socket of rank 1.
func hostile(t *testing.T, cfg Spec) (*Host, *net.UnixConn) {
	t.Helper()
	place := Place{Size: 2, Job: fmt.Sprint(t.Name(), os.Getpid())}
	joined := joinLater(t, place, cfg)
	var socket *net.UnixConn
	for socket == nil {
		socket, _ = net.DialUnix(network, nil, meetingPoint(place))
	}
	second := place
	second.Rank = 1
	m, err := newHello(second, 99, time.Minute).message()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := socket.Write(m.encode()); err != nil {
		t.Fatal(err)
	}
	return joined(), socket
}

// packet is an encoded message, and the number of files to send with it.
type packet struct {
	bytes []byte
	files int
}

func (p packet) send(socket *net.UnixConn) error {
	rights := syscall.UnixRights(slices.Repeat([]int{1}, p.files)...)
	if len(p.bytes) > 0 {
		_, _, err := socket.WriteMsgUnix(p.bytes, rights, nil)
		return err
	}
	// WriteMsgUnix would send a byte beside the files.
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		m := syscall.Msghdr{Control: &rights[0]}
		m.SetControllen(len(rights))
		_, _, errno = syscall.RawSyscall(syscall.SYS_SENDMSG, fd, uintptr(unsafe.Pointer(&m)), 0)
	})
	if errno != 0 {
		return errno
	}
	return err
}

// TestHostilePeer has a rank 1 that violates the protocol. The error of rank 0 must name rank 1,
// and rank 0 must close the files that rank 1 has sent.
func TestHostilePeer(t *testing.T) {
	NoCollection(t)
	encode := func(m message, files int) []byte {
		b := m.encode()
		b[1] = byte(files)
		return b
	}
	swap := message{kind: kindFiles, rank: 1, call: 1}
	first := packet{encode(blob(1, 0), 0), 0}
	for says, packets := range map[string][]packet{
		"announces 2 files, but 1 came with it":                    {{encode(swap, 2), 1}},
		"announces 1 files, but 2 came with it":                    {{encode(swap, 1), 2}},
		"2 files or a blob from rank 1":                            {{encode(swap, 2), 2}},
		"1 files or a blob from rank 0":                            {{encode(message{kind: kindFiles, call: 1}, 1), 1}},
		"announces 0 files, but 1 came with it":                    {{encode(message{kind: kindGoodbye, rank: 1}, 0), 1}},
		"or 64 files":                                              {{encode(swap, 64), 200}},
		"more than 65536 bytes":                                    {{make([]byte, maxPacket+1), 1}},
		"ended without a goodbye":                                  {{nil, 1}},
		"before the previous call has ended":                       {first, first, first},
		"a message of kind 5 in the name":                          {{encode(message{kind: kindFailed, rank: 0, body: []byte("x")}, 0), 0}},
		"a message of kind 1 in the name":                          {{encode(message{kind: kindHello}, 0), 0}},
		"a message of kind 2 in the name":                          {{encode(message{kind: kindWelcome}, 0), 0}},
		"1 more bytes of a blob of 0":                              {{encode(blob(1, 0, 1), 0), 0}},
		"makes Swap as its call 1, but rank 0":                     {{encode(swap, 1), 1}},
		"makes Gather as its call 2, but rank 0":                   {{encode(message{kind: kindBlob, rank: 1, call: 2}, 0), 0}},
		"has closed the job, but rank 0 calls Gather":              {{encode(message{kind: kindGoodbye, rank: 1}, 0), 0}, {encode(swap, 1), 1}},
		"a message of Gather: it has 1 files":                      {{encode(blob(1, 0), 1), 1}},
		"unknown kind 77":                                          {{slices.Concat([]byte{77}, make([]byte, 15)), 3}},
		"is lost: cluster: decoding a message: a packet of 1 byte": {{[]byte{1}, 1}},
	} {
		before := OpenFiles(t)
		host, socket := hostile(t, Spec{Drivers: AllDrivers()})
		for i, p := range packets {
			// Rank 0 may close the connection while the peer still sends.
			if err := p.send(socket); err != nil && i == 0 {
				t.Fatal(err)
			}
		}
		if says == "before the previous call has ended" {
			<-host.broken
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := host.Gather(ctx, nil)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "rank 1 ") {
			t.Errorf("the call of rank 0 returns error %v, want %q about rank 1", err, says)
		}
		_ = host.Close(ctx) // the job has failed
		cancel()
		if err := socket.Close(); err != nil {
			t.Error(err)
		}
		if now := OpenFiles(t); now != before {
			t.Errorf("%q: %d descriptors are open: want %d as before", says, now, before)
		}
	}
}

// TestHostileRank0 has a rank 0 that violates the protocol after its welcome.
func TestHostileRank0(t *testing.T) {
	place := Place{Rank: 1, Size: 2, Job: fmt.Sprint(t.Name(), os.Getpid())}
	l, err := net.ListenUnix(network, meetingPoint(place))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for says, messages := range map[string][]message{
		"in the name of rank 9":           {{kind: kindFailed, rank: 9, body: []byte("x")}},
		"a message of kind 6":             {{kind: kindGoodbye}},
		"rank 1: want shares from rank 0": {blob(1, 0)},
		"makes Gather as its call 2":      {{kind: kindBlob, call: 2}, {kind: kindBlob, call: 2, rank: 1}},
		"the previous call has ended":     {blob(0, 0), blob(1, 0), blob(0, 0), blob(1, 0)},
		"files or a blob from rank 0: w":  {blob(0, 0), blob(0, 0)},
	} {
		joined := joinLater(t, place, Spec{Drivers: AllDrivers()})
		socket, err := l.AcceptUnix()
		if err != nil {
			t.Fatal(err)
		}
		c := newPackets(socket, 0)
		if _, err := receiveHello(c); err != nil {
			t.Fatal(err)
		}
		if err := c.send(message{kind: kindWelcome}); err != nil {
			t.Fatal(err)
		}
		host := joined()
		for _, m := range messages {
			if err := c.send(m); err != nil {
				t.Fatal(err)
			}
		}
		if says == "the previous call has ended" {
			<-host.broken
		}
		_, err = host.Gather(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "rank 0 ") {
			t.Errorf("the call of the other rank returns error %v, want %q about rank 0", err, says)
		}
		host.OnLoss(func(rank dimmnet.Rank, why error) {
			if int(rank) >= host.Size() {
				t.Errorf("rank %d of %d is reported lost: %v", rank, host.Size(), why)
			}
		})
		_ = host.Close(t.Context()) // the job has failed
		if err := socket.Close(); err != nil {
			t.Error(err)
		}
	}
}

// OpenFiles returns the number of descriptors that this process has.
func OpenFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// NoCollection keeps the collector, which closes files that are forgotten, from running in a test.
func NoCollection(t *testing.T) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

// files returns an encoded message of kindFiles, from the ranks that begin with first.
func files(first dimmnet.Rank, count int) packet {
	m := message{kind: kindFiles, rank: first, call: 1}
	b := m.encode()
	b[1] = byte(count)
	return packet{b, count}
}

// TestForeignFiles sends files where no rank takes them: to rank 0 instead of a hello, and from
// rank 0 instead of a welcome, and in the midst of a call that no rank completes. The receiver must
// close them.
func TestForeignFiles(t *testing.T) {
	NoCollection(t)
	send := func(t *testing.T, socket *net.UnixConn, p packet) {
		t.Helper()
		if err := p.send(socket); err != nil {
			t.Fatal(err)
		}
	}
	for name, run := range map[string]func(t *testing.T){
		"hello": func(t *testing.T) {
			host, socket := hostile(t, Spec{Drivers: AllDrivers()})
			intruder, err := net.DialUnix(network, nil, meetingPoint(host.place))
			if err != nil {
				t.Fatal(err)
			}
			send(t, intruder, files(1, 3))
			if _, err := intruder.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("rank 0 answers files with %v, want the end of the connection", err)
			}
			_ = intruder.Close()
			_ = socket.Close() // the job fails
			_ = host.Close(t.Context())
		},
		"welcome": func(t *testing.T) {
			place := Place{Rank: 1, Size: 2, Job: fmt.Sprint(t.Name(), os.Getpid())}
			failed := make(chan error, 1)
			l, err := net.ListenUnix(network, meetingPoint(place))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				_, err := JoinHost(t.Context(), place, Spec{Drivers: AllDrivers()})
				failed <- err
			}()
			socket, err := l.AcceptUnix()
			if err != nil {
				t.Fatal(err)
			}
			defer socket.Close()
			send(t, socket, files(0, 3))
			if err := <-failed; err == nil || !strings.Contains(err.Error(), "answered the hello with a message of Swap") {
				t.Error(err)
			}
		},
		"part of a call":     func(t *testing.T) { abandonedCall(t, files(0, 1)) },
		"call without ranks": func(t *testing.T) { abandonedCall(t, files(0, 2)) },
	} {
		t.Run(name, func(t *testing.T) {
			before := OpenFiles(t)
			run(t)
			for begun := time.Now(); OpenFiles(t) != before; time.Sleep(time.Millisecond) {
				if time.Since(begun) > 2*time.Second {
					t.Fatalf("%d descriptors are open: want %d as before", OpenFiles(t), before)
				}
			}
		})
	}
}

// abandonedCall has a rank 0 that sends p, and ends before rank 1 makes the call.
func abandonedCall(t *testing.T, p packet) {
	wait, c := underRank0(t, Spec{Drivers: AllDrivers()}, message{kind: kindWelcome})
	host := wait()
	if err := p.send(c.UnixConn); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	<-host.broken
	_ = host.Close(t.Context()) // the job has failed
}

// TestPingWhileJoining checks that a rank which waits for its welcome answers pings.
func TestPingWhileJoining(t *testing.T) {
	wait, c := underRank0(t, Spec{Drivers: AllDrivers()}, message{kind: kindPing})
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if m, err := c.receive(); err != nil || m.kind != kindPong || m.rank != 1 {
		t.Errorf("rank 1 answers a ping with %+v, %v", m, err)
	}
	if err := c.send(message{kind: kindWelcome}); err != nil {
		t.Fatal(err)
	}
	if err := wait().Close(t.Context()); err != nil {
		t.Error(err)
	}
}
