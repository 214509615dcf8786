// Limits of delivery (jmap/delivery, jmap/mail/inbox-rules): each with its unit and the reason for its value, as in limits.ts.

/** Decision D11: inbox rules of a mailbox; conditions, actions and name length of each rule. */
export const RULES_MAX = 100
export const RULE_CONDITIONS_MAX = 20
export const RULE_ACTIONS_MAX = 10
export const RULE_NAME_MAX_CHARS = 200
/** Characters of a condition's value, and of the instructions for a model (decision D11). */
export const RULE_VALUE_MAX_CHARS = 1_000
export const RULE_INSTRUCTIONS_MAX_CHARS = 4_000
/** Characters of the text of a draft that a rule writes, as for an auto-reply. */
export const RULE_DRAFT_MAX_CHARS = 100_000
/** Milliseconds in which a sender gets at most one automatic reply (decision D8, promise S8). */
export const ANSWER_AGAIN_MS = 604_800_000
/** Characters before the original subject in a generated reply. */
export const ANSWER_SUBJECT_MAX_CHARS = 255
/** References that a generated reply carries on. */
export const ANSWER_REFERENCES_MAX = 20
/** Notes of a delivery trace, and UTF-16 units of one. */
export const TRACE_NOTES_MAX = 200
export const TRACE_NOTE_MAX_CHARS = 300
/** Accounts whose settings for delivery are kept in memory; each takes a few kB. */
export const DELIVERY_SETTINGS_MAX = 5_000
/**
 * Milliseconds that events are kept: twice as long as deliveries, because a delivery can be replayed until it is deleted (decision
 * D24).
 */
export const EVENT_LIFETIME_MS = 5_184_000_000

// --- Drafts of a model (server/workers/drafts) ---
/** Requests in one claim, and milliseconds of their lease unless the worker renews it. */
export const DRAFT_CLAIM_MAX = 4
export const DRAFT_LEASE_MS = 20_000
/** Milliseconds of waiting before a claim, so that mail that arrives together is handled together. */
export const DRAFT_GATHER_MS = 1_000
/** Milliseconds for one call of the model. */
export const DRAFT_CALL_MS = 90_000
/** Octets of the model's answer. */
export const DRAFT_ANSWER_MAX_BYTES = 1_048_576
/** Milliseconds until each next attempt; after the last one the worker gives up. */
export const DRAFT_RETRY_MS = [60_000, 600_000, 3_600_000] as const
/** Milliseconds between two sweeps of the queue without a notification. */
export const DRAFT_SWEEP_MS = 10_000
/** Characters of a message that the model gets, and of its answer that are kept. */
export const DRAFT_PROMPT_MAX_CHARS = 20_000
export const DRAFT_TEXT_MAX_CHARS = 50_000
