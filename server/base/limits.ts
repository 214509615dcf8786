// Every tunable of the server, each a named constant with its unit and the reason for its value.
// Code refers to these names only; configuration overrides the ones that operators need to change.

// --- MIME (jmap/mail/message) ---
/** Nesting of multiparts and message/rfc822 parts that the parser follows; deeper parts stay raw. */
export const MIME_MAX_DEPTH = 100
/** Parts of one message that the parser lists; the rest stays in the raw message. */
export const MIME_MAX_PARTS = 1_000
/** Octets of one header block that the parser reads; more is left unparsed. */
export const MIME_MAX_HEADER_BYTES = 1_048_576
/** RFC 8621 4.1.4: a preview has at most this many characters. */
export const PREVIEW_MAX_CHARS = 256
/** UTF-16 units of body text of one message that go into the search index. */
export const SEARCH_TEXT_MAX_CHARS = 262_144

// --- Blobs (storage/blobs) ---
/** Octets up to which a blob is stored in the database, in the transaction of its metadata (performance.md, layout 1). */
export const BLOB_INLINE_MAX_BYTES = 16_384
/** Octets at which a pack file is closed and a new one begun. */
export const PACK_MAX_BYTES = 268_435_456
