/** Images of strangers: what is fetched, decoded and kept (jmap/images, promise W4). */

/** Octets of an image that is fetched. Logos are far smaller; a photograph of a phone has 5 MB. */
export const IMAGE_FETCH_MAX_BYTES = 5_242_880
/** Milliseconds for the whole fetch, with its redirects. Somebody waits for the answer. */
export const IMAGE_FETCH_MS = 10_000
export const IMAGE_FETCH_REDIRECTS = 3
/** Seconds of CPU that one image may take. 40 megapixels take one. */
export const IMAGE_MAX_SECONDS = 5
/** Images that wait to be encoded in one process; more are refused. */
export const IMAGES_WAITING_MAX = 20

/** Pixels of a logo, for screens with two for each of CSS (server/pages/booking). */
export const LOGO_MAX_WIDTH = 480
export const LOGO_MAX_HEIGHT = 120
/** Pixels of the file before it is decoded, 4 octets each at the worst (promise W4): a file of some KB can claim millions of them. */
export const LOGO_FILE_MAX_PIXELS = 12_000_000
/** Octets of a logo: a page stays below 50 KB with everything. */
export const LOGO_MAX_BYTES = 16_384
export const LOGO_URL_MAX_CHARS = 2_048
