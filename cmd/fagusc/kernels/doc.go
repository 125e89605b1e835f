// Package kernels has loops that fagusc makes parallel, and shows what comes out.
package kernels

//go:generate go run .. --spend 1ns
