package pmi

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// store makes the requests of one of the two protocols.
type store struct {
	name   string // of the job's key-value store; for PMI-1 only
	value  int    // maximum length of a value in bytes
	frames bool   // PMI-2
}

const (
	// maxName bounds the name of a store or a job in bytes. Launchers permit 256 or fewer.
	maxName = 256
	// frameValue is the maximum length of a value with PMI-2, which has no request for it: 1024
	// with the byte that ends it in C.
	frameValue = 1023
)

// verb is the command of a request in both protocols.
type verb struct {
	line, answer string // PMI-1, with the command of the answer
	frame        string // PMI-2, where the answer adds "-response"
}

func (s *store) exchange(doing string, within time.Duration, v verb, pairs ...pair) exchange {
	if s.frames {
		return exchange{doing: doing, within: within, request: formatFrame(message{v.frame, pairs}), answer: v.frame + "-response"}
	}
	return exchange{doing: doing, within: within, request: formatLine(message{v.line, pairs}), answer: v.answer}
}

// in returns the pairs of a request about a key.
func (s *store) in(pairs ...pair) []pair {
	if s.frames {
		return pairs
	}
	return append([]pair{{"kvsname", s.name}}, pairs...)
}

func (s *store) put(key, value string) exchange {
	return s.exchange("putting "+key+" into the launcher's store", answerTime,
		verb{"put", "put_result", "kvs-put"}, s.in(pair{"key", key}, pair{"value", value})...)
}

func (s *store) get(key string) exchange {
	return s.exchange("getting "+key+" from the launcher's store", answerTime,
		verb{"get", "get_result", "kvs-get"}, s.in(pair{"key", key})...)
}

// found returns the value in an answer to get.
func found(m message) (string, error) {
	value, ok := m.get("value")
	if is, _ := m.get("found"); !ok || is == "FALSE" {
		return "", errors.New("the store has no such key: all ranks must make the same calls")
	}
	return value, nil
}

// setLimits sets the maximum length of a value of PMI-1, given the launcher's limits in bytes.
func (s *store) setLimits(key, value int) error {
	line := len(s.put(strings.Repeat("0", maxKey), "").request)
	s.value = min(value-1, ownLine-line) // one byte ends a value in C
	if key < maxKey || s.value < minValue {
		return fmt.Errorf("the launcher permits keys of %d bytes and values of %d: want at least %d and %d", key, value, maxKey, minValue+1)
	}
	return nil
}
