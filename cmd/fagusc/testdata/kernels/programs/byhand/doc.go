// Package byhand contains the programs of package programs as an expert in Fagus would write them,
// for comparison with the output of fagusc. They have the same contracts, and call the same
// sequential kernels on their parts.
//
//   - Water and Lattice have rows of shared arrays (type strips), of which one variable guards
//     what the rank above reads, and one what the rank below reads, of all arrays together. A
//     step of Water takes two phases, as in other parallel versions of this scheme. One would
//     suffice if ranks computed the fluxes at the edges of their rows twice; neither version
//     does. A step of Lattice takes one.
//   - Means keeps points private, and adds vectors by parts.Sums: once a step.
//   - Gradients keeps rows of the matrix private, and shares the direction by parts.Whole. It has a
//     random matrix, so that nearly all ranks need nearly all elements of the direction.
//
// The functions are in test files, because only the tests call them. TestTable compares whole
// runs and makes the table in docs/guide/fagusc.md; TestStep compares steps; BenchmarkLive measures
// live ranks.
package byhand
