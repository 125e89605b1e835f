package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/fagus-dsm/fagus/fagus/cluster/launch"
)

// host is a host that is examined, and what is known of it. The field failed is set if its probe
// gives no answers, and then the later fields are zero.
type host struct {
	launch.Host
	argv   []string // runs the probe there
	failed *unreached

	about    about
	took     time.Duration // until the first answer
	clock    time.Duration // how far the clock there is ahead of this one
	clockErr time.Duration // the largest error of clock
	listens  *listening
	whyNot   string // why the host does not listen; "" if it does
	stuck    string // why the host does not report what it reaches; "" if it does

	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	answers *json.Decoder
	words   *bytes.Buffer // what the command wrote to standard error
}

// unreached says why a host has no probe.
type unreached struct {
	ssh bool // the host itself is not reached; otherwise its program is missing or another one
	why string
}

// wordsBytes bounds what is kept of the words of ssh.
const wordsBytes = 1000

// start starts the probe on h.
func (h *host) start(ctx context.Context) error {
	h.cmd = exec.CommandContext(ctx, h.argv[0], h.argv[1:]...)
	h.cmd.WaitDelay = time.Second
	h.words = new(bytes.Buffer)
	h.cmd.Stderr = h.words
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return err
	}
	if h.out, err = h.cmd.StdoutPipe(); err != nil {
		return err
	}
	h.answers = json.NewDecoder(h.out)
	return h.cmd.Start()
}

// ask sends an order and waits for its answer, at most for the given time.
func (h *host) ask(o order, wait time.Duration) (answer, error) {
	late := time.AfterFunc(wait, func() {
		_ = h.cmd.Process.Kill() // it may have ended
		_ = h.out.Close()        // a process that ssh has started may keep it open
	})
	var a answer
	err := json.NewEncoder(h.in).Encode(o)
	if err == nil {
		err = h.answers.Decode(&a)
	}
	if !late.Stop() {
		err = fmt.Errorf("no answer in %v", wait)
	}
	return a, err
}

// leave ends the probe, and returns how its command has ended.
func (h *host) leave() error {
	if h.cmd == nil || h.cmd.Process == nil {
		return nil
	}
	_ = h.in.Close() // makes the probe end
	late := time.AfterFunc(2*time.Second, func() { _ = h.cmd.Process.Kill() })
	defer late.Stop()
	return h.cmd.Wait()
}

// contact starts the probe, and learns what the host is like.
func (h *host) contact(ctx context.Context, rsh []string, b *begin, wait time.Duration) {
	begun := time.Now()
	err := h.start(ctx)
	if err != nil {
		h.failed = &unreached{true, err.Error()}
		return
	}
	a, err := h.ask(order{Begin: b}, 2*wait) // logging in takes longer than answering
	h.took = time.Since(begun)
	if err == nil && a.About != nil && a.About.Version == probeVersion {
		h.about = *a.About
		if err = h.readClock(wait); err == nil {
			return
		}
	}
	late := h.took >= 2*wait
	ended := h.leave()
	why := strings.TrimSpace(string(h.words.Bytes()[:min(h.words.Len(), wordsBytes)]))
	switch {
	case late:
		why = strings.TrimSpace(err.Error() + " " + why)
	case why == "" && ended != nil:
		why = ended.Error()
	case why == "":
		why = "its output is not that of a probe: does a login shell print text?"
	case ended != nil:
		why += " (" + ended.Error() + ")"
	}
	h.failed = &unreached{true, why}
	if !late {
		h.explain(ctx, rsh, wait)
	}
}

// explain finds out whether the host is reached although its probe fails, and why that is.
func (h *host) explain(ctx context.Context, rsh []string, wait time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	there := func(argv ...string) (string, bool) {
		words := launch.OnHost(rsh, h.Name, argv...)
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	program := h.argv[len(h.argv)-2]
	if version, ok := there(program, "version"); ok {
		h.failed = &unreached{false, fmt.Sprintf("%s there is another build, %.200q", program, version)}
	} else if _, ok := there("true"); ok {
		h.failed.ssh = false
	}
}

// readClock compares the clocks of h and of this host.
func (h *host) readClock(wait time.Duration) error {
	const tries = 5
	for range tries {
		sent := time.Now()
		a, err := h.ask(order{Time: true}, wait)
		if err != nil {
			return err
		}
		half := time.Since(sent) / 2
		if h.clockErr == 0 || half < h.clockErr {
			h.clock, h.clockErr = time.Duration(a.TimeNS-sent.UnixNano())-half, half
		}
	}
	return nil
}

// listen makes the probe listen as ranks would.
func (h *host) listen(l *listen, wait time.Duration) {
	a, err := h.ask(order{Listen: l}, wait)
	switch {
	case err != nil:
		h.whyNot = err.Error()
	case a.Listen == nil:
		h.whyNot = cmp.Or(a.Err, "the probe does not listen")
	default:
		h.listens = a.Listen
	}
}
