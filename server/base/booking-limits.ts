/** Availability and booking pages (decisions D22, D23, D32). */

/** Minutes of a slot and between two candidates. */
export const SLOT_MIN_MINUTES = 5
export const SLOT_MAX_MINUTES = 1_440
export const SLOT_DEFAULT_MINUTES = 30
/** Minutes from midnight. */
export const WINDOW_DEFAULT_START = 540
export const WINDOW_DEFAULT_END = 1_020
export const WINDOW_MAX = 1_440
/** Monday to Friday; 0 is Sunday. */
export const WORKING_DAYS: readonly number[] = [1, 2, 3, 4, 5]
export const BUFFER_MAX_MINUTES = 240
/** Of availability: 30 days. */
export const NOTICE_MAX_MINUTES = 43_200
/** Days that one call of REST or of a public page covers, and that one call inside of the server covers. */
export const AVAILABILITY_MAX_DAYS = 62
export const AVAILABILITY_INTERNAL_MAX_DAYS = 366

/** Pages of one organization. They are read together: a public page finds its record by the slug. */
export const BOOKING_PAGES_MAX = 500
export const BOOKING_PAGE_DURATION_MAX = 480
export const BOOKING_PAGE_NOTICE_DEFAULT = 120
export const BOOKING_PAGE_ADVANCE_DEFAULT = 60
export const BOOKING_PAGE_ADVANCE_MAX = 730
export const BOOKING_PAGE_NAME_MAX_CHARS = 200
export const BOOKING_PAGE_DESCRIPTION_MAX_CHARS = 2_000
/** Sites that may embed one page. They are all named in a header field. */
export const EMBED_ORIGINS_MAX = 20

// --- Bookings (jmap/bookings, server/pages/booking) ---
export const GUESTS_MAX = 10
/** Characters of what an invitee types. A name is in mails to guests, so there is little room for advertising. */
export const INVITEE_NAME_MAX_CHARS = 100
export const INVITEE_NOTES_MAX_CHARS = 2_000
export const CANCEL_REASON_MAX_CHARS = 500
/** Octets of a form or a JSON body: all fields at their longest, percent-encoded. */
export const BOOKING_BODY_MAX_BYTES = 65_536
/** Bookings and moves an hour of one client (an IPv4 address or an IPv6 /64); 0 as a setting: no limit (decision D32). */
export const BOOKINGS_PER_HOUR = 10
/** Bookings and moves an hour that write to one address, whatever clients make them: nobody's mailbox is filled by strangers. */
export const BOOKINGS_PER_ADDRESS_PER_HOUR = 5
/** Bookings and moves an hour of one organization: each writes to up to eleven strangers, and no plan counts these mails. */
export const BOOKINGS_PER_ORGANIZATION_PER_HOUR = 500
/** Pages and lists of slots a minute of one client. Each reads a calendar. */
export const BOOKING_LOOKS_PER_MINUTE = 240
/** Milliseconds that an invitee has to open the link that confirms a booking. */
export const BOOKING_CONFIRM_MS = 86_400_000
/** Milliseconds before the start when the invitee gets a reminder, if the booking is older than that. */
export const BOOKING_REMIND_BEFORE_MS = 86_400_000
/** The worker of mails that are due (server/workers/booking-mails.ts): bookings at a time; each takes some milliseconds and a commit. */
export const BOOKING_MAIL_CONCURRENCY = 8
/** Milliseconds of the lease of a booking: after a crash its mail is late by at most as much and the sweep. */
export const BOOKING_MAIL_LEASE_MS = 20_000
/** Milliseconds between two looks without a notification, and between two claims while others hold what is due. */
export const BOOKING_MAIL_SWEEP_MS = 60_000
export const BOOKING_MAIL_BUSY_MS = 1_000
/** Milliseconds from a change of an event to the look for what is due: changes of a second share one. */
export const BOOKING_MAIL_GATHER_MS = 1_000
/** Milliseconds after which a reminder that could not be sent is dropped: it would come after the meeting's preparation. */
export const BOOKING_REMIND_LATE_MS = 43_200_000
/** Milliseconds that a link works after the end of its meeting. */
export const BOOKING_LINK_AFTER_MS = 86_400_000
/** Events of which a thread keeps what availability needs: some 200 octets each. */
export const BUSY_EVENTS_KEPT = 100_000
/** Milliseconds that the mails about a booking wait for the link of its meeting. Zoom answers within two seconds. */
export const BOOKING_LINK_WAIT_MS = 20_000
