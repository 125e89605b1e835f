package colony

import "context"

// Figure is one figure of the thesis and the model's.
type Figure struct {
	Env      string // loop or two, and the link: two/96; local; program
	Quantity string // its unit is in the name
	Model    float64
	Paper    *float64 // nil where the thesis prints none
}

// Probabilities of a damaged packet (spec/50).
const (
	loopDamage  = 0.01
	burstDamage = 0.245
	splitDamage = 0.186
	twiceDamage = 0.047
)

// Damage is how many packets of two boards the thesis found damaged.
func (l Link) Damage() float64 {
	return [...]float64{Burst: burstDamage, Split: splitDamage, Twice: twiceDamage}[l]
}

// Reproduce measures what the thesis measured, with so many transactions for each
// mean (0: 100000) and a seed (0: 1). Rows of two boards with Split and Twice are
// predictions. progress, if not nil, is called after each of the ReproduceSteps.
func Reproduce(ctx context.Context, transactions int, seed uint64, progress func()) ([]Figure, error) {
	if transactions == 0 {
		transactions = 100_000
	}
	if progress == nil {
		progress = func() {}
	}
	var list []Figure
	for _, e := range experiments() {
		for _, kind := range []Kind{KindRead, KindWrite} {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			cfg := e.cfg
			cfg.Seed = seed
			r, err := Measure(cfg, Load{Transactions: transactions, Kind: kind, Local: e.local, Rest: restClocks})
			if err != nil {
				return nil, err
			}
			progress()
			if kind == KindRead {
				list = append(list, figure(e.env, "read_clk", r.MeanRead(), e.read))
			} else {
				list = append(list, figure(e.env, "write_clk", r.MeanWrite(), e.write))
			}
			if e.retries != 0 && kind == KindRead {
				list = append(list, figure(e.env, "retries_percent", 100*r.RetriesEach(), e.retries))
			}
		}
	}
	programs, err := programFigures()
	return append(list, programs...), err
}

// ReproduceSteps is how often Reproduce tells of progress.
const ReproduceSteps = 2 * 8

// restClocks are between accesses: a local write that follows another at once waits for
// the MBus data control, and takes 8 clocks.
const restClocks = 20

// experiment is a row of the thesis's tables. 0: it prints no figure.
type experiment struct {
	env         string
	cfg         Config
	local       bool
	read, write float64
	retries     float64 // percent, computed
}

func experiments() []experiment {
	return []experiment{
		{env: "local", cfg: Config{Boards: 1}, local: true, read: 27, write: 5},
		{env: "loop/96", cfg: Config{Link: Burst, Loop: true}, read: 131, write: 112},
		{env: "loop/96 with errors", cfg: Config{Link: Burst, Loop: true, Damage: loopDamage}, read: 133.5, write: 114.3},
		{env: "loop/32", cfg: Config{Link: Split, Loop: true}, read: 150, write: 131},
		{env: "loop/twice", cfg: Config{Link: Twice, Loop: true}, read: 187, write: 168},
		{env: "two/96", cfg: Config{Link: Burst, Damage: burstDamage}, read: 229.7, write: 194.1, retries: 74.0},
		{env: "two/32", cfg: Config{Link: Split, Damage: splitDamage}},
		{env: "two/twice", cfg: Config{Link: Twice, Damage: twiceDamage}},
	}
}

func figure(env, quantity string, model, paper float64) Figure {
	f := Figure{Env: env, Quantity: quantity, Model: model}
	if paper != 0 {
		f.Paper = &paper
	}
	return f
}

// programFigures are what a program pays for an access to its own board.
func programFigures() (list []Figure, err error) {
	for _, e := range []struct {
		env         string
		call        bool
		read, write float64
	}{{"program", false, 0.96, 0.44}, {"program with a system call", true, 4.28, 3.36}} {
		m, err := New(Config{Boards: 1, SystemCall: e.call})
		if err != nil {
			return nil, err
		}
		err = m.Run(func(b *Board) error {
			start := b.Now()
			if err := b.Write(At(0, 0), 1); err != nil {
				return err
			}
			written := b.Now()
			b.Spend(1000) // the SSRAM is written
			begin := b.Now()
			if _, err := b.Read(At(0, 0)); err != nil {
				return err
			}
			list = append(list, figure(e.env, "read_us", float64(b.Now()-begin)/float64(Clock)/50, e.read),
				figure(e.env, "write_us", float64(written-start)/float64(Clock)/50, e.write))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}
