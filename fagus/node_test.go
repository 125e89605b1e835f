package fagus

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/fagus-dsm/fagus/fagus/rollcall"
)

// TestOneGoroutine calls a Node while another call seems to be in progress.
func TestOneGoroutine(t *testing.T) {
	_, err := Run(context.Background(), Config{Nodes: 1}, func(n *Node) error {
		n.monitor.Enter(rollcall.Update, nil)
		err := n.Barrier()
		n.monitor.Leave(nil)
		if err == nil || !strings.Contains(err.Error(), "is made by another goroutine than the calls before") {
			t.Errorf("Barrier during another call returns %v", err)
		}
		if n.Err() != err {
			t.Errorf("after it, Err returns %v", n.Err())
		}
		if err := n.Barrier(); !strings.Contains(err.Error(), "is made by another goroutine than the calls before") {
			t.Errorf("the next call returns %v", err)
		}
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "is made by another goroutine than the calls before") {
		t.Errorf("Run returns %v", err)
	}
}

// TestSerialized makes calls of a Node in two goroutines, one after the other.
func TestSerialized(t *testing.T) {
	for _, said := range []bool{false, true} {
		_, err := Run(t.Context(), Config{Nodes: 1}, func(n *Node) error {
			if said {
				n.Serialized()
			}
			err := n.Barrier()
			made := make(chan error)
			go func() { made <- n.Barrier() }()
			return errors.Join(err, <-made)
		})
		if (err == nil) != said && goroutine() != 0 {
			t.Errorf("after Serialized: %v: %v", said, err)
		}
	}
}

// TestLog checks the records of a single rank: they say which calls were collective and which
// set each call had.
func TestLog(t *testing.T) {
	for mode, acquire := range map[Mode]string{Phase: `msg="collective call"`, Threaded: "msg=call"} {
		var b bytes.Buffer
		log := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
		_, err := Run(t.Context(), Config{Nodes: 1, Mode: mode, Log: log}, func(n *Node) error {
			a, err := NewArray[byte](n, "a", 1)
			if err != nil {
				return err
			}
			v, err := n.Bind("v", a.All())
			if err != nil {
				return err
			}
			set := n.Set(Want(v, Exclusive))
			if err := n.Acquire(set); err != nil {
				return err
			}
			return n.Release(set)
		})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		want := []string{
			acquire + ` rank=0 call=Acquire set="\"v\" (exclusive)"`,
			`msg=call rank=0 call=Release set="\"v\" (exclusive)"`,
			`msg="collective call" rank=0 call=return`,
		}
		if len(lines) != len(want) {
			t.Fatalf("%v: %d records, want %d:\n%s", mode, len(lines), len(want), &b)
		}
		phases := regexp.MustCompile(" phases=[0-9]+")
		for i := range want {
			if !strings.Contains(phases.ReplaceAllString(lines[i], ""), want[i]) || phases.MatchString(lines[i]) != (mode == Phase) {
				t.Errorf("%v: record\n%s\nwant\n%s", mode, lines[i], want[i])
			}
		}
	}
}
