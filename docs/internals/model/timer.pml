/*
 * The timer that sends gathered posts (dimmnet/live/stream, setFlushTimer and flushLate):
 * posts are sent though the thread that has posted them does not call its port again, and
 * though the stream accepts no bytes at first. README.md says how to run it.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define NOT_AGAIN     (MISTAKE == 1) /* the timer is not set again for posts that remain */
#define CLEARS_LAST   (MISTAKE == 2) /* timerSet is cleared when all else is done */
#define SETS_FIRST    (MISTAKE == 3) /* the timer is set before the post is gathered */
#define MISTAKES 3

#define POSTS 2

byte gathered;  /* posts that the stream has not accepted */
bit space;      /* the stream accepts posts */
bit timerSet;
byte armed;     /* the timer will fire */

inline setTimer() {
	if
	:: atomic { timerSet == 0 -> timerSet = 1 } armed = 1 /* two steps: CompareAndSwap, Reset */
	:: else
	fi
}

inline flush() {
	atomic {
		if
		:: space -> gathered = 0
		:: else
		fi
	}
}

proctype thread() {
	byte i;
	for (i : 1 .. POSTS) {
		if
		:: SETS_FIRST -> setTimer(); gathered++
		:: else -> gathered++; setTimer()
		fi
	}
}

proctype timer() {
end:	do
	:: atomic { armed -> armed = 0 }
		if
		:: !CLEARS_LAST -> timerSet = 0
		:: else
		fi;
		flush();
		if
		:: gathered > 0 && !NOT_AGAIN -> setTimer()
		:: else
		fi;
		if
		:: CLEARS_LAST -> timerSet = 0
		:: else
		fi
	od
}

proctype peer() { space = 1 }

init {
	atomic { run thread(); run timer(); run peer() }
	timeout -> assert(gathered == 0)
}
