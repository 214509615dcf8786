/** How often a password may be guessed (promise A3), and what remembering it may cost. */

/** Wrong passwords of one account from one client, until it has kept quiet for so many seconds. */
export const GUESSES_PER_PLACE = 10
export const GUESSES_PER_PLACE_SECONDS = 15 * 60
/** Wrong passwords of one account from everywhere, likewise; who has been let in from a client before is not held up by it. */
export const GUESSES_PER_ACCOUNT = 100
export const GUESSES_PER_ACCOUNT_SECONDS = 60 * 60
/** Seconds for which a client that an account was let in from stays known. */
export const KNOWN_PLACE_SECONDS = 30 * 24 * 3_600

/** Entries of the tables, 13 octets each: powers of two. */
export const GUESS_PLACES_MAX = 2 ** 20
export const GUESS_ACCOUNTS_MAX = 2 ** 17
export const KNOWN_PLACES_MAX = 2 ** 17
