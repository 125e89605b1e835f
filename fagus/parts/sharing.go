package parts

import (
	"math"

	"github.com/fagus-dsm/fagus/fagus"
)

// report is what a rank says when ranks meet: the number of batches that it has done since the
// last meeting, or of tasks that it has, and how long it has worked since then.
type report struct {
	count int
	busy  fagus.Time
}

// word encodes a report in 8 bytes, with the time as a float32.
func (r report) word() uint64 {
	return uint64(r.count)<<32 | uint64(math.Float32bits(float32(r.busy)))
}

func reportOf(word uint64) report {
	return report{int(word >> 32), fagus.Time(math.Float32frombits(uint32(word)))}
}

// deal is what every rank knows of the batches of a queue. It is equal on all ranks.
type deal struct {
	ranks int
	open  []int // the batches that are not done. Batch open[i] is dealt to rank i mod ranks.
	limit fagus.Time
}

func newDeal(lo, hi, ranks int) *deal {
	d := &deal{ranks: ranks, open: make([]int, hi-lo), limit: 1}
	for i := range d.open {
		d.open[i] = lo + i
	}
	return d
}

// hand returns the batches of a rank in the order in which it does them, and how long it works on
// them before all meet again. It does at least one. The first time nobody knows how long a batch
// takes, and each rank does one.
func (d *deal) hand(rank int) (batches []int, limit fagus.Time) {
	for i := rank; i < len(d.open); i += d.ranks {
		batches = append(batches, d.open[i])
	}
	return batches, d.limit
}

// last reports whether each rank has at most one batch.
func (d *deal) last() bool { return d.ranks == 1 || len(d.open) <= d.ranks }

// next removes the finished batches from d, by the words of all ranks.
func (d *deal) next(words []uint64) {
	done, busy := 0, fagus.Time(0)
	counts := make([]int, len(words))
	for r, w := range words {
		report := reportOf(w)
		counts[r] = report.count
		done += report.count
		busy += report.busy
	}
	open := d.open[:0]
	for i, b := range d.open {
		if i/d.ranks >= counts[i%d.ranks] {
			open = append(open, b)
		}
	}
	d.open = open
	d.limit = math.MaxInt64 // if no time passes
	if busy > 0 {
		d.limit = max(1, busy/fagus.Time(done)*fagus.Time(len(open))*3/fagus.Time(4*d.ranks))
	}
}

// move is a number of tasks that go from one rank to another.
type move struct{ from, to, count int }

// moves returns moves that give an equal part of all tasks to every rank with less than half of
// one. held has the number of tasks by rank. A rank gives at most room tasks, and keeps an equal
// part.
func moves(held []int, room int) (list []move) {
	all := 0
	for _, count := range held {
		all += count
	}
	part := (all + len(held) - 1) / len(held)
	from, spare := -1, 0
	for to, count := range held {
		if 2*count >= part {
			continue
		}
		for lack := max(1, all/len(held)) - count; lack > 0; {
			for spare == 0 {
				if from++; from == len(held) {
					return list
				}
				spare = min(room, max(0, held[from]-part))
			}
			count := min(lack, spare)
			list = append(list, move{from, to, count})
			lack, spare = lack-count, spare-count
		}
	}
	return list
}

// pace says how long a rank works on its tasks before all meet.
type pace struct {
	limit fagus.Time // the present interval
	end   fagus.Time // when this rank ended the last interval; 0 if there was none
	least fagus.Time // the shortest time between two intervals: communication alone
}

// next chooses the next interval, which begins now, by the words of all ranks. It is twice the
// last one if ranks were busy for over 90 % of the time, and half of it if they were busy for less
// than 60 %. The first interval is the longest task. An interval is longer than communication.
func (p *pace) next(words []uint64, now fagus.Time) {
	sum, most := fagus.Time(0), fagus.Time(0)
	for _, w := range words {
		busy := reportOf(w).busy
		sum += busy
		most = max(most, busy)
	}
	if p.end == 0 {
		return
	}
	if gap := now - p.end; p.least == 0 || gap < p.least {
		p.least = gap
	}
	switch used := float64(sum) / float64(most) / float64(len(words)); {
	case p.limit == 1:
		p.limit = most
	case used > 0.9:
		p.limit *= 2
	case used < 0.6:
		p.limit /= 2
	}
	p.limit = max(p.limit, 4*p.least, 1)
}
