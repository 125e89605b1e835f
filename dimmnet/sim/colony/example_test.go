package colony_test

import (
	"fmt"

	"github.com/fagus-dsm/fagus/dimmnet"
	"github.com/fagus-dsm/fagus/dimmnet/sim/colony"
)

// Board 0 writes a word of board 1, whose program polls for it.
func ExampleMachine() {
	m, err := colony.New(colony.Config{Damage: 0.245, Seed: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	mail := colony.At(1, 7)
	err = m.Run(
		func(b *colony.Board) error { return b.Write(mail, 42) },
		func(b *colony.Board) error {
			for {
				v, err := b.Read(mail)
				if err != nil || v != 0 {
					fmt.Printf("%d within 20 us: %t\n", v, b.Now() < 20*dimmnet.Microsecond)
					return err
				}
			}
		})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 42 within 20 us: true
}
