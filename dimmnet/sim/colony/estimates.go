package colony

import "github.com/fagus-dsm/fagus/dimmnet"

// model returns the model's figure of an env and quantity that list must contain.
func model(list []Figure, env, quantity string) float64 {
	for _, f := range list {
		if f.Env == env && f.Quantity == quantity {
			return f.Model
		}
	}
	panic("colony: no figure " + quantity + " of " + env)
}

// callFigures returns the thesis's total of a remote read with a system call, in us, and the call's
// share of it. The thesis adds what the call adds to a local read, 4.28 - 0.96 us, to the mean of
// 206 clocks on the bus. It leaves out the 0.42 us that a program takes for a read without a call.
func callFigures(list []Figure) []Figure {
	const env = "two/twice with a system call"
	const us = float64(Clock) / float64(dimmnet.Microsecond)
	call := model(list, "program with a system call", "read_us") - model(list, "program", "read_us")
	total := model(list, "two/twice", "read_clk")*us + call
	figures := []Figure{figure(env, "read_us", total, 7.44), figure(env, "call_percent", 100*call/total, 45)}
	for i := range figures {
		figures[i].Left = "computed from rows above it"
	}
	return figures
}

// blockFigures returns the thesis's estimates for blocks of 32 bytes. It adds the time of seven
// more words on the link to its figures for one word.
func blockFigures(list []Figure) (figures []Figure) {
	const words = "the model's mean plus the thesis's estimate of seven more words: the model has no packets of blocks"
	for _, e := range []struct {
		env, quantity string
		link          Link
		paper         float64
		left          string
	}{
		{"two/twice", "read_clk", Twice, 318, words},
		{"two/twice", "write_clk", Twice, 297, words},
		// With the p of two boards, 131/(1-p)^2 is 229.8 and 187/(1-p)^2 is 328. 133.5/(1-p)^2 is
		// 234.2, but would count the errors of the loop too, and is a time of one word.
		{"loop/96", "read_clk", Burst, 187, "the model's mean plus the thesis's estimate; the thesis compares 187 with 234, but our notes do not say what takes 234"},
	} {
		f := figure(e.env+" block", e.quantity, model(list, e.env, e.quantity)+float64(e.link.blockClocks()), e.paper)
		f.Left = e.left
		figures = append(figures, f)
	}
	return figures
}

// blockClocks returns the thesis's estimate of how many clocks a block takes more than a word: 56,
// or 112 if each part is sent twice. It has neither gaps nor loads of copies. With those that the
// model assumes, a block would take 154 more on Twice. It also has no retries.
func (l Link) blockClocks() int { return (BlockWords - 1) * partClocks * l.copies() }
