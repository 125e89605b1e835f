/*
 * The two rings of a link and the poll of its node (dimmnet/live/pump, ring.go,
 * link.go, poll.go): a goroutine fills one ring and another empties the other, while a thread
 * sleeps in the poll until it can read or write. A second thread posts. README.md says how to
 * run it. Both rings hold one byte, and no sleep has a bound.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define WAKES_FIRST  (MISTAKE == 1) /* the poll is woken before the byte is in the ring */
#define LATE_NOTIFY  (MISTAKE == 2) /* NotifyWritable does not check for space */
#define NO_SIGNAL    (MISTAKE == 3) /* take does not signal the goroutine */
#define POLLS_FIRST  (MISTAKE == 4) /* the goroutine polls the ring, and locks it afterwards */
#define CHECKS_FIRST (MISTAKE == 5) /* the goroutine checks for a wish to write before it drains */
#define UNBUFFERED   (MISTAKE == 6) /* a wake-up is lost if no thread waits for it */
#define TAKES_WAKEUP (MISTAKE == 7) /* a Wait for 0 takes the wake-up of the thread that waits */
#define MISTAKES 7

#define BYTES 3 /* that each side sends */

byte in, out;          /* bytes in the rings, 0 or 1 */
bit receiverWaits, senderWaits; /* the goroutine is in Cond.Wait */
bit notifies;
bit token;             /* woken contains an element */
bit selects;           /* the thread waits for an element */
byte taken, sent;      /* bytes that have gone through the rings */
byte gathered;         /* bytes that are to be put into the outgoing ring */
bit outbox;            /* lock */

#define readable (in > 0)
#define writable (notifies && out == 0)

inline Wake() {
	atomic {
		if
		:: UNBUFFERED && !selects
		:: else -> token = 1
		fi
	}
}

proctype receive() { /* link.receive */
	byte i;
	for (i : 1 .. BYTES) {
		atomic { /* waitFree */
			if
			:: in > 0 -> receiverWaits = 1
			:: else
			fi
		}
		receiverWaits == 0;
		if
		:: WAKES_FIRST -> Wake(); in++
		:: else -> in++; Wake()
		fi
	}
}

proctype send() { /* link.send */
end:	do
	:: if /* waitBytes */
		:: POLLS_FIRST ->
			if
			:: out == 0 -> senderWaits = 1
			:: else
			fi
		:: else ->
			atomic {
				if
				:: out == 0 -> senderWaits = 1
				:: else
				fi
			}
		fi;
end2:		senderWaits == 0;
		if
		:: CHECKS_FIRST ->
			if
			:: writable -> Wake()
			:: else
			fi;
			out--
		:: else -> /* drained */
			out--;
			if
			:: writable -> Wake()
			:: else
			fi
		fi;
		sent++
	od
}

inline flush() { /* outbox.flush */
	atomic { outbox == 0 -> outbox = 1 }
	do
	:: gathered == 0 -> notifies = 0; break
	:: atomic { gathered > 0 && out == 0 -> out++; gathered--; senderWaits = 0 }
	:: gathered > 0 && out > 0 ->
		notifies = 1;
		if
		:: !LATE_NOTIFY && writable -> Wake()
		:: else
		fi;
		break
	od;
	outbox = 0
}

proctype post() {
	byte i;
	for (i : 1 .. BYTES) {
		gathered++;
		flush();
		if
		:: TAKES_WAKEUP -> token = 0
		:: else
		fi
	}
}

proctype leader() {
end:	do
	:: if
		:: readable || writable
		:: else ->
			selects = 1;
end2:			atomic { token -> token = 0; selects = 0 }
		fi;
		atomic { /* take */
			if
			:: in > 0 ->
				in--;
				taken++;
				if
				:: !NO_SIGNAL -> receiverWaits = 0
				:: else
				fi
			:: else
			fi
		}
		if
		:: gathered > 0 -> flush()
		:: else
		fi
	od
}

init {
	atomic { run receive(); run send(); run post(); run leader() }
	timeout -> assert(taken == BYTES && sent == BYTES)
}
