/** Limits on password guesses (promise A3), and on the memory for their counts. */

/** Wrong passwords of one account from one client, and seconds without a failure until the count ends. */
export const GUESSES_PER_PLACE = 10
export const GUESSES_PER_PLACE_SECONDS = 15 * 60
/** Wrong passwords of one account from all clients, likewise. Clients with an earlier successful login are not blocked by it. */
export const GUESSES_PER_ACCOUNT = 100
export const GUESSES_PER_ACCOUNT_SECONDS = 60 * 60
/** Refused logins of one account from one client that are compared with known devices, in GUESSES_PER_PLACE_SECONDS. */
export const GUESSES_BESIDE_DEVICE = 100
/** Seconds for which a client stays known after a successful login. */
export const KNOWN_PLACE_SECONDS = 30 * 24 * 3_600

/** Entries of the tables, 13 octets each: powers of two. */
export const GUESS_PLACES_MAX = 2 ** 20
export const GUESS_ACCOUNTS_MAX = 2 ** 17
export const KNOWN_PLACES_MAX = 2 ** 17

/**
 * Seconds that tokens in URLs of a session live (decision 0030). URLs of downloads get into histories and are passed on; that of the event
 * source is asked for again by itself whenever a connection ends, also when a computer has slept.
 */
export const URL_TOKEN_SECONDS = { download: 3_600, events: 86_400 } as const
