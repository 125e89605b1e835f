//go:build !unix

package launch

import (
	"errors"
	"net"
	"os"
)

// socketPair returns an error: only Unix systems have pairs of sockets.
func socketPair() (net.Conn, *os.File, error) {
	return nil, nil, errors.New("a simulation for ranks in other processes needs a Unix system")
}
