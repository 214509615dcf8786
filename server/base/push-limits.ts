// Limits of push over all transports, and of outgoing HTTP: each with its unit and the reason for its value, as in limits.ts.

// --- Event source and WebSocket (server/http/jmap) ---
/** Event source (RFC 8620 7.3): connections of one credential. */
export const EVENT_SOURCES_MAX = 16
/** Seconds between pings: values outside are moved into this range. RFC 8620 7.3 wants 30 to 300 allowed. */
export const EVENT_SOURCE_PING_MIN = 5
export const EVENT_SOURCE_PING_MAX = 900
/** WebSocket (RFC 8887): connections of one credential. */
export const WEBSOCKETS_MAX = 16
/** Milliseconds between two pings of a WebSocket; a connection that has not answered by the next ping is closed. */
export const WEBSOCKET_PING_MS = 30_000
/** Milliseconds for the client to answer a Close frame. */
export const WEBSOCKET_CLOSE_MS = 2_000
/** Octets of unread responses, above which the server reads no more requests from the client. */
export const WEBSOCKET_BACKLOG_BYTES = 8_388_608
/** Octets that a slow client may leave unread before its push channel is closed. */
export const PUSH_BACKLOG_BYTES = 262_144

// --- Push (jmap/push, server/workers/push) ---
/** Milliseconds between two events on one channel: the first change is sent at once, changes after it are gathered in one event. */
export const PUSH_GATHER_MS = 50
/** Milliseconds between two reads of all states without a notification: notifications may be lost. */
export const PUSH_POLL_MS = 30_000
/** Milliseconds between two lookups of a channel's credential: promise A4 gives 30 seconds. */
export const PUSH_RENEW_MS = 15_000
/** Milliseconds for which a request on a WebSocket trusts the last lookup. A revoked credential works no longer than that (promise A4). */
export const WEBSOCKET_TRUST_MS = 1_000
/** Accounts up to which a push state names each account; with more it holds groups, to stay short. */
export const PUSH_STATE_ACCOUNTS = 64
/** Characters of a push state that is read: far above what any has. */
export const PUSH_STATE_MAX_CHARS = 2_048
/** Push subscriptions of one credential, and how many it may create within an hour (RFC 8620 8.6). */
export const PUSH_SUBSCRIPTIONS_MAX = 32
export const PUSH_SUBSCRIPTIONS_PER_HOUR = 60
/** Credentials whose new subscriptions are counted; beyond that, the oldest counts are dropped. */
export const PUSH_CREATORS_MAX = 10_000
/** Longest lifetime in milliseconds of a push subscription that is not extended: RFC 8620 7.2 asks for at least 7 days. */
export const PUSH_SUBSCRIPTION_LIFETIME_MS = 604_800_000
/** Milliseconds that an unverified subscription waits for its code. */
export const PUSH_VERIFY_MS = 86_400_000
/** Milliseconds between two pushes to one subscription. */
export const PUSH_INTERVAL_MS = 1_000
/** Least and longest milliseconds between two pushes after the service responded "too many requests" (RFC 8620 7.2). */
export const PUSH_SLOW_MIN_MS = 30_000
export const PUSH_SLOW_MAX_MS = 3_600_000
/** Milliseconds until each retry of a failed push; after the last one it waits for the next change. */
export const PUSH_RETRY_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000] as const
/** Milliseconds after which a subscription is checked without a notification. */
export const PUSH_RECHECK_MS = 300_000
/** Milliseconds of the lease of a push: longer than PUSH_REQUEST_MS, and with the sweep at most 30 s (promise L1). */
export const PUSH_LEASE_MS = 20_000
/** Milliseconds for one POST to a push service. */
export const PUSH_REQUEST_MS = 15_000
/** CalendarAlerts of one push. They are posted at the same time, so that the lease covers all of them. */
export const PUSH_ALERTS_MAX = 16
/** Concurrent pushes of one process. */
export const PUSH_CONCURRENCY = 32
/** Milliseconds between two sweeps for due pushes without a notification. */
export const PUSH_SWEEP_MS = 10_000
/** Seconds that a push service keeps a message for an offline device (RFC 8030 5.2). */
export const PUSH_TTL_SECONDS = 86_400
/** Lifetime of a VAPID token in milliseconds, and time before its end at which it is renewed: RFC 8292 2 allows 24 hours. */
export const VAPID_LIFETIME_MS = 43_200_000
export const VAPID_RENEW_MS = 3_600_000
/** Cached tokens, one for each push service. */
export const VAPID_TOKENS_MAX = 1_000

// --- Outgoing HTTP (server/egress) ---
/** Milliseconds for one request with its response, and to connect. */
export const EGRESS_TIMEOUT_MS = 30_000
export const EGRESS_CONNECT_MS = 10_000
/** Octets of a response's body and of its header fields. */
export const EGRESS_MAX_BODY_BYTES = 65_536
export const EGRESS_MAX_HEADER_BYTES = 16_384
/** Concurrent connections to one host, and milliseconds an idle one is kept. */
export const EGRESS_CONNECTIONS_PER_HOST = 8
export const EGRESS_IDLE_MS = 4_000
/** Characters of a URL. */
export const EGRESS_URL_MAX_CHARS = 2_048
