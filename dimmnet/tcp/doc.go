// Package tcp is TODO
package tcp
