// Limits of what reads: how much runs beside the sockets, and how long a reading thread may take (server/threads).

/** Emails that an Email/get names at most and is still little work (jmap/type/weight.ts): 100 rows of a list take 1 ms. */
export const FEW_EMAILS = 100
/** Emails of which bodies or header fields are asked for: 100 ordinary ones take some 4 ms; a guard diverts what takes longer. */
export const FEW_EMAILS_WITH_BODIES = 100
/** Emails whose deliveries are read together: with all recipients that they may have (MAX_RECIPIENTS) these are 2,000 rows. */
export const DELIVERIES_AT_ONCE = 20
/** Rows of a list that may be skipped: 1,000 take 0.1 ms. */
export const NEAR_POSITION = 1_000

/** Threads that read when the operator names no number: one long query leaves one for the others. */
export const READING_THREADS = 2
export const READING_THREADS_MAX = 16
/** Requests that one of them runs at a time where the database or the blobs are over the network: most of their time they wait. */
export const READS_PER_THREAD = 8
/** Milliseconds that a request may run in one of them. A scan of a million messages takes half of it. */
export const READ_MS = 15_000
/** Milliseconds after that until a thread counts as lost: a single step of the database can outlast the deadline. */
export const READ_GRACE_MS = 2_000
/** The same for a request that also writes: most of its time it waits for the writer. A hundred messages on a busy machine take some ten seconds. */
export const WRITE_GRACE_MS = 105_000
/** Milliseconds that a request may wait for a thread: two long ones are before it. */
export const READ_WAIT_MS = 30_000
/** Milliseconds without work after which a reading thread ends, and gives its memory back. */
export const READER_IDLE_MS = 30_000
/** Threads that may be lost to a statement that does not end, beside those that work. */
export const READERS_LOST_MAX = 2

/** Milliseconds that a read may keep the thread of the sockets at a time; after that it is restarted in a reading thread. */
export const HERE_TURN_MS = 20
/** Milliseconds of all requests in one turn of the event loop, after which further ones wait for the next: some ten pages of a list. */
export const HERE_FULL_MS = 10
/** Milliseconds of its work there, in all, after which that happens in any case. */
export const HERE_MS = 200
/** Octets of messages that one request may decode beside the sockets: 50 ordinary messages are half of it, and take 2 ms. */
export const HERE_MAX_BYTES = 1_048_576
/** Milliseconds for which, after one request was restarted, the credential's requests of this kind start in a reading thread. */
export const DIVERTED_MS = 10_000
/** Kinds from which on all requests of the credential do, unless they are little. */
export const DIVERTED_KINDS = 4
/** Credentials that are remembered so. */
export const DIVERTED_MAX = 1_000
/** KiB of SQLite's page cache in a reading thread. It maps no file: pages of a scan would count as its memory. */
export const READER_CACHE_KIB = 16_384
/** Milliseconds that stop() leaves to long reads under way. */
export const READS_STOP_MS = 4_000
/** Milliseconds that reading threads have to end after STOP_MS. */
export const READS_END_MS = 500

/** Octets of one response: 30 times what any list needs, and the bodies of some hundred ordinary messages. A thread holds twice as many while it writes one. */
export const ANSWER_MAX_BYTES = 33_554_432
/** Octets of responses of one credential that have not been sent, with those that reading threads are making for it. */
export const UNSENT_MAX_BYTES = 67_108_864
/** The same of all credentials: what the process has room for. */
export const UNSENT_ALL_MAX_BYTES = 268_435_456
/**
 * Octets of an answer that a long read may make beside others. One with a larger answer takes up to 150 MiB meanwhile: it is begun again
 * when no other such read runs.
 */
export const READ_BULK_BYTES = 4_194_304
/** Long reads of one credential at a time. */
export const READS_PER_CREDENTIAL = 2
/** MiB of heap of a reading thread: a response, what it is made of, and the largest request. */
export const READER_HEAP_MIB = 384

/** Characters of an answer that a reading thread passes as objects: a thread takes some ten milliseconds to receive them and write them as JSON. */
export const LARGE_OBJECT_CHARS = 2_097_152
/** Threads that execute large requests of REST: while one waits for the writer, another reads its JSON. */
export const LARGE_REQUEST_THREADS = 2
/** MiB of heap of one: the largest body as text of two octets a character, what it says, and the answer. */
export const LARGE_REQUEST_HEAP_MIB = 512

/** Emails that have come since the keys of a sort were made, and are sorted anew by each query: 500 take some 2 ms. */
export const SORT_TAIL_MAX = 1_000
/** From so many on new emails get their keys, before they are too many. */
export const SORT_TAIL_KEYS = 200
/** Emails that get keys in one unit of work: it takes 5 to 10 ms, and holds up other writes. */
export const SORT_KEYS_SLICE = 500
/** Emails of an account up to which it is sorted without keys. */
export const SORT_WITHOUT_KEYS = 1_000
/** Niceness of reading threads: on few cores the threads of the sockets and of the writer come first. */
export const READER_NICENESS = 10
/** MiB for new objects of a thread that works on large messages. Without a bound they take up to 200 after work that makes much garbage. */
export const THREAD_YOUNG_MIB = 12
/** The same of a reading thread: half of the thread of the sockets (server/posthouse), where lists are made. */
export const READER_YOUNG_MIB = 48
/** The same of the writer thread: with 12 it collects three times as often, 4 % of the CPU of a message that is sent; with 48 newsletters need 23 MiB more. */
export const WRITER_YOUNG_MIB = 24
/** Milliseconds for which an answer of the store shows that it answers: within it /readyz and the REST status do not ask it again. */
export const READY_REMEMBERED_MS = 100
/** Octets of downloads after which the memory of those that were sent is given back: it takes the thread of the sockets a millisecond or two. */
export const DOWNLOAD_PASSING_BYTES = 8_388_608
/** Octets of an encoded part from which on it is decoded piece by piece: whole and decoded it would be in memory 1.75 times. */
export const PART_IN_PIECES_MIN_BYTES = 16_777_216
/** Ids of objects that are kept to make ids of their instances: 1 MB, for more series than people have. */
export const INSTANCE_IDS_KEPT = 10_000
/** Minutes whose texts are kept to make ids of instances: 1 MB, for each quarter of an hour of three months. */
export const INSTANCE_MINUTES_KEPT = 10_000
