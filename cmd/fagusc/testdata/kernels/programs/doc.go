// Package programs contains whole programs for package fagusc: each calls several functions of
// which fagusc generates parallel versions, in a loop over time steps, with arrays that stay
// distributed (region.Resident).
//
//   - [Water]: the shallow water equations, by finite differences on a staggered grid.
//   - [Lattice]: a flow around obstacles, by the lattice Boltzmann method.
//   - [Means]: clusters of points, by Lloyd's algorithm. Its model is a value of an array type: all
//     ranks have it, and add their parts.
//   - [Gradients]: a sparse system of equations, by the method of conjugate gradients.
//
// All ranks call a program. The slices of rank 0 are the input, and receive the output; those of
// other ranks have the same lengths, and do not change. All other arguments are equal on all ranks.
//
//	_, err := fagus.Run(ctx, fagus.Config{Nodes: 4}, func(node *fagus.Node) error {
//		return programs.Water(node, u, v, p, h, w, steps)
//	})
//
// Package byhand contains the same programs without fagusc. It compares results and costs.
package programs
