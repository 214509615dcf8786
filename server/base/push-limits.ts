// Limits of push on every way it takes, and of going out by HTTP: as in limits.ts, each with its unit and the reason for its value.

// --- Event source and WebSocket (server/http/jmap) ---
/** Event source (RFC 8620 7.3): connections of one credential. */
export const EVENT_SOURCES_MAX = 16
/** Seconds: pings asked for outside of these are moved into them; the RFC wants 30 to 300 allowed. */
export const EVENT_SOURCE_PING_MIN = 5
export const EVENT_SOURCE_PING_MAX = 900
/** WebSocket (RFC 8887): connections of one credential. */
export const WEBSOCKETS_MAX = 16
/** Milliseconds between two pings of a WebSocket; one that has not been heard of for that long after a ping is let go. */
export const WEBSOCKET_PING_MS = 30_000
/** Milliseconds that the other side has to answer a Close frame. */
export const WEBSOCKET_CLOSE_MS = 2_000
/** Octets of answers not taken by the client yet, above which no more of its requests are read. */
export const WEBSOCKET_BACKLOG_BYTES = 8_388_608
/** Octets that a slow client may leave unread before its push channel is let go. */
export const PUSH_BACKLOG_BYTES = 262_144

// --- Push (jmap/push, server/workers/push) ---
/** Milliseconds between two events on one channel: the first change is told at once, a burst of deliveries after it as one event. */
export const PUSH_GATHER_MS = 50
/** Milliseconds between two looks of a channel at the store though no bell rang: bells may be lost. */
export const PUSH_LOOK_MS = 30_000
/** Milliseconds between two looks whether a channel's credential is still good: promise A4 gives 30 seconds. */
export const PUSH_RENEW_MS = 15_000
/** Milliseconds that a request on a WebSocket trusts the last such look: a revoked credential works no longer than that (promise A4). */
export const WEBSOCKET_TRUST_MS = 1_000
/** Accounts up to which a push state names each; of more it names groups, so that it stays short. */
export const PUSH_STATE_ACCOUNTS = 64
/** Characters of a push state that are read: far above what any has. */
export const PUSH_STATE_MAX_CHARS = 2_048
/** Push subscriptions of one credential, and how many may be made within an hour (RFC 8620 8.6). */
export const PUSH_SUBSCRIPTIONS_MAX = 32
export const PUSH_SUBSCRIPTIONS_PER_HOUR = 60
/** Credentials whose new subscriptions are counted; beyond, the oldest are forgotten. */
export const PUSH_CREATORS_MAX = 10_000
/** Milliseconds that a push subscription lives at most without being extended: RFC 8620 7.2 asks for at least 7 days. */
export const PUSH_SUBSCRIPTION_LIFETIME_MS = 604_800_000
/** Milliseconds that an unverified one waits for its code. */
export const PUSH_VERIFY_MS = 86_400_000
/** Milliseconds between two pushes to one subscription. */
export const PUSH_INTERVAL_MS = 1_000
/** Milliseconds: the least and the most between two after the service said "too many" (RFC 8620 7.2). */
export const PUSH_SLOW_MIN_MS = 30_000
export const PUSH_SLOW_MAX_MS = 3_600_000
/** Milliseconds until each next try of a push that failed; after the last it waits for the next change. */
export const PUSH_RETRY_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000] as const
/** Milliseconds after which a subscription is looked at though no bell rang. */
export const PUSH_RECHECK_MS = 300_000
/** Milliseconds a claimed push belongs to its worker: longer than PUSH_REQUEST_MS, and with the sweep at most 30 s (promise L1). */
export const PUSH_LEASE_MS = 20_000
/** Milliseconds for one POST to a push service. */
export const PUSH_REQUEST_MS = 15_000
/** Pushes under way at a time in one process. */
export const PUSH_CONCURRENCY = 32
/** Milliseconds between two looks at the pushes that are due when no bell rings. */
export const PUSH_SWEEP_MS = 10_000
/** Seconds that a push service keeps a message for a device that is away (RFC 8030 5.2). */
export const PUSH_TTL_SECONDS = 86_400
/** Milliseconds that a VAPID token is good for, and before its end at which a new one is made: RFC 8292 2 allows 24 hours. */
export const VAPID_LIFETIME_MS = 43_200_000
export const VAPID_RENEW_MS = 3_600_000
/** Tokens kept, one for each push service. */
export const VAPID_TOKENS_MAX = 1_000

// --- HTTP to others (server/egress) ---
/** Milliseconds for one request with its answer, and to connect. */
export const EGRESS_TIMEOUT_MS = 30_000
export const EGRESS_CONNECT_MS = 10_000
/** Octets of an answer's body and of its header fields. */
export const EGRESS_MAX_BODY_BYTES = 65_536
export const EGRESS_MAX_HEADER_BYTES = 16_384
/** Connections to one host at a time, and milliseconds an idle one is kept. */
export const EGRESS_CONNECTIONS_PER_HOST = 8
export const EGRESS_IDLE_MS = 4_000
/** Characters of an address that is gone to. */
export const EGRESS_URL_MAX_CHARS = 2_048
