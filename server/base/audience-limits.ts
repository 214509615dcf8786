/** Audiences and their subscribers (decision D18). */

/** Audiences of one organization. An address may be in all of them, and one unit of work moves it in all of them. */
export const AUDIENCES_MAX = 1_000
export const AUDIENCE_NAME_MAX_CHARS = 200
export const AUDIENCE_DESCRIPTION_MAX_CHARS = 1_000
export const CONSENT_SOURCE_MAX_CHARS = 500

/** Subscribers with the status `subscribed` of one audience (spec/contract.tsv, Other constants). */
export const SUBSCRIBED_MAX = 10_000
/** Rows of one call of Subscriber/add. */
export const SUBSCRIBERS_PER_CALL_MAX = 1_000
export const SUBSCRIBER_NAME_MAX_CHARS = 200

/** UTF-16 units of a record of CSV: a subscriber with 50 fields of 1,000 characters, twice. */
export const CSV_RECORD_MAX_CHARS = 131_072
/** Columns: a subscriber has fewer fields, but other services export more than they need. Each is looked at in each row. */
export const CSV_COLUMNS_MAX = 200
/** Octets and rows of a CSV file that one request imports: a whole audience. The command line takes larger files. */
export const AUDIENCE_IMPORT_MAX_BYTES = 10_485_760
export const AUDIENCE_IMPORT_MAX_ROWS = 10_000
/** Subscribers that an export reads at once. */
export const AUDIENCE_EXPORT_PAGE = 500

// --- Sign-up pages (jmap/newsletters/sign-up, server/pages/sign-up) ---
/** Milliseconds for which a sign-up waits for its confirmation. */
export const SIGN_UP_KEEP_MS = 259_200_000
/** Promise N4: in this time an address gets one mail for an audience, and so many in all. */
export const SIGN_UP_MAIL_EVERY_MS = 86_400_000
export const SIGN_UP_MAILS_PER_ADDRESS = 5
/** Sign-ups an hour of one client (an IPv4 address or an IPv6 /64): people of one office may share an address. */
export const SIGN_UPS_PER_HOUR = 20
/** Sign-ups an hour with one organization, whatever clients: what a mail to many readers brings, and no more than a domain's reputation bears. */
export const SIGN_UPS_PER_ORGANIZATION_PER_HOUR = 2_000
/** Pages a minute of one client. */
export const SIGN_UP_LOOKS_PER_MINUTE = 120

// --- Unsubscribe and preference pages (jmap/newsletters/links, server/pages/unsubscribe) ---
/** Requests a minute with one link. Clients are not counted: a mail provider unsubscribes all of its users from a few addresses. */
export const RECIPIENT_LINK_VISITS_PER_MINUTE = 30
/** Requests a minute of one client with links that this server did not make. */
export const FORGED_LINKS_PER_MINUTE = 60

/** Entries of `mergeFields`, after the merge of a repeated add. */
export const MERGE_FIELDS_MAX = 50
export const MERGE_FIELD_NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_]{0,63}$'
export const MERGE_FIELD_MAX_CHARS = 1_000

// --- Deletion of audiences (jmap/newsletters/audience/removal.ts) ---
/** Rows that go in the unit of work that deletes an audience. Clients may delete some hundred audiences by one call. */
export const AUDIENCE_REMOVAL_AT_ONCE = 100
/** Rows of each further unit of work, which takes some 10 ms. */
export const AUDIENCE_REMOVAL_SLICE = 250
/** Milliseconds of the lease: an audience of 10,000 takes a few seconds on a busy server. */
export const AUDIENCE_REMOVAL_LEASE_MS = 60_000
export const AUDIENCE_REMOVAL_SWEEP_MS = 60_000
export const AUDIENCE_REMOVAL_BUSY_MS = 100
