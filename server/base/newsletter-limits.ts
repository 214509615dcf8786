/** Newsletters and their content (decisions D19, D31). */

/** The contract: blocks of a draft. */
export const NEWSLETTER_BLOCKS_MAX = 200
/** The contract: unique URLs of a newsletter, images and thumbnails of videos included. */
export const NEWSLETTER_URLS_MAX = 20
/** The contract: pixels of a spacer. */
export const SPACER_MIN_HEIGHT = 8
export const SPACER_MAX_HEIGHT = 80
export const SPACER_DEFAULT_HEIGHT = 24

export const NEWSLETTER_NAME_MAX_CHARS = 200
export const NEWSLETTER_SUBJECT_MAX_CHARS = 200
export const NEWSLETTER_PREVIEW_TEXT_MAX_CHARS = 200
/** Octets of body_html and of body_text, in UTF-8. */
export const NEWSLETTER_BODY_MAX_BYTES = 512_000
/** Octets of all blocks as JSON: what a request of REST can carry. */
export const NEWSLETTER_BLOCKS_MAX_BYTES = 1_048_576

/** Characters of a line (headings, labels, titles), of a paragraph or other prose, of code. */
export const BLOCK_LINE_MAX_CHARS = 500
export const BLOCK_PROSE_MAX_CHARS = 20_000
export const BLOCK_CODE_MAX_CHARS = 20_000
/** Items of a list, and of a list of links. */
export const BLOCK_ITEMS_MAX = 100
/** Longer URLs are cut or refused by some mail clients. */
export const BLOCK_URL_MAX_CHARS = 2_048

/** Merge fields in one newsletter: each may become 1,000 characters for each recipient. */
export const MERGE_FIELDS_MAX = 300
export const MERGE_FALLBACK_MAX_CHARS = 200

/** Elements within each other in custom HTML. Clients nest tables ten deep; more is an attack on parsers. */
export const HTML_MAX_DEPTH = 60
/** `<` in all custom HTML of a newsletter: two for an element. Large newsletters have some thousand; each costs microseconds, and an open one more. */
export const HTML_MAX_TAGS = 20_000
/** Characters of one style attribute. Longer ones are removed. */
export const HTML_STYLE_MAX_CHARS = 2_000
/** Things removed from custom HTML that are named one by one. */
export const HTML_WARNINGS_MAX = 20

/** Octets of the HTML of a newsletter, without its footer: twenty times what Gmail shows. A megabyte of lines of one letter would be twelve. */
export const NEWSLETTER_HTML_MAX_BYTES = 2_097_152
/** Octets of HTML after which Gmail shows a link in place of the rest. */
export const GMAIL_CLIPS_AFTER_BYTES = 104_448

/** Newsletters that wait to be rendered in one thread, of all organizations and of one. Each takes up to two seconds of a thread for messages. */
export const RENDERINGS_WAITING_MAX = 1_000
export const RENDERINGS_WAITING_PER_ORGANIZATION_MAX = 50

/** Decision D19: hours over which a newsletter is sent. */
export const SEND_WINDOW_MAX_HOURS = 72
export const SEND_WINDOW_DEFAULT_HOURS = 4
/** Newsletters of one organization, so that no one fills the disk: one a day for 27 years. */
export const NEWSLETTERS_MAX = 10_000
/** Octets of what all of them say, as it is stored: blocks, HTML and text. So many of 200 KB each, twice what Gmail shows of one. */
export const NEWSLETTER_CONTENTS_MAX_BYTES = 2_147_483_648

// --- Archive (jmap/newsletters/archive, server/pages/archive) ---
/** Newsletters of a page of the index, and of a feed. */
export const ARCHIVE_INDEX_MAX = 50
/** Newsletters that one page of the index looks at: private ones are in between. */
export const ARCHIVE_WALK_MAX = 1_000
/** Pages a minute of one client. */
export const ARCHIVE_LOOKS_PER_MINUTE = 120
/** Pages that are kept rendered, their octets, and milliseconds for which they are. A page has some 100 KB, at most some megabytes. */
export const ARCHIVE_PAGES_KEPT = 100
export const ARCHIVE_KEPT_MAX_BYTES = 33_554_432
/** Octets of pages that visitors are sent and have not taken: thirty of the largest. Ordinary ones wait in the system's buffers, not here. */
export const ARCHIVE_UNSENT_MAX_BYTES = 67_108_864
export const ARCHIVE_KEEP_MS = 60_000

// --- Sending (jmap/newsletters/sending, server/workers/newsletters.ts) ---
/** Decision D19: test messages of one newsletter a day. */
export const TEST_SENDS_PER_DAY = 20
/** Recipients that are written in one commit, which takes some 10 ms: other writes come in between. */
export const RECIPIENTS_PER_GATHERING = 500
/** Recipients that are queued in one commit. */
export const RECIPIENTS_PER_QUEUEING = 200
/** Milliseconds that a worker goes on with one newsletter before it lets others have a turn. */
export const NEWSLETTER_TURN_MS = 2_000
/** Newsletters that a worker goes on with at a time: they share the database, so that more would only wait. */
export const NEWSLETTER_CONCURRENCY = 2
/** Milliseconds of the lease of a turn. A turn is a few commits; a dead worker delays a newsletter for so long. */
export const NEWSLETTER_LEASE_MS = 30_000
/** Milliseconds between two looks at the runs without a notification. */
export const NEWSLETTER_SWEEP_MS = 10_000
export const NEWSLETTER_BUSY_MS = 250
/** Decision D31: recipients of a domain on its first day with newsletters, doubled on each further one, and the first day without a limit. */
export const WARM_UP_FIRST_DAY = 500
export const WARM_UP_DAYS = 10
/** Decision D31: a wave of bounces is this share of hard bounces among the last finished recipients, if there are at least so many. */
export const BOUNCE_WAVE_RATE = 0.1
export const BOUNCE_WAVE_RECIPIENTS = 500
export const BOUNCE_WAVE_LEAST = 100
/** Milliseconds after which a message of a newsletter that was claimed is not begun any more: what its recipient wants is read again. */
export const NEWSLETTER_HAND_OVER_MS = 30_000
/** Recipients in one answer. */
export const NEWSLETTER_RECIPIENTS_MAX = 500
