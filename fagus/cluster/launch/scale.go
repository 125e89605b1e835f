package launch

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// requestTime bounds a request.
const requestTime = 5 * time.Second

// Listen accepts requests of Scale to this process, until the result is closed. scale begins to
// fulfil a request, or returns why it cannot. Only processes of the same user can ask.
func Listen(scale func(ranks int) error) (io.Closer, error) {
	path, err := controlPath(os.Getpid())
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	removeDeaf(folder)
	// A process with the same number that was killed may have left its socket.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("launch: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("launch: %w", err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			answer(conn, scale)
		}
	}()
	return listener, nil
}

// answer reads a request, a line with a number, and writes a line: an error, or nothing.
func answer(conn net.Conn, scale func(int) error) {
	defer conn.Close()
	if conn.SetDeadline(time.Now().Add(requestTime)) != nil {
		return
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	ranks, err := strconv.Atoi(strings.TrimSpace(line))
	if err == nil && (ranks < 1 || ranks > maxRanks) {
		err = fmt.Errorf("%d ranks: want 1 to %d", ranks, maxRanks)
	}
	if err == nil {
		err = scale(ranks)
	}
	if err != nil {
		_, _ = fmt.Fprintln(conn, strings.ReplaceAll(err.Error(), "\n", " "))
		return // the asking process may be gone
	}
	_, _ = fmt.Fprintln(conn)
}

// Scale asks the launcher with a process number to go on with another number of ranks. It returns
// when the launcher has begun to stop the ranks.
func Scale(launcher, ranks int) error {
	path, err := controlPath(launcher)
	if err != nil {
		return err
	}
	conn, err := net.DialTimeout("unix", path, requestTime)
	if err != nil {
		return fmt.Errorf("launch: process %d is no launcher of yours whose job can be scaled: it needs --restart: %w", launcher, err)
	}
	defer conn.Close()
	if err = conn.SetDeadline(time.Now().Add(requestTime)); err == nil {
		_, err = fmt.Fprintln(conn, ranks)
	}
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	text, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("launch: process %d has not answered: %w", launcher, err)
	}
	if text = strings.TrimSpace(text); text != "" {
		return fmt.Errorf("launch: process %d: %s", launcher, text)
	}
	return nil
}

// removeDeaf removes the sockets of killed launchers: nobody listens there.
func removeDeaf(folder string) {
	all, _ := os.ReadDir(folder) // without a list nothing is removed
	for _, e := range all {
		path := filepath.Join(folder, e.Name())
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < youngest {
			continue
		}
		conn, err := net.DialTimeout("unix", path, requestTime)
		if err == nil {
			_ = conn.Close() // nothing was sent
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(path) // another launcher may have done so
		}
	}
}

// youngest is the age from which a socket without a listener is removed.
const youngest = time.Minute

// controlPath returns the path of a launcher's socket. Other hosts may share the folder above it.
func controlPath(launcher int) (string, error) {
	folder, err := os.UserCacheDir()
	host, unknown := os.Hostname()
	if err = cmp.Or(err, unknown); err != nil {
		return "", fmt.Errorf("launch: %w", err)
	}
	return filepath.Join(folder, "fagus", host, strconv.Itoa(launcher)), nil
}
