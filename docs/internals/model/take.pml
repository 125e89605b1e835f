/*
 * How a rank takes a variable from its owner without a message, and how the owner closes the
 * variable before it uses it (fagus/threaded, take.go and gate.go). README.md says how to run it.
 *
 * Node 0 owns the variable at first, and nodes 1 and 2 take it. A store lands some time after it
 * was posted; the stores of one node land in order. A Pull reads word after word. When a node has
 * taken the variable, node 0 gets it back by a request, which is one step here.
 */
#ifndef MISTAKE
#define MISTAKE 0
#endif

#define NO_CLAIMS     (MISTAKE == 1)  /* the taker does not pull the claims */
#define RECORD_FIRST  (MISTAKE == 2)  /* the taker pulls the record before the claims */
#define NO_WAIT       (MISTAKE == 3)  /* the owner does not wait for claims */
#define NO_LANDING    (MISTAKE == 4)  /* the owner does not wait until the record is closed */
#define NOT_STORED    (MISTAKE == 5)  /* the taker does not store that it has taken */
#define OPENS_EARLY   (MISTAKE == 6)  /* the owner opens the record while it holds the variable */
#define STALE         (MISTAKE == 7)  /* the taker does not compare the version of its copy */
#define TORN          (MISTAKE == 8)  /* the Pull that shows the own claim counts for the others */
#define NO_NUMBER     (MISTAKE == 9)  /* all claims on a variable are the same word */
#define OLD_CLOSED    (MISTAKE == 10) /* the owner closes the record before its opening has landed */
#define ALL_WITHDRAWN (MISTAKE == 11) /* the claim is withdrawn before taken is stored */
#define MISTAKES 11

#define NODES 3
#ifndef ROUNDS
#define ROUNDS 2 /* tenures of node 0 */
#endif
#ifndef TRIES
#define TRIES 2  /* of nodes 1 and 2 */
#endif

/* The words in the LLCM of node 0. */
byte openVersion, openWritten; bit openClosed;
byte takenVersion, takenBy;
byte claim[NODES];

mtype = { OPEN, CLOSED, TAKEN, CLAIM };
chan stores[NODES] = [3] of { mtype, byte, byte }; /* by node: posted to node 0, not landed */

/* What the nodes know. */
byte have[NODES];    /* the version of the copy */
byte hint[NODES];    /* nodes 1 and 2: the version in which node 0 was the owner */
bit owns[NODES];
byte version[NODES]; /* at the owner */
byte written[NODES]; /* at the owner: the last version that changed the content */

/* What is true. */
bit held;
byte last;           /* the version of the last tenure */
bit fresh[NODES];    /* the copy has the newest content */

/* begin checks that a tenure may begin: it excludes all others, and its version is new. */
inline begin(me) {
	assert(!held && version[me] == last + 1 && fresh[me]);
	held = 1;
	last = version[me]
}

inline write(me) {
	if
	:: d_step { written[me] = version[me]; fresh[0] = 0; fresh[1] = 0; fresh[2] = 0; fresh[me] = 1 }
	:: true
	fi
}

/* spread gives node r the newest copy, as a shared grant does. */
inline spread(r) {
	if
	:: d_step { have[r] = version[0]; hint[r] = version[0]; fresh[r] = 1 }
	:: true
	fi
}

proctype land(byte from) {
	byte a, b;
end:	do
	:: atomic {
		stores[from]?OPEN(a, b) -> openVersion = a; openWritten = b; openClosed = 0; a = 0; b = 0
	   }
	:: atomic {
		stores[from]?CLOSED(a, b) -> openVersion = a; openWritten = b; openClosed = 1; a = 0; b = 0
	   }
	:: atomic { stores[from]?TAKEN(a, b) -> takenVersion = a; takenBy = b; a = 0; b = 0 }
	:: atomic { stores[from]?CLAIM(a, b) -> claim[from] = a; a = 0 }
	od
}

proctype owner() {
	byte round, one, two, t;
	for (round : 1 .. ROUNDS) {
		/* closeRecord */
		if
		:: OLD_CLOSED
		:: else -> openVersion == version[0] && !openClosed
		fi;
		stores[0]!CLOSED(version[0], written[0]);
		if
		:: NO_LANDING
		:: else -> openVersion == version[0] && openClosed
		fi;
		/* awaitClaims */
		one = claim[1];
		two = claim[2];
		if
		:: NO_WAIT
		:: else -> one == 0 || claim[1] != one; two == 0 || claim[2] != two
		fi;
		/* endShut */
		if
		:: atomic { takenVersion > version[0] -> have[0] = version[0]; owns[0] = 0; t = takenBy }
			atomic { /* the request, and its grant with the data */
				owns[t] && !held ->
				owns[t] = 0;
				have[t] = version[t];
				hint[t] = version[t] + 1;
				version[0] = version[t] + 1;
				written[0] = written[t];
				fresh[0] = 1;
				owns[0] = 1;
				begin(0)
			};
			write(0)
		:: atomic { takenVersion <= version[0] -> version[0]++; begin(0) }
			write(0)
		:: atomic { takenVersion <= version[0] -> assert(!held && fresh[0]); held = 1 } /* shared */
		fi;
		spread(1);
		spread(2);
		if
		:: OPENS_EARLY -> stores[0]!OPEN(version[0], written[0]); held = 0
		:: else -> held = 0; stores[0]!OPEN(version[0], written[0])
		fi;
		d_step { one = 0; two = 0; t = 0 }
	}
}

inline readRecord() {
	if
	:: atomic { v = openVersion; w = openWritten; closed = openClosed } t = takenVersion
	:: t = takenVersion; atomic { v = openVersion; w = openWritten; closed = openClosed }
	fi
}

proctype taker(byte me) {
	byte try, word, v, w, t, rival;
	bit closed;
	for (try : 1 .. TRIES) {
end:		!owns[me]; /* otherwise this rank needs to take nothing */
		word = (NO_NUMBER -> 1 : try);
		stores[me]!CLAIM(word, 0);
		if
		:: RECORD_FIRST -> readRecord()
		:: else
		fi;
		if
		:: NO_CLAIMS
		:: TORN -> rival = claim[3 - me]; claim[me] == word
		:: else -> claim[me] == word; rival = claim[3 - me]
		fi;
		if
		:: rival != 0
		:: else ->
			if
			:: RECORD_FIRST
			:: else -> readRecord()
			fi;
			if
			:: v < hint[me] || t > v || closed || (have[me] < w && !STALE)
			:: else ->
				atomic { version[me] = v + 1; written[me] = w; owns[me] = 1; begin(me) }
				if
				:: ALL_WITHDRAWN -> stores[me]!CLAIM(0, 0)
				:: else
				fi;
				if
				:: NOT_STORED
				:: else -> stores[me]!TAKEN(v + 1, me)
				fi;
				if
				:: ALL_WITHDRAWN
				:: else -> stores[me]!CLAIM(0, 0)
				fi;
				write(me);
				held = 0;
				goto next
			fi
		fi;
		stores[me]!CLAIM(0, 0);
next:		skip;
		d_step { rival = 0; v = 0; w = 0; t = 0; closed = 0; word = 0 }
	}
}

init {
	d_step { owns[0] = 1; fresh[0] = 1; fresh[1] = 1; fresh[2] = 1 }
	atomic {
		run land(0);
		run land(1);
		run land(2);
		run owner();
		run taker(1);
		run taker(2)
	}
}
