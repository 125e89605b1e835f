// Command tasks counts the ways to place queens on a chess board so that none attacks another.
//
//	go run . --nodes 4 --mode threaded --size 12
//
// A task is a board with queens in its first rows. In the first rows each way to place the next
// queen is a new task of the parts.Pool; below them a rank counts all ways by itself. So tasks
// differ in length, and nobody knows beforehand how many there are.
package main

import (
	"flag"
	"fmt"

	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/parts"
	"github.com/fagus-dsm/fagus/fagus/program"
)

var size = flag.Int("size", 10, "a board of `N` rows and columns, at most 16")

func main() { program.App{About: "counts the ways to place queens", Run: run, Check: check}.Main() }

// check looks at the flags before any rank starts.
func check() error {
	if *size < 1 || *size > 16 {
		return fmt.Errorf("--size %d: want 1 to 16", *size)
	}
	return nil
}

// run runs once as every rank.
func run(n *fagus.Node) error {
	ways, err := queens(n, *size)
	if n.Rank() == 0 && err == nil {
		fmt.Println(ways, "ways")
	}
	return err
}

// board has a bit for each column that is taken in the next row: by a queen above, and by queens
// diagonally to the left and right.
type board struct{ Row, Above, Left, Right uint32 }

// queens returns the number of ways on a board of so many rows and columns.
func queens(n *fagus.Node, size int) (ways int, err error) {
	tasks, err := parts.NewPool[board](n, "boards", 1000)
	if err != nil {
		return 0, err
	}
	var first []board
	if n.Rank() == 0 {
		first = []board{{}}
	}
	steps := 0
	err = tasks.Each(first, func(b board, add func(board)) error {
		if int(b.Row) < min(3, size) {
			b.each(size, add)
			return nil
		}
		before := steps
		ways += b.count(size, &steps)
		n.Spend(fagus.Time(steps-before) * 10 * fagus.Nanosecond) // on a simulated network
		return nil
	}, parts.Exchange{})
	if err != nil {
		return 0, err
	}
	return fagus.Reduce(n, ways, func(a, b int) int { return a + b })
}

// each calls f with the board after each possible queen in the next row.
func (b board) each(size int, f func(board)) {
	for column := range size {
		if bit := uint32(1) << column; (b.Above|b.Left|b.Right)&bit == 0 {
			f(board{b.Row + 1, b.Above | bit, (b.Left | bit) << 1, (b.Right | bit) >> 1})
		}
	}
}

// count returns the number of ways to complete the board.
func (b board) count(size int, steps *int) (ways int) {
	if *steps++; int(b.Row) == size {
		return 1
	}
	b.each(size, func(next board) { ways += next.count(size, steps) })
	return ways
}
