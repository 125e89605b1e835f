//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

// TestMetrics: every process of a run serves metrics of its ranks, fagus top shows all ranks by one
// address, and SIGTERM ends the run at once although clients are connected.
func TestMetrics(t *testing.T) {
	for _, c := range []struct {
		line      string
		processes int
	}{
		{"run sor --n 400 --iterations 10000000 --nodes 3 --net inproc", 1},
		{"run sor --n 200 --iterations 10000000 --nodes 3", 1},
		{"run sor --n 400 --iterations 10000000 --nodes 3 --net shm", 3},
		{"run sor --n 400 --iterations 10000000 --nodes 3 --net tcp --mode threaded", 3},
		{"run sor --n 400 --iterations 10000000 --nodes 3 --net quic", 3},
		{"launch --nodes 3 -- fagus run sor --n 400 --iterations 10000000 --net tcp", 3},
	} {
		t.Run(c.line, func(t *testing.T) {
			longtest.Third(t)
			t.Parallel()
			cmd, errs, end := start(t, append(strings.Fields(c.line), "--metrics", "127.0.0.1:0")...)
			var urls []string
			await(t, "all processes serve metrics", func() bool {
				urls = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`).FindAllString(errs.String(), -1)
				return len(urls) == c.processes
			})
			for _, url := range urls {
				await(t, url+" is ready", func() bool { code, _ := answer(url + "/readyz"); return code == http.StatusOK })
			}
			var ranks []string
			for _, url := range urls {
				await(t, url+" has counted steps", func() bool {
					_, text := answer(url + "/metrics")
					found := regexp.MustCompile(`fagus_steps_done{rank="[0-2]"} [1-9]`).FindAllString(text, -1)
					ranks = append(ranks, found...)
					return len(found) == 3/c.processes
				})
			}
			for r := range 3 {
				if all := strings.Join(ranks, "\n"); !strings.Contains(all, fmt.Sprintf("{rank=%q}", fmt.Sprint(r))) {
					t.Errorf("no process has counted the steps of rank %d: %s", r, all)
				}
			}
			last := urls[len(urls)-1]
			out, err := exec.CommandContext(t.Context(), command(t, "fagus"), "top", "--count", "1", "--interval", "300ms", strings.TrimPrefix(last, "http://")).CombinedOutput()
			if text := string(out); err != nil || !strings.Contains(text, "3 of 3 ranks answer") || !strings.Contains(text, "/s posted") || strings.Count(text, " sor/") != 3 {
				t.Errorf("fagus top: %v: %s", err, out)
			}
			// Its name is the number of a process: the other subtests run the same program.
			byName, err := exec.CommandContext(t.Context(), command(t, "fagus"), "top", "--count", "1", "--json", strconv.Itoa(cmd.Process.Pid)).CombinedOutput()
			if text := string(byName); err != nil || strings.Count(text, `"rank":`) != 3 {
				t.Errorf("fagus top by name: %v: %s", err, byName)
			}
			file := filepath.Join(t.TempDir(), "p.pb.gz")
			words := []string{"profile", "--seconds", "1", "--out", file}
			for _, url := range urls {
				words = append(words, strings.TrimPrefix(url, "http://"))
			}
			// On a busy machine a profile may have no samples of a rank.
			await(t, "a profile has samples of all ranks", func() bool {
				out, err = exec.CommandContext(t.Context(), command(t, "fagus"), words...).CombinedOutput()
				if err != nil {
					t.Fatalf("fagus profile: %v: %s", err, out)
				}
				return regexp.MustCompile(`(?m)^ rank .*computing.*\n─+\n( +[0-2] .*\n){3}`).Match(out)
			})
			out, err = exec.CommandContext(t.Context(), command(t, "fagus"), "profile", "--seconds", "0.2", "--out", file, strconv.Itoa(cmd.Process.Pid)).CombinedOutput()
			if err != nil || strings.Contains(string(out), "left out") || !strings.Contains(string(out), "written: ") {
				t.Errorf("fagus profile by name: %v: %s", err, out)
			}
			idle, err := net.Dial("tcp", strings.TrimPrefix(last, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer idle.Close()
			if _, err := io.WriteString(idle, "GET /metrics HTTP/1.1\r\n"); err != nil {
				t.Error(err)
			}
			begun := time.Now()
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_, _ = end() // by the signal
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("the run has ended %v after SIGTERM", took)
			}
		})
	}
}

// answer returns the status and the text of an HTTP answer; 0 if there is none.
func answer(url string) (int, string) {
	r, err := http.Get(url)
	if err != nil {
		return 0, ""
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, ""
	}
	return r.StatusCode, string(text)
}
