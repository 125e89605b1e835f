// Package program declares the functions of the real package that the rules know.
package program

import (
	"github.com/fagus-dsm/fagus/fagus"
	"github.com/fagus-dsm/fagus/fagus/cluster"
)

type App struct {
	Run  func(n *fagus.Node) error
	Name string
}

func Main(run func(n *fagus.Node) error, drivers ...cluster.Driver) { App{Run: run}.Main() }

func (a App) Main() {}
