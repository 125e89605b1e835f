/*
 * The sleeping threads of a node (dimmnet/live/stream, wait.go): one of them, the leader,
 * sleeps in the poll and serves the peers for all. README.md says how to run it.
 *
 * Threads 0 and 1 idle until 1 and 2 arrivals have come. Thread 2 waits for an event. One
 * arrival is a Store of the own rank, the other comes through the stream. No sleep has a
 * bound, so a lost wake-up is a deadlock.
 *
 *	FAIL     1: the run may fail at any step, and ends
 *	MISTAKE  0, or one of the planted mistakes below
 */
#ifndef FAIL
#define FAIL 0
#endif
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define POLLS_FIRST   (MISTAKE == 1) /* a thread polls before it is counted, and not again */
#define WAKES_FIRST   (MISTAKE == 2) /* the threads are woken before the arrival is counted */
#define WAKES_ONE     (MISTAKE == 3) /* of the threads that are due, one is woken */
#define NO_SUCCESSOR  (MISTAKE == 4) /* the leader leaves, and wakes no other thread to lead */
#define TAKES_WAKEUP  (MISTAKE == 5) /* a Wait for 0 takes the wake-up of the leader */
#define ASLEEP_LATE   (MISTAKE == 6) /* the leader unlocks before it says that it sleeps */
#define FAILS_QUIETLY (MISTAKE == 7) /* neither the failure nor the end wakes the leader */
#define SETTLES_EARLY (MISTAKE == 8) /* the end waits in the poll beside the leader */
#define CLOSES_EARLY  (MISTAKE == 9) /* the poll is closed while the leader is in it */
#define MISTAKES 9
#define FAILS (FAIL || MISTAKE >= 7)

#define THREADS 3
#define NONE 255

bit mu, engine;           /* locks */
byte leader = NONE;
bit leaderAsleep;
byte count;               /* sleeperCount */
bit listed[THREADS];      /* the thread is in sleepers */
bit waiting[THREADS];     /* the thread is in Cond.Wait */
bit closerWaits;          /* in leaderLeft.Wait */
byte arrivals;
byte seen[THREADS];
bit event;
bit token;                /* a wake-up of the poll */
bit bytes;                /* the stream can be read */
bit err, closed;

#define lock(m)   atomic { m == 0 -> m = 1 }
#define unlock(m) m = 0
#define due(t)    ((t < 2 && arrivals != seen[t]) || (t == 2 && event))

inline wake(t) { /* mu is held */
	if
	:: t != leader -> waiting[t] = 0
	:: t == leader && leaderAsleep -> token = 1
	:: else
	fi
}

inline wakeDue(t) {
	if
	:: count == 0
	:: else ->
		atomic { /* one step: what it changes is guarded by mu, or is polled again */
			mu == 0;
			t = 0;
			do
			:: t == THREADS -> break
			:: t < THREADS && listed[t] && due(t) ->
				wake(t);
				if
				:: WAKES_ONE -> break
				:: else -> t++
				fi
			:: else -> t++
			od;
			t = 0
		}
	fi
}

inline arrive(t) {
	if
	:: WAKES_FIRST -> wakeDue(t); arrivals++
	:: else -> arrivals++; wakeDue(t)
	fi
}

inline serve(t) {
	lock(engine);
	if
	:: bytes && !closed -> bytes = 0; arrive(t)
	:: else
	fi;
	unlock(engine)
}

inline lead(self, t) { /* mu is held */
	leader = self;
	if
	:: ASLEEP_LATE -> unlock(mu); leaderAsleep = 1
	:: else -> atomic { leaderAsleep = 1; unlock(mu) }
	fi;
	atomic { bytes || token -> token = 0; assert(!closed) }
	leaderAsleep = 0;
	serve(t);
	atomic {
		mu == 0;
		mu = 1;
		leader = NONE;
		closerWaits = 0 /* Broadcast */
	}
}

inline sleep(self, t) { /* mu is held */
	listed[self] = 1;
	count++;
	do
	:: (due(self) || err) && !unpolled -> break
	:: else ->
		unpolled = 0;
		if
		:: leader == NONE -> lead(self, t)
		:: else -> atomic { waiting[self] = 1; unlock(mu) } waiting[self] == 0; lock(mu)
		fi
	od;
	count--;
	atomic {
		listed[self] = 0;
		if
		:: leader == NONE && !NO_SUCCESSOR ->
			if
			:: listed[0] -> waiting[0] = 0
			:: listed[1] -> waiting[1] = 0
			:: listed[2] -> waiting[2] = 0
			:: else
			fi
		:: else
		fi
	}
}

proctype idle(byte self, need) {
	byte t;
	bit unpolled;
	do
	:: seen[self] = arrivals;
		if
		:: seen[self] >= need || err -> break
		:: else
		fi;
		if
		:: POLLS_FIRST && !due(self) -> unpolled = 1
		:: POLLS_FIRST && due(self) -> goto next
		:: else
		fi;
		lock(mu);
		sleep(self, t);
		unlock(mu);
next:		unpolled = 0
	od
}

proctype waiter() {
	byte t;
	bit unpolled;
	lock(mu);
	sleep(2, t);
	unlock(mu)
}

proctype setter() { /* Event.Set */
	atomic {
		mu == 0;
		event = 1;
		if
		:: listed[2] -> wake(2)
		:: else
		fi
	}
}

proctype own() { byte t; arrive(t) } /* a Store to the own rank */

proctype sender() { bytes = 1 }

proctype reader() { /* a thread that polls the streams, and does not sleep */
	byte t;
	if
	:: TAKES_WAKEUP -> token = 0
	:: else
	fi;
	if
	:: atomic { engine == 0 -> engine = 1 }
		if
		:: bytes && !closed -> bytes = 0; arrive(t)
		:: else
		fi;
		unlock(engine)
	:: true
	fi
}

inline awaitLeader() {
	lock(mu);
	do
	:: leader == NONE -> break
	:: else ->
		if
		:: FAILS_QUIETLY || SETTLES_EARLY
		:: else -> wake(leader)
		fi;
		atomic { closerWaits = 1; unlock(mu) } closerWaits == 0; lock(mu)
	od;
	unlock(mu)
}

proctype failure() {
	atomic {
		mu == 0;
		err = 1;
		waiting[0] = 0; waiting[1] = 0; waiting[2] = 0;
		if
		:: leader != NONE && !FAILS_QUIETLY -> token = 1
		:: else
		fi
	}
	/* settle */
	if
	:: SETTLES_EARLY || CLOSES_EARLY
	:: else -> awaitLeader()
	fi;
	token = 0; /* serveUntil waits in the poll */
	/* close */
	if
	:: CLOSES_EARLY
	:: else -> awaitLeader()
	fi;
	lock(engine);
	closed = 1;
	unlock(engine)
}

init {
	atomic {
		run idle(0, 1);
		run idle(1, 2);
		run waiter();
		run sender();
		run reader();
		if
		:: FAILS -> run failure() /* may come before the rest, so the rest does not come */
		:: else -> run own(); run setter()
		fi
	}
}
