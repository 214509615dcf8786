// The tunables of the server: each is a named constant with its unit and the reason for its value. Code refers to these names only; the
// configuration overrides those that operators need to change.

// --- MIME (jmap/message) ---
/** Nesting of multiparts and message/rfc822 parts that the parser follows; deeper parts stay raw. */
export const MIME_MAX_DEPTH = 100
/** Parts of one message that the parser lists; the rest stays in the raw message. */
export const MIME_MAX_PARTS = 1_000
/** Octets of a message's header: a hundred times what mailers write, and it bounds what each reader of a header costs. */
export const MIME_MAX_HEADER_BYTES = 262_144
/** Fields of a message's header: mailers and lists write some fifty. */
export const MIME_MAX_HEADER_FIELDS = 1_000
/** The most that servers write in front of an incoming message: trace fields (RFC 5321 4.4) and results of checks. */
export const MIME_MAX_TRACE_BYTES = 32_768
export const MIME_MAX_TRACE_FIELDS = 8
/** Addresses, message ids or URLs of one header field: more than any mailer writes. It bounds a row. */
export const MIME_MAX_FIELD_ITEMS = 10_000
/** Depth of nested message/rfc822 parts whose text is indexed. */
export const SEARCH_MAX_NESTED_MESSAGES = 5
/** RFC 8621 4.1.4: a preview has at most this many characters. */
export const PREVIEW_MAX_CHARS = 256
/** UTF-16 units of body text of one message that are indexed. */
export const SEARCH_TEXT_MAX_CHARS = 262_144

// --- Blobs (storage/blobs) ---
/** Octets up to which a blob is stored in the database, in the transaction of its metadata (spec/measured.md, Bodies). */
export const BLOB_INLINE_MAX_BYTES = 16_384
/** Octets at which a pack file is closed and a new one started. */
export const PACK_MAX_BYTES = 268_435_456
/** Octets of one write and sync of a pack: bounds how long the first `put` of a group waits for the last. */
export const PACK_BATCH_MAX_BYTES = 33_554_432
/** Octets up to which a pack is read synchronously: a pread from the page cache takes 3 us, the thread pool 40 us. */
export const PACK_SYNC_READ_MAX_BYTES = 262_144
/** Pack files one store keeps open for reading: well below the usual 1,024 descriptors of a process. */
export const PACK_OPEN_FILES_MAX = 64
/** Minimum fraction of live octets in a pack; below it the pack is rewritten. At one half a rewrite frees as much as it copies. */
export const PACK_MIN_LIVE_SHARE = 0.5
/** Octets copied before other writes get their turn while a pack is rewritten, so that incoming mail waits little. */
export const PACK_COMPACT_STEP_BYTES = 4_194_304
/** Packs in one run of compaction: 4 GiB to read and at most 2 to copy, once an hour. */
export const PACK_COMPACT_ROUND_PACKS = 16
/** Milliseconds for which a pack without live blobs stays: a reader that has just read the old location can still use it. */
export const PACK_RETIRED_KEEP_MS = 3_600_000
/** Milliseconds for one S3 request with its response: a large blob may cross a slow line. */
export const S3_REQUEST_TIMEOUT_MS = 60_000
/** Retries of an S3 request after a timeout, a lost connection or a 5xx. */
export const S3_RETRIES = 4
/** Milliseconds before the first retry of an S3 request; doubled for each further retry. */
export const S3_BACKOFF_MS = 100
/** Concurrent S3 requests of one store: bounds sockets, and hides the latency of a batch. */
export const S3_CONCURRENCY = 16
/** Keys in one page of an S3 listing: the maximum of the services. */
export const S3_LIST_PAGE = 1_000

// --- Storage ---
/** SQLite before this version can corrupt a WAL that two connections use. */
export const SQLITE_OLDEST = '3.51.3'
/** Read connections of one process to SQLite: reads are synchronous, so more only help while a blob is read from a pack. */
export const SQLITE_MAX_READERS = 8
/** Milliseconds that one process waits while another writes to the same SQLite file (the command line beside the server). */
export const SQLITE_BUSY_MS = 5_000
/** Dynamic statements that a SQLite connection keeps prepared. */
export const SQLITE_KEPT_STATEMENTS = 200
/** Accounts whose states a store caches. */
export const STATE_MEMO_MAX_ACCOUNTS = 10_000
/** Milliseconds to open a session with PostgreSQL, or to wait for a free one of the pool. */
export const POSTGRES_CONNECT_MS = 10_000
/** Milliseconds of silence of a PostgreSQL session before TCP keepalive checks that the other side is alive. */
export const POSTGRES_KEEPALIVE_MS = 30_000
/** Milliseconds for which a writer tries to reconnect before units of work fail: a restart of the server takes less. */
export const POSTGRES_RECONNECT_MS = 2_000
/** Milliseconds for which a writer tries to find out the result of an unanswered commit. */
export const POSTGRES_OUTCOME_MS = 10_000
/** Milliseconds between the first two of these tries, and the longest between any two. */
export const POSTGRES_PAUSE_MS = 20
export const POSTGRES_PAUSE_MAX_MS = 500
/** Connections of one process that read from PostgreSQL. */
export const POSTGRES_POOL_SIZE = 16
/** Octets of one NOTIFY: PostgreSQL takes less than 8,000. */
export const POSTGRES_NOTIFY_MAX_BYTES = 7_000
/** Milliseconds between two checks that the LISTEN session is alive, and for its answer. */
export const POSTGRES_NOTIFIER_CHECK_MS = 10_000
export const POSTGRES_NOTIFIER_ANSWER_MS = 5_000
/** Milliseconds between two checks whether a statement of PostgreSQL may continue. */
export const POSTGRES_GUARD_MS = 100
/** Connections of one process that write to PostgreSQL, each with one group commit at a time. */
export const POSTGRES_WRITERS = 4
/** Units of work in one commit: bounds how long the first of them waits for the last. */
export const COMMIT_BATCH_MAX = 128
/** Retries of a unit of work after a deadlock or a lost connection. */
export const COMMIT_RETRIES = 5
/** Values in one IN list: engines bound the number of parameters. */
export const IN_LIST_MAX = 500
/** Rows of one statement that inserts many: compiled once, and its parameters stay far below the 32,766 of SQLite. */
export const ROWS_PER_INSERT = 50

// --- JMAP protocol (jmap/protocol) ---
/** The highest key of an instance in an id: the last second of the years 0 to 9999. */
export const INSTANCE_KEY_MAX = 315_569_519_999
/** Levels of arrays and objects in JSON from clients: room for a bodyStructure of MIME_MAX_DEPTH (two levels each) in an Email/set. */
export const JSON_MAX_DEPTH = 256
/** Values in JSON from clients: more than MAX_CALLS_IN_REQUEST calls need that each change MAX_OBJECTS_IN_SET objects in two members. */
export const JSON_MAX_VALUES = 130_000
/** RFC 8620 2: octets of one API request; the RFC's suggested minimum. */
export const MAX_SIZE_REQUEST = 10_000_000
/** RFC 8620 2: method calls in one API request; the suggested minimum is 16. With more, a client can start up in one request. */
export const MAX_CALLS_IN_REQUEST = 64
/** Characters of JSON that all result references of one request may carry: as many as a request may have. */
export const RESULT_REFERENCE_MAX_SIZE = 10_000_000
/** Characters of a client's text that an error message repeats. */
export const ERROR_QUOTE_MAX_CHARS = 100

// --- REST (rest) ---
/** Octets of a JSON request body (decision D1). */
export const REST_BODY_MAX_BYTES = 1_048_576
/** Octets of all request bodies that REST is receiving: three of the largest. */
export const REST_MAX_RECEIVING_BYTES = 134_217_728
/** Octets of the body of POST /v1/messages and of a reply, including attachments (decision D1). */
export const REST_MESSAGE_BODY_MAX_BYTES = 41_943_040
/** Octets of a request body up to which it is executed in the thread of the sockets. */
export const REST_HERE_MAX_BYTES = 262_144
/** Characters of messages of a batch that are sent by one call: each takes the thread that writes some 10 ms for 200,000. */
export const SEND_ROUND_CHARS = 262_144
/** Characters of cached JSON of messages for lists. */
export const REST_MESSAGE_TEXTS_CHARS = 16_777_216
/** Items of a page if the client gives no limit, and the maximum limit (decision D4). */
export const REST_PAGE_DEFAULT = 50
export const REST_PAGE_MAX = 100
/** Unknown members named in Posthouse-Warning: how many, among how many checked ones, and the characters of one. */
export const WARNING_MAX_NAMES = 10
export const WARNING_MAX_MEMBERS = 1_000
export const WARNING_NAME_MAX_CHARS = 40
/** How often a request with If-Match is tried again because something else has changed at the same time. */
export const IF_MATCH_TRIES = 20
/** Characters of a cursor: far above what any list writes. */
export const REST_CURSOR_MAX_CHARS = 4_096
/** Values of a body of which all faults are named; of a larger one only the first: the faults of 2,000 values take ten milliseconds. */
export const REST_DETAILED_VALUES_MAX = 2_000
/** Items in `details` of one error: a body with a million faults gets no million items. */
export const REST_DETAILS_MAX = 100
/** Requests per minute of one API key per tier (decision D3). */
export const REST_RATE_READ = 6_000
export const REST_RATE_WRITE = 1_200
export const REST_RATE_SEND = 600
/** Requests per minute for the verification of one domain (decision D3). */
export const REST_RATE_VERIFICATION = 1
/** Failed authentications per minute of one client address (decision D3). */
export const REST_RATE_FAILED_AUTH = 20
/** All keys of an organization together have this many times the rate of one key (decision D3). */
export const REST_RATE_ORGANIZATION_FACTOR = 5
/** Burst: this fraction of a minute's requests at once, but at least the second figure (decision D3). */
export const REST_RATE_BURST_PART = 1 / 6
export const REST_RATE_BURST_MIN = 10
/** Characters of an Idempotency-Key, and milliseconds for which its response is kept (decision D2). */
export const IDEMPOTENCY_KEY_MAX_CHARS = 255
export const IDEMPOTENCY_TTL_MS = 86_400_000
/** Milliseconds without a renewal after which another run takes over a request with a key: its process has ended. */
export const IDEMPOTENCY_LEASE_MS = 15_000
/** Milliseconds between two renewals: two of them may fail before the lease ends. */
export const IDEMPOTENCY_RENEW_MS = 5_000
/** Seconds in Retry-After of a 503. */
export const REST_RETRY_AFTER_SECONDS = 5
/**
 * Sending a message (decision D14): recipients in all, recipients of a reply (to and cc together, bcc apart: decision D13), characters
 * of a subject.
 */
export const MESSAGE_MAX_RECIPIENTS = 50
export const REPLY_MAX_RECIPIENTS = 50
export const REPLY_MAX_BCC = 50
export const MESSAGE_SUBJECT_MAX_CHARS = 998
/** Attachments of a message, octets of one decoded, octets of the whole message encoded (decision D14). */
export const MESSAGE_MAX_ATTACHMENTS = 50
export const MESSAGE_ATTACHMENT_MAX_BYTES = 26_214_400
export const MESSAGE_ENCODED_MAX_BYTES = 41_943_040
/** Octets of a message's text and html together; longer content is for an attachment. */
export const MESSAGE_BODY_MAX_CHARS = 10_485_760
/** Custom header fields of a message, and characters of one's value: RFC 5322 2.1.1 bounds a line, folding allows several. */
export const MESSAGE_MAX_HEADERS = 50
export const MESSAGE_HEADER_MAX_CHARS = 4_000
/** Message-IDs in `references`, and characters of one: RFC 5322 2.1.1. */
export const MESSAGE_MAX_REFERENCES = 100
export const MESSAGE_ID_MAX_CHARS = 998
/** Tags of a message, and characters of a tag's value (decision D14). */
export const MESSAGE_MAX_TAGS = 20
export const MESSAGE_BATCH_MAX = 100

/** Days for which the content of a deleted mailbox is kept (decision D8). */
export const MAILBOX_RETENTION_DAYS = 7
export const MAILBOX_RETENTION_MS = MAILBOX_RETENTION_DAYS * 86_400_000
export const MESSAGE_TAG_MAX_CHARS = 256
/** Milliseconds ahead that a message can be scheduled: 30 days (decision D14). */
export const MESSAGE_SCHEDULE_MAX_MS = 2_592_000_000

// --- JMAP types (jmap/type/limits.ts) ---
/** Characters of the text of a vacation response, which every reply repeats. */
export const VACATION_BODY_MAX_CHARS = 262_144
/** Octets of one upload. */
export const MAX_SIZE_UPLOAD = 50_000_000
export const MAX_CONCURRENT_UPLOAD = 8
export const MAX_CONCURRENT_REQUESTS = 32
/** RFC 8620 2 suggests at least 500 for both. */
export const MAX_OBJECTS_IN_GET = 1_000
export const MAX_OBJECTS_IN_SET = 1_000
/** Properties that one /get returns of each object: far more than any type has, because header fields can be requested by name. */
export const MAX_PROPERTIES_IN_GET = 500
/** Nesting and number of conditions of a filter, characters of a condition's text, comparators of a sort: far above what clients send. */
export const FILTER_MAX_DEPTH = 20
export const FILTER_MAX_CONDITIONS = 200
export const FILTER_MAX_TEXT_CHARS = 10_000
export const SORT_MAX_COMPARATORS = 20
/** Ids in the response of one /query. */
export const MAX_QUERY_IDS = 10_000
export const MAX_MAILBOXES_PER_EMAIL = 100
/** Decision D9 */
export const MAX_MAILBOX_DEPTH = 10
/** Octets; RFC 8621 1.3.1 demands at least 100. */
export const MAX_SIZE_MAILBOX_NAME = 255
export const MAX_SIZE_ATTACHMENTS_PER_EMAIL = 50_000_000
/** Seconds: 30 days (decision D14). */
export const MAX_DELAYED_SEND_SECONDS = 2_592_000
/** Recipients of one submission. */
export const MAX_RECIPIENTS = 100
/** Keywords of one email. */
export const MAX_KEYWORDS_PER_EMAIL = 100
/** Message ids of one email that are used to find its thread: the first and the newest are enough. */
export const THREAD_MAX_REFERENCES = 50
/** Messages indexed in one unit of work: 10 cost 290 us each, 25 160, 40 130, and a slice holds up other writes (spec/measured.md, Search index). */
export const INDEX_SLICE = 25
/** Milliseconds that less than a slice may wait for more. A search does not wait: it indexes the marked emails of its account. */
export const INDEX_GATHER_MS = 100
/** New messages whose text waits in memory for the index. */
export const PENDING_TEXTS_MAX = 4_000
/** Characters of a waiting text; longer ones are parsed again. */
export const PENDING_TEXT_MAX_CHARS = 16_384
/** Octets of unreferenced uploads of one credential in an account: twenty of the largest (RFC 8620 6 asks for one). */
export const UPLOAD_QUOTA_BYTES = 1_000_000_000
/** Number of these uploads: making room reads all of them. */
export const UPLOAD_QUOTA_BLOBS = 10_000
/** Characters of the media type of an upload: RFC 6838 4.2 allows 255, without parameters. */
export const MEDIA_TYPE_MAX_CHARS = 512
/** Sources of one blob in Blob/upload: RFC 9404 3.1 asks for at least 64. */
export const BLOB_MAX_DATA_SOURCES = 256
/** Octets that one Blob/get returns: as many as a request may have. */
export const BLOB_GET_MAX_BYTES = 10_000_000
/** Octets that one Blob/get reads for digests only. */
export const BLOB_DIGEST_MAX_BYTES = 134_217_728
/** Octets of a body part above which a download in pieces uses decoding marks; smaller parts are decoded as a whole. */
export const PART_MARK_MIN_BYTES = 1_048_576
/** Octets of content between two marks. */
export const PART_MARK_EVERY_BYTES = 262_144
/** Parts whose marks are cached; one of 50 MB has 200 of them. */
export const PARTS_REMEMBERED_MAX = 1_000
/** RFC 8620 6.1 demands at least an hour for unreferenced uploads. */
export const UPLOAD_LIFETIME_MS = 86_400_000
/** Milliseconds for which unreferenced octets stay: far longer than any unit of work that is about to refer to them. */
export const BLOB_KEEP_MS = 86_400_000
/** Milliseconds for which /changes is available: RFC 8620 5.2 asks for 30 days, this is 60. */
export const CHANGE_LOG_LIFETIME_MS = 5_184_000_000
/** Rows in one step of the sweep. */
export const SWEEP_SLICE = 500
/** Octets of the different words of one email in the search index: the limit of PostgreSQL is 1,048,575. */
export const SEARCH_WORDS_MAX_BYTES = 1_000_000
/** Emails of a mailbox up to which each is looked up in the search index (10 us each), instead of all emails that contain a word. */
export const SEARCH_EACH_MAX_EMAILS = 1_000
/** RFC 8621 5: octets of the preview of a search snippet. */
export const SNIPPET_MAX_BYTES = 255
/** Octets of an attached message in which a snippet is searched. */
export const SNIPPET_MAX_ATTACHED_BYTES = 1_048_576
/** Words of one search: far above what users type. */
export const SEARCH_MAX_WORDS = 200
/** Octets of all blobs of one Email/parse: two of the largest messages and some more. */
export const EMAIL_PARSE_MAX_BYTES = 134_217_728
/** Messages that one `header` filter reads. */
export const HEADER_FILTER_MAX_EMAILS = 50_000

// --- Secrets ---
/** argon2id for mailbox passwords: KiB of memory and passes (OWASP's first choice for interactive logins). */
export const ARGON2_MEMORY_KIB = 19_456
export const ARGON2_PASSES = 2
/** Milliseconds between two writes of a key's lastUsedAt. */
export const LAST_USED_EVERY_MS = 60_000

// --- The process (server) ---
/** Lifetime in milliseconds of a generated self-signed certificate: ten years. */
export const SELF_SIGNED_LIFETIME_MS = 315_360_000_000
/** Milliseconds for a stop; work that has not ended then is aborted and not acknowledged. */
export const STOP_MS = 9_000
/** Milliseconds between two checks that the npm process which started the server is still running. */
export const PARENT_WATCH_MS = 250

// --- Workers (server/workers) and other timers ---
/** Milliseconds between two checks whether the operator's certificate has been renewed. */
export const TLS_CHECK_MS = 3_600_000
/** Milliseconds from the start to the first sweep or a missed maintenance, after the load of the start. */
export const SWEEP_FIRST_MS = 300_000
/** Milliseconds between two sweeps. */
export const SWEEP_EVERY_MS = 3_600_000
/** Schedule of the nightly maintenance: not at the full hour, when other programs run. */
export const DEFAULT_MAINTENANCE_SCHEDULE = '17 3 * * *'
/** Milliseconds between two checks of a schedule: schedules name minutes. */
export const SCHEDULE_CHECK_MS = 60_000

// --- Threads (server/threads) ---
/** Milliseconds after which long work beside the sockets yields: users do not notice ten, but would notice a task of 50 (promise T1). */
export const TURN_MS = 10
/** Octets that are copied or hashed at once: two to eight milliseconds. */
export const TURN_BYTES = 2_097_152
/** Octets from which on memory is freed as soon as nobody reads it: messages of that size count (promise T1), and none is in a pool. */
export const FREED_FROM_BYTES = 1_048_576
/** Octets of a message up to which it is parsed and decoded in the calling thread: a few milliseconds, less than another thread costs. */
export const WORK_HERE_MAX_BYTES = 262_144
/** Threads that work on larger messages, for each thread that calls. */
export const WORK_THREADS_MAX = 2
/** Milliseconds after which a thread without work ends: it holds some 20 MB. */
export const WORK_THREAD_IDLE_MS = 30_000
/** MiB of heap of one: a message of 50 MB takes a fraction of it. */
export const WORK_THREAD_HEAP_MIB = 512
/** Octets of a JMAP request up to which it is parsed beside the sockets to learn where it runs; larger ones are searched for names of methods. */
export const PARSE_BEFORE_WRITER_MAX_BYTES = 65_536
/**
 * Octets from which on a returned message takes its memory along to the thread that called: a transfer costs as much as copying so many, and
 * each message can be freed by itself.
 */
export const RETURNED_GIVEN_FROM_BYTES = 16_384

/** Mailboxes, domains or addresses that one API key may be limited to over REST. */
export const API_KEY_LIST_MAX = 1_000

// --- Authentication (server/authentication/authenticator.ts) ---
/** Milliseconds for which a valid credential is cached: promise A4 gives a revocation one second to take effect. */
export const AUTH_CACHE_MS = 1_000
/** Cached credentials. */
export const AUTH_CACHE_MAX = 10_000
/** UTF-16 units of a user name or a password that are accepted: a password has at most 128. */
export const CREDENTIAL_MAX_CHARS = 1_024

// --- HTTP (server/http, rest, server/base/http) ---
/** Token buckets of one size, about 100 octets each; beyond that, the least recently used ones are dropped. */
export const RATE_BUCKETS_MAX = 100_000
/** Octets read from a blob at a time for a download; a body part is decoded again for each. */
export const DOWNLOAD_CHUNK_BYTES = 4_194_304
/** Seconds for which a browser may cache a preflight response; browsers have lower limits. */
export const PREFLIGHT_SECONDS = 86_400
/** Octets of a request's header fields. */
export const HTTP_MAX_HEADER_BYTES = 32_768
/** Connections of the listener. */
export const HTTP_MAX_CONNECTIONS = 10_000
/** Milliseconds for a client to send its header fields, and its whole request; 50 MB in ten minutes are 83 kB a second. */
export const HTTP_HEADERS_MS = 30_000
export const HTTP_REQUEST_MS = 600_000
/** Milliseconds of silence of a connection during a request, and between two requests. */
export const HTTP_SILENCE_MS = 120_000
export const HTTP_KEEP_ALIVE_MS = 65_000
/** Octets of request bodies that are being received; above it clients must retry later, so that memory stays bounded. */
export const HTTP_MAX_RECEIVING_BYTES = 268_435_456
/** Octets of a refused body that are read at least, so that a client that sends everything before it reads gets the response. */
export const HTTP_DRAIN_MIN_BYTES = 1_048_576
/** Seconds in Retry-After when the server is overloaded. */
export const HTTP_RETRY_AFTER_SECONDS = 1
/** Milliseconds for the store to answer /readyz. */
export const READINESS_MS = 2_000
/** Milliseconds that stop() waits for requests under way. */
export const HTTP_STOP_MS = 7_000
