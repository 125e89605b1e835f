package colony

import (
	"flag"
	"math"
	"testing"

	"github.com/fagus-dsm/fagus/dimmnet/porttest/longtest"
)

var transactions = flag.Int("transactions", 0, "of TestCampaign; 0: 1000000, or 100000 with -short")

func measure(t *testing.T, cfg Config, load Load) *Result {
	t.Helper()
	r, err := Measure(cfg, load)
	if err != nil {
		t.Fatal(err)
	}
	if r.Unexplained != 0 || r.Failed > r.Unseen || r.Damaged == 0 && r.Strange+r.Odd+r.Short+r.Wrong > 0 || r.Transactions != int64(load.Transactions) {
		t.Errorf("%+v\n%v", cfg, r)
	}
	return r
}

// TestLatencies checks that the sums of the states on the paths, and the times measured, are the
// thesis's figures.
func TestLatencies(t *testing.T) {
	if write, read := local(); write != 5 || read != 27 {
		t.Errorf("local write %d, read %d, want 5 and 27", write, read)
	}
	want := map[Link][2]int{Burst: {112, 131}, Split: {131, 150}, Twice: {168, 187}}
	for _, l := range links() {
		write, read := l.Remote()
		if [2]int{write, read} != want[l] {
			t.Errorf("link %v: write %d, read %d, want %v", l, write, read, want[l])
		}
		for _, loop := range []bool{true, false} {
			w := measure(t, Config{Link: l, Loop: loop}, Load{Transactions: 1000, Kind: KindWrite})
			r := measure(t, Config{Link: l, Loop: loop}, Load{Transactions: 1000, Kind: KindRead})
			if w.WriteClocks != int64(1000*write) || r.ReadClocks != int64(1000*read) {
				t.Errorf("link %v, loop %t: write %.2f, read %.2f, want %v", l, loop, w.MeanWrite(), r.MeanRead(), want[l])
			}
		}
	}
	w := measure(t, Config{Boards: 1}, Load{Transactions: 1000, Kind: KindWrite, Local: true, Rest: 20})
	behind := measure(t, Config{Boards: 1}, Load{Transactions: 1000, Kind: KindWrite, Local: true})
	r := measure(t, Config{Boards: 1}, Load{Transactions: 1000, Kind: KindRead, Local: true})
	if r.MeanRead() != 27 || w.MeanWrite() != 5 || math.Abs(behind.MeanWrite()-8) > 0.01 {
		t.Errorf("local write %.2f, read %.2f, back-to-back writes %.2f, want 5, 27 and 8",
			w.MeanWrite(), r.MeanRead(), behind.MeanWrite())
	}
}

// TestTwoBoards checks that the thesis's measurements with errors follow from the times without
// errors and the probability of damage.
func TestTwoBoards(t *testing.T) {
	n := longtest.Cases(1_000_000, 250_000)
	if testing.Short() {
		n = 100_000
	}
	for _, l := range links() {
		cfg := Config{Link: l, Damage: damage(l)}
		w := measure(t, cfg, Load{Transactions: n, Kind: KindWrite})
		r := measure(t, cfg, Load{Transactions: n, Kind: KindRead})
		write, read := l.Remote()
		tries := 1 / ((1 - damage(l)) * (1 - damage(l)))
		t.Logf("link %v: read %.1f (t/(1-p)^2 %.1f), write %.1f (%.1f), retries %.1f %% and %.1f %% (%.1f %%)", l,
			r.MeanRead(), float64(read)*tries, w.MeanWrite(), float64(write)*tries,
			100*r.RetriesEach(), 100*w.RetriesEach(), 100*(tries-1))
		for _, c := range []struct{ got, want float64 }{
			{r.MeanRead(), float64(read) * tries}, {w.MeanWrite(), float64(write) * tries},
		} {
			if math.Abs(c.got/c.want-1) > 0.02 {
				t.Errorf("link %v: %.1f clocks, want %.1f", l, c.got, c.want)
			}
		}
		if l != Burst {
			continue
		}
		if math.Abs(r.MeanRead()/229.7-1) > 0.02 || math.Abs(w.MeanWrite()/194.1-1) > 0.02 {
			t.Errorf("read %.1f, write %.1f, want 229.7 and 194.1", r.MeanRead(), w.MeanWrite())
		}
		if math.Abs(100*r.RetriesEach()-74) > 2 || math.Abs(100*w.RetriesEach()-74) > 2 {
			t.Errorf("retries %.1f %% and %.1f %%, want 74.0", 100*r.RetriesEach(), 100*w.RetriesEach())
		}
	}
}

// TestLoopWithErrors checks the thesis's means for a probability of damage of about 0.01.
func TestLoopWithErrors(t *testing.T) {
	cfg := Config{Loop: true, Damage: loopDamage}
	w := measure(t, cfg, Load{Transactions: 100_000, Kind: KindWrite})
	r := measure(t, cfg, Load{Transactions: 100_000, Kind: KindRead})
	if math.Abs(r.MeanRead()/133.5-1) > 0.005 || math.Abs(w.MeanWrite()/114.3-1) > 0.005 {
		t.Errorf("read %.2f, write %.2f, want 133.5 and 114.3", r.MeanRead(), w.MeanWrite())
	}
}

// TestCampaign damages packets in every way. A read may return a wrong word only because of
// damage that parity cannot detect. A long run:
//
//	go test ./dimmnet/sim/colony -run TestCampaign -v -timeout 1h -args -transactions 100000000
func TestCampaign(t *testing.T) {
	n := *transactions
	if n == 0 {
		n = longtest.Cases(1_000_000, 300_000)
		if testing.Short() {
			n = 100_000
		}
	}
	var total Counts
	every := Mix{Bits: 1, Lost: 1, Header: 1}
	for _, c := range []struct {
		share int // of n, in percent
		cfg   Config
		load  Load
	}{
		{40, Config{Link: Burst, Damage: 0.245, Mix: &every}, Load{}},
		{20, Config{Link: Split, Damage: 0.186, Mix: &every}, Load{Requesters: 2, Local: true, Think: 60}},
		{20, Config{Link: Twice, Damage: 0.047, Mix: &every, Patience: Patience(Twice, 2)}, Load{Requesters: 2, Local: true}},
		{10, Config{Boards: 4, Damage: 0.1, Mix: &every}, Load{Requesters: 4, Local: true, Think: 300}},
		{10, Config{Boards: 3, Damage: 0.245, Mix: &Mix{Bits: 1}}, Load{Requesters: 3, Think: 30}},
	} {
		c.load.Transactions = n / 100 * c.share
		r := measure(t, c.cfg, c.load)
		t.Logf("%d boards, link %v: %v", max(c.cfg.Boards, 2), c.cfg.Link, r)
		total.Short += r.Short
		total.Strange += r.Strange
		total.Odd += r.Odd
		total.Refused += r.Refused
		total.Nacks += r.Nacks
		total.Timeouts += r.Timeouts
		total.Unseen += r.Unseen
		total.Again += r.Again
	}
	if total.Short == 0 || total.Strange == 0 || total.Odd == 0 || total.Refused == 0 || total.Nacks == 0 || total.Timeouts == 0 ||
		total.Unseen == 0 || total.Again == 0 {
		t.Errorf("some kind of damage did not occur: %+v", total)
	}
}

// TestSame checks that a seed determines all words and clocks, that another seed differs, and
// that omitting states without effect changes nothing.
func TestSame(t *testing.T) {
	for _, cfg := range []Config{{Damage: 0.2}, {Damage: 0.2, Link: Split}, {Damage: 0.2, Link: Twice, Boards: 5}} {
		load := Load{Transactions: 20_000, Requesters: max(cfg.Boards, 2), Local: true, Think: 40}
		a, b := measure(t, cfg, load), measure(t, cfg, load)
		traced := cfg.withDefaults()
		m, err := newMeasurement(traced, load)
		if err != nil {
			t.Fatal(err)
		}
		m.net.follow(func(int64, uint8, module, state) {})
		c, err := m.run()
		if err != nil {
			t.Fatal(err)
		}
		cfg.Seed = 2
		other := measure(t, cfg, load)
		if *a != *b || *a != *c || a.Hash == other.Hash {
			t.Errorf("%+v:\n%v\n%v\nwithout omissions:\n%v\nanother seed:\n%v", cfg, a, b, c, other)
		}
	}
}

// TestTooManyTries checks that an access without an answer ends.
func TestTooManyTries(t *testing.T) {
	r, err := Measure(Config{Damage: 0.9999999, Tries: 5}, Load{Transactions: 10})
	if err != nil || r.Failed != 10 || r.Retries != 40 {
		t.Errorf("%v, error %v, want 10 failed accesses of 5 tries each", r, err)
	}
}

func TestMisuse(t *testing.T) {
	for _, cfg := range []Config{{Boards: 17}, {Boards: -1}, {Link: 3}, {Loop: true, Boards: 2}, {Damage: 1}, {Damage: math.NaN()},
		{Mix: &Mix{}}, {Mix: &Mix{Bits: -1, Lost: 2}}, {Tries: -1}, {Patience: -1}} {
		if _, err := Measure(cfg, Load{Transactions: 1}); err == nil {
			t.Errorf("Measure accepts %+v", cfg)
		}
		if _, err := New(cfg); err == nil {
			t.Errorf("New accepts %+v", cfg)
		}
	}
	for _, load := range []Load{{}, {Transactions: 1, Requesters: 3}, {Transactions: 1, Words: NodeWords}} {
		if _, err := Measure(Config{}, load); err == nil {
			t.Errorf("Measure accepts %+v", load)
		}
	}
	if _, err := Measure(Config{Boards: 1}, Load{Transactions: 1}); err == nil {
		t.Error("Measure accepts remote accesses of a single board")
	}
}

// TestCrowd checks eight boards with timeouts that are too short: they send more requests than can
// be served. Packets are lost and accesses may fail, but every access ends and no read is wrong.
// With the default patience no packet is lost.
func TestCrowd(t *testing.T) {
	load := Load{Transactions: 4000, Requesters: 8, Words: 4}
	r, err := Measure(Config{Boards: 8, Link: Twice, Patience: 1, Tries: 20}, load)
	if err != nil || r.Overrun == 0 || r.Unexplained != 0 || r.Strange != 0 || r.Transactions != int64(load.Transactions) {
		t.Errorf("error %v, want lost packets and no other fault: %v", err, r)
	}
	patient := measure(t, Config{Boards: 8, Link: Twice}, load)
	if patient.Overrun != 0 || patient.Failed != 0 || patient.RetriesEach() > 0.1 {
		t.Errorf("with patience: %v", patient)
	}
	t.Logf("%v\nwith patience %v", r, patient)
}
