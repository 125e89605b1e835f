// Package stepwise contains functions for package fagusc that programs call in loops of their own,
// with arrays that stay distributed (region.Resident), and for comparison the same loops as single
// functions.
package stepwise
