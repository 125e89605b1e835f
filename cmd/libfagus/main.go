// Command libfagus is the C library, built with go build -buildmode=c-shared or c-archive.
// fagus.h is its interface and api.c has its functions. They call the functions exported here on
// the calling thread; each returns a code.
package main

/*
#include "fagus.h"
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/fagus-dsm/fagus/cmd/internal/csession"
)

// own is this process as a rank. C functions get no handle, so own is a package variable.
var own process

func main() {}

//export libfagus_rank
func libfagus_rank() C.int {
	if p := own.place.Load(); p != nil {
		return C.int(p.rank)
	}
	return -1
}

//export libfagus_size
func libfagus_size() C.int {
	if p := own.place.Load(); p != nil {
		return C.int(p.size)
	}
	return -1
}

//export libfagus_init
func libfagus_init() C.int { return C.int(own.call("fagus_init", own.begin)) }

//export libfagus_finalize
func libfagus_finalize() C.int { return C.int(own.call("fagus_finalize", own.end)) }

//export libfagus_alloc
func libfagus_alloc(name *C.char, bytes C.size_t, array *unsafe.Pointer) C.int {
	return C.int(own.do("fagus_alloc", func(s csession.Calls) error {
		if name == nil || array == nil {
			return null("fagus_alloc")
		}
		if uint64(bytes) > math.MaxInt {
			return &csession.Error{Code: csession.Memory, Text: fmt.Sprintf("fagus: fagus_alloc of %d bytes: more than an address can reach", bytes)}
		}
		at, err := own.alloc(s, C.GoString(name), int(bytes))
		if err == nil {
			*array = at
		}
		return err
	}))
}

// null returns the error for a call with a null pointer.
func null(call string) error {
	return &csession.Error{Code: csession.Argument, Text: fmt.Sprintf("fagus: %s: a pointer is null", call)}
}

//export libfagus_bind
func libfagus_bind(name *C.char, ranges *C.fagus_range, count C.size_t, sync *C.fagus_sync) C.int {
	return C.int(own.do("fagus_bind", func(s csession.Calls) error {
		if name == nil || ranges == nil || sync == nil {
			return null("fagus_bind")
		}
		if uint64(count) > math.MaxInt32 {
			return &csession.Error{Code: csession.Argument, Text: fmt.Sprintf("fagus: fagus_bind with %d ranges: want at most %d", count, math.MaxInt32)}
		}
		spans := make([]csession.Span, count)
		for i, r := range unsafe.Slice(ranges, count) {
			var err error
			if spans[i], err = own.span(uintptr(r.addr), uint64(r.len)); err != nil {
				return err
			}
		}
		v, err := s.Bind(C.GoString(name), spans...)
		if err == nil {
			*sync = C.fagus_sync(v)
		}
		return err
	}))
}

//export libfagus_new_set
func libfagus_new_set(set *C.fagus_sync_set) C.int {
	return C.int(own.do("fagus_new_set", func(s csession.Calls) error {
		if set == nil {
			return null("fagus_new_set")
		}
		n, err := s.NewSet()
		if err == nil {
			*set = C.fagus_sync_set(n)
		}
		return err
	}))
}

//export libfagus_set_sync
func libfagus_set_sync(set C.fagus_sync_set, sync C.fagus_sync, mode C.fagus_mode) C.int {
	return C.int(own.do("fagus_set_sync", func(s csession.Calls) error { return s.Add(int(set), int(sync), csession.Access(mode)) }))
}

//export libfagus_set_sync_unordered
func libfagus_set_sync_unordered(set C.fagus_sync_set, sync C.fagus_sync, mode C.fagus_mode) C.int {
	return C.int(own.do("fagus_set_sync_unordered", func(s csession.Calls) error {
		return s.AddUnordered(int(set), int(sync), csession.Access(mode))
	}))
}

//export libfagus_clear_set
func libfagus_clear_set(set C.fagus_sync_set) C.int {
	return C.int(own.do("fagus_clear_set", func(s csession.Calls) error { return s.Clear(int(set)) }))
}

//export libfagus_acquire
func libfagus_acquire(set C.fagus_sync_set) C.int {
	return C.int(own.do("fagus_acquire", func(s csession.Calls) error { return s.Acquire(int(set)) }))
}

//export libfagus_release
func libfagus_release(set C.fagus_sync_set) C.int {
	return C.int(own.do("fagus_release", func(s csession.Calls) error { return s.Release(int(set)) }))
}

//export libfagus_declare_write
func libfagus_declare_write(addr unsafe.Pointer, bytes C.size_t) C.int {
	return C.int(own.do("fagus_declare_write", func(s csession.Calls) error {
		span, err := own.span(uintptr(addr), uint64(bytes))
		if err != nil {
			return err
		}
		return s.Wrote(span)
	}))
}

//export libfagus_sync_updatecache
func libfagus_sync_updatecache() C.int {
	return C.int(own.do("fagus_sync_updatecache", csession.Calls.Update))
}

//export libfagus_barrier
func libfagus_barrier() C.int { return C.int(own.do("fagus_barrier", csession.Calls.Barrier)) }

//export libfagus_fence
func libfagus_fence() C.int { return C.int(own.do("fagus_fence", csession.Calls.Fence)) }

func reduce[T any](call string, all *T, f func(csession.Calls) (T, error)) C.int {
	return C.int(own.do(call, func(s csession.Calls) error {
		if all == nil {
			return null(call)
		}
		y, err := f(s)
		if err == nil {
			*all = y
		}
		return err
	}))
}

//export libfagus_reduce_int64
func libfagus_reduce_int64(op C.fagus_op, x C.int64_t, all *C.int64_t) C.int {
	return reduce("fagus_reduce_int64", all, func(s csession.Calls) (C.int64_t, error) {
		y, err := s.ReduceInt(csession.Op(op), int64(x))
		return C.int64_t(y), err
	})
}

//export libfagus_reduce_double
func libfagus_reduce_double(op C.fagus_op, x C.double, all *C.double) C.int {
	return reduce("fagus_reduce_double", all, func(s csession.Calls) (C.double, error) {
		y, err := s.ReduceFloat(csession.Op(op), float64(x))
		return C.double(y), err
	})
}

//export libfagus_spend
func libfagus_spend(ns C.int64_t) C.int {
	return C.int(own.do("fagus_spend", func(s csession.Calls) error { return s.Spend(int64(ns)) }))
}

// write copies text to a C buffer of size bytes: cut if it is too long, with a final 0 byte.
func write(to *C.char, size C.size_t, text string) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(to)), size)
	bytes[copy(bytes[:size-1], text)] = 0
}

//export libfagus_strerror
func libfagus_strerror(code C.int, to *C.char, size C.size_t) {
	text := "unknown code"
	if c := csession.Code(code); c >= csession.OK && c <= csession.Internal {
		text = c.String()
	}
	write(to, size, text)
}

//export libfagus_last_error
func libfagus_last_error(to *C.char, size C.size_t) {
	text := ""
	if last := own.err.Load(); last != nil {
		text = *last
	}
	write(to, size, text)
}
