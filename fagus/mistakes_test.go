package fagus_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
)

// mistake is an ordinary mistake: a program of two ranks that runs as a command of its own.
type mistake struct {
	title string
	flags string // in addition to the network, the mode and the number of ranks
	body  func(n *fagus.Node) error
}

var mistakes = []mistake{
	{"A rank calls os.Exit(0)", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			os.Exit(0)
		}
		return n.Barrier()
	}},
	{"A rank calls os.Exit(3)", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			os.Exit(3)
		}
		return n.Barrier()
	}},
	{"A rank calls log.Fatal", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			log.Fatal("no more")
		}
		return n.Barrier()
	}},
	{"A rank calls runtime.Goexit", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			runtime.Goexit()
		}
		return n.Barrier()
	}},
	{"A rank panics", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			panic("lost the way")
		}
		return n.Barrier()
	}},
	{"A goroutine of a rank panics", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			go func() { panic("lost the way") }()
		}
		time.Sleep(100 * time.Millisecond)
		return n.Barrier()
	}},
	{"A rank returns early", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return nil
		}
		return n.Barrier()
	}},
	{"A rank returns an error", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return errors.New("no input")
		}
		return n.Barrier()
	}},
	{"Arrays of different lengths", "", func(n *fagus.Node) error {
		a := fagus.NewGuarded[float64](n, "a", 1000)
		b := fagus.NewGuarded[float64](n, "b", 2048*(1+n.Rank()))
		fagus.NewGuarded[float64](n, "c", 10)
		return n.Set(a.Write(), b.Write()).Do(func() {})
	}},
	{"Arrays of different element types", "", func(n *fagus.Node) error {
		if n.Rank() == 0 {
			fagus.NewGuarded[float64](n, "b", 100)
		} else {
			fagus.NewGuarded[int64](n, "b", 100)
		}
		return n.Barrier()
	}},
	{"Arrays of different names", "", func(n *fagus.Node) error {
		fagus.NewGuarded[float64](n, []string{"left", "right"}[n.Rank()], 100)
		return n.Barrier()
	}},
	{"Arrays in another order", "", func(n *fagus.Node) error {
		names := []string{"left", "right"}
		fagus.NewGuarded[float64](n, names[n.Rank()], 100)
		fagus.NewGuarded[float64](n, names[1-n.Rank()], 5000)
		return n.Barrier()
	}},
	{"An array that one rank does not make", "", func(n *fagus.Node) error {
		a := fagus.NewGuarded[float64](n, "a", 100)
		if n.Rank() == 1 {
			fagus.NewGuarded[float64](n, "b", 100)
		}
		return n.Set(a.Write()).Do(func() {})
	}},
	{"Different bindings", "", func(n *fagus.Node) error {
		a, err := fagus.NewArray[float64](n, "a", 100)
		if err != nil {
			return err
		}
		v, err := n.Bind("v", a.Range(0, 50+n.Rank()))
		if err != nil {
			return err
		}
		return n.Set(v.Write()).Do(func() {})
	}},
	{"Grids of different widths", "", func(n *fagus.Node) error {
		if _, err := parts.NewGrid[float64](n, "grid", parts.Shape{Rows: 10, Columns: 10 + n.Rank()}); err != nil {
			return err
		}
		return n.Barrier()
	}},
	{"Update on one rank, Barrier on the other", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return n.Update()
		}
		return n.Barrier()
	}},
	{"Reduce on one rank, Barrier on the other", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			_, err := fagus.Reduce(n, 1, addInts)
			return err
		}
		return n.Barrier()
	}},
	{"A Barrier that only rank 0 calls", "", func(n *fagus.Node) error {
		if n.Rank() == 0 {
			if err := n.Barrier(); err != nil {
				return err
			}
		}
		return n.Update()
	}},
	{"A Fence that only rank 0 calls", "", func(n *fagus.Node) error {
		if n.Rank() == 0 {
			if err := n.Fence(); err != nil {
				return err
			}
		}
		return n.Barrier()
	}},
	{"Fence on one rank, Barrier on the other", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			if err := n.Fence(); err != nil {
				return err
			}
			return n.Err()
		}
		return n.Barrier()
	}},
	{"A rank returns early, the other calls Fence", "", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			return nil
		}
		if err := n.Fence(); err != nil {
			return err
		}
		return n.Barrier()
	}},
	{"A rank panics, and the other computes forever", "--timeout 2s", func(n *fagus.Node) error {
		for n.Rank() == 0 {
			time.Sleep(time.Millisecond)
		}
		panic("lost the way")
	}},
	{"A rank returns an error, and the other computes forever", "--timeout 2s", func(n *fagus.Node) error {
		for n.Rank() == 0 {
			time.Sleep(time.Millisecond)
		}
		return errors.New("no input")
	}},
	{"A rank waits for a channel", "--timeout 3s --roll-call 1s", func(n *fagus.Node) error {
		if n.Rank() == 1 {
			<-n.Context().Done() // nobody sends
		}
		return n.Barrier()
	}},
	{"A rank computes forever", "--timeout 3s --roll-call 1s", func(n *fagus.Node) error {
		for n.Rank() == 1 {
			time.Sleep(time.Millisecond)
		}
		return n.Barrier()
	}},
	{"A rank waits while it holds a variable", "--timeout 3s --roll-call 1s", func(n *fagus.Node) error {
		a := fagus.NewGuarded[float64](n, "a", 100)
		if n.Rank() == 1 {
			return n.Set(a.Write()).Do(func() { <-n.Context().Done() })
		}
		time.Sleep(200 * time.Millisecond)
		return n.Set(a.Write()).Do(func() {})
	}},
	{"A forgotten Update", "--check", func(n *fagus.Node) error {
		a := fagus.NewGuarded[int](n, "a", 2*4096)
		if err := n.Set(a.Read()).Do(func() {}); err != nil {
			return err
		}
		if n.Rank() == 1 {
			_ = n.Set(a.Write()).Do(func() { a.Slice()[0] = 1 })
		} else if n.Mode() == fagus.Phase {
			_ = n.Set().Do(func() {})
		}
		if err := n.Barrier(); err != nil {
			return err
		}
		if n.Rank() == 0 && a.Slice()[0] != 1 {
			return errors.New("an old value")
		}
		return n.Barrier()
	}},
	{"A Node used by two goroutines", "", func(n *fagus.Node) error {
		a := fagus.NewGuarded[int64](n, "a", 100)
		if n.Rank() == 0 {
			return n.Set(a.Write()).Do(func() {})
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				for range 100 {
					_ = n.Set(a.Write()).Do(func() { a.Slice()[0]++ })
				}
			})
		}
		both.Wait()
		return n.Err()
	}},
}

// said are texts that the output about a mistake contains, on all networks and in both modes, and
// how often each does at least.
var said = map[string]map[string]int{
	"A rank returns early":                                    {"rank 0 calls Barrier at fagus/mistakes_test.go:": 1, "rank 1 has returned from the function at fagus/mistakes_test.go:": 1, "all ranks must call": 1},
	"Arrays of different lengths":                             {`declaration 3 is array "b", 2048 elements of type float64 (fagus/mistakes_test.go:`: 1, `and array "b", 4096 elements of type float64 (fagus/mistakes_test.go:`: 1},
	"Arrays of different element types":                       {"100 elements of type float64 (fagus/mistakes_test.go:": 1, "100 elements of type int64 (fagus/mistakes_test.go:": 1},
	"Arrays of different names":                               {`declaration 1 is array "left", `: 1, `and array "right", 100 elements of type float64 (fagus/mistakes_test.go:`: 1},
	"Arrays in another order":                                 {`array "left", 100 elements`: 1, `array "right", 100 elements`: 1},
	"An array that one rank does not make":                    {`array "b", 100 elements`: 1, "missing on rank 0 from the function at fagus/mistakes_test.go:": 1},
	"Different bindings":                                      {"a[0:50] (fagus/mistakes_test.go:": 1, "a[0:51] (fagus/mistakes_test.go:": 1},
	"Grids of different widths":                               {`array "grid", 100 elements`: 1, `array "grid", 110 elements`: 1},
	"Update on one rank, Barrier on the other":                {"rank 0 calls Barrier at fagus/mistakes_test.go:": 1, "rank 1 calls Update at fagus/mistakes_test.go:": 1},
	"Reduce on one rank, Barrier on the other":                {"rank 0 calls Barrier at fagus/mistakes_test.go:": 1, "rank 1 calls Reduce at fagus/mistakes_test.go:": 1},
	"A Barrier that only rank 0 calls":                        {"rank 0 calls Barrier at fagus/mistakes_test.go:": 1, "rank 1 calls Update at fagus/mistakes_test.go:": 1},
	"Fence on one rank, Barrier on the other":                 {"rank 0 calls Barrier at fagus/mistakes_test.go:": 1, "rank 1 ": 1, "Fence ": 1},
	"A rank returns early, the other calls Fence":             {"Fence at fagus/mistakes_test.go:": 1, "rank 1 has returned from the function at fagus/mistakes_test.go:": 1},
	"A rank panics, and the other computes forever":           {"lost the way": 1},
	"A rank returns an error, and the other computes forever": {"no input": 1},
	"A rank waits for a channel":                              {"rank 1: has made no call yet for 1.": 1, "waited for, and in no call: rank 1": 1},
	"A rank waits while it holds a variable":                  {`holds "a" (exclusive)`: 1, "waited for, and in no call: rank 1": 1},
	"A forgotten Update":                                      {"call Update: it refreshes": 1},
	"A Node used by two goroutines":                           {"rank 1: ": 1, "is made by another goroutine than the calls before: a Node belongs to one goroutine": 1},
}

// shortMistakes are those that short tests try, too.
var shortMistakes = []string{"Arrays of different lengths", "Update on one rank, Barrier on the other",
	"Fence on one rank, Barrier on the other", "A rank returns an error, and the other computes forever"}

// settings are the networks and modes in which the mistakes are made.
var settings = []string{"inproc phase", "inproc threaded", "shm phase", "shm threaded", "tcp phase", "tcp threaded"}

// TestMistakes runs the ordinary mistakes as commands: on goroutines, on shm and on tcp, in both
// modes. What they say names both ranks, with their lines, and what to do. With -update it writes
// docs/reference/mistakes.md.
func TestMistakes(t *testing.T) {
	if *update {
		if err := os.WriteFile("../docs/reference/mistakes.md", []byte(mistakesDocument(t)), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	tried := settings
	if !longtest.Thorough() {
		tried = []string{"inproc threaded", "shm phase", "tcp threaded"}
	}
	for i := range mistakes {
		wrong := &mistakes[i]
		if testing.Short() && !slices.Contains(shortMistakes, wrong.title) {
			continue
		}
		for _, setting := range tried {
			t.Run(wrong.title+", "+setting, func(t *testing.T) {
				t.Parallel() // most of them wait
				wrong.try(t, setting)
			})
		}
	}
}

// run makes the mistake in a setting, and returns what it says and its exit code.
func (m *mistake) run(t *testing.T, setting string) (says string, code int) {
	net, mode, _ := strings.Cut(setting, " ")
	args := append([]string{"--net", net, "--mode", mode, "--nodes", "2"}, strings.Fields(m.flags)...)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), mistakeVariable+"="+m.title)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (m *mistake) try(t *testing.T, setting string) {
	out, code := m.run(t, setting)
	// A process that ends itself says nothing: fagusvet warns of it.
	silent := m.title == "A rank calls os.Exit(0)" && strings.HasPrefix(setting, "inproc")
	if code == 0 && !silent {
		t.Errorf("it ends with exit code 0:\n%s", out)
	}
	for _, noise := range []string{"without a goodbye", "exit status"} { // after the message
		if said[m.title] != nil && strings.Contains(out, noise) {
			t.Errorf("the output has %q:\n%s", noise, out)
		}
	}
	for text, times := range said[m.title] {
		if strings.Count(out, text) < times {
			t.Errorf("the output lacks %q:\n%s", text, out)
		}
	}
}

// TestFirstError: the error of a goroutine is printed before the run ends, while others compute.
func TestFirstError(t *testing.T) {
	t.Parallel()
	for i := range mistakes {
		if m := &mistakes[i]; m.title == "A rank returns an error, and the other computes forever" {
			if out, code := m.run(t, "inproc phase"); code != 124 || strings.Count(out, "app: fagus: rank 1: no input; other ranks have not returned yet\n") != 1 {
				t.Errorf("exit code %d, output\n%s", code, out)
			}
			return
		}
	}
	t.Error("there is no such mistake")
}

// mistakesDocument shows each mistake and what it says in all settings.
func mistakesDocument(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# What ordinary mistakes say\n\nMade by `go test ./fagus -run TestMistakes -update`. The programs are in fagus/mistakes_test.go. Each runs as a\ncommand of two ranks, on goroutines, on shm and over tcp, in both modes. Settings that say the same, apart from\ntimes, process numbers, addresses, the rank that prints it and the network's name, stand together. Stacks are left out.\n[gallery.md](gallery.md) has the mistakes that `--check` finds.\n")
	varies := regexp.MustCompile(`(?m)pid \d+|127\.0\.0\.1:\d+|[\d.]+ ?[mµn]?s\b|\d+/\d+/\d+ [\d:]+|^\d: |^\d times more: .*\n|(inproc|shm|tcp): `)
	stack := regexp.MustCompile(`(?s)\n(\d: )?(\n\d: )?\n?goroutine \d+ .*?(\n.: app: |$)`)
	listings := listPrograms(t, "mistakes_test.go", "mistakes", 2)
	for i := range mistakes {
		m := &mistakes[i]
		fmt.Fprintf(&b, "\n## %s\n\n```go\n%s```\n", m.title, listings[i])
		if m.flags != "" {
			fmt.Fprintf(&b, "\nWith `%s`.\n", m.flags)
		}
		var order []string // of the first text of each kind
		alike := map[string][]string{}
		for _, setting := range settings {
			says, code := m.run(t, setting)
			text := fmt.Sprintf("exit code %d, and no message.\n", code)
			if says = strings.TrimSpace(says); code != 0 && says != "" {
				text = fmt.Sprintf("exit code %d:\n\n```text\n%s\n```\n", code, stack.ReplaceAllString(says, "\n...$3"))
			}
			kind := varies.ReplaceAllString(text, "")
			if alike[kind] == nil {
				order = append(order, text)
			}
			alike[kind] = append(alike[kind], setting)
		}
		for _, text := range order {
			fmt.Fprintf(&b, "\n%s: %s", strings.Join(alike[varies.ReplaceAllString(text, "")], ", "), text)
		}
	}
	return b.String()
}
