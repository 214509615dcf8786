/** Images of strangers: what is fetched, decoded and kept (jmap/images, promise W4). */

/** Octets of an image that is fetched. Logos are far smaller; a photograph of a phone has 5 MB. */
export const IMAGE_FETCH_MAX_BYTES = 5_242_880
/** Milliseconds for the whole fetch, with its redirects. Somebody waits for the answer. */
export const IMAGE_FETCH_MS = 10_000
export const IMAGE_FETCH_REDIRECTS = 3
/** Pixels of the longer side: 39 million in one row took 1.4 GB to be read, whatever their number allows. */
export const IMAGE_MAX_SIDE = 20_000
/** Seconds of CPU that one image may take. 40 megapixels take one. */
export const IMAGE_MAX_SECONDS = 5
/** Images that wait to be encoded in one thread, of all organizations and of one; more are refused. Each takes up to some seconds. */
export const IMAGES_WAITING_MAX = 200
export const IMAGES_WAITING_PER_ORGANIZATION_MAX = 10

/** Pixels of a logo, for screens with two for each of CSS (server/pages/booking). */
export const LOGO_MAX_WIDTH = 480
export const LOGO_MAX_HEIGHT = 120
/** Pixels of the file before it is decoded, 4 octets each at the worst (promise W4): a file of some KB can claim millions of them. */
export const LOGO_FILE_MAX_PIXELS = 12_000_000
/** Octets of a logo: a page stays below 50 KB with everything. */
export const LOGO_MAX_BYTES = 16_384
export const LOGO_URL_MAX_CHARS = 2_048

// --- Media of newsletters (jmap/newsletters/asset, decision D20) ---
export const ASSET_IMAGE_MAX_BYTES = 10_485_760
export const ASSET_IMAGE_MAX_PIXELS = 40_000_000
/** Seconds of CPU for one image: 40 megapixels of PNG take six. */
export const ASSET_IMAGE_SECONDS = 20
export const ASSET_VIDEO_MAX_BYTES = 209_715_200
/** Pixels of the pictures that lists of assets show. */
export const ASSET_THUMBNAIL_WIDTH = 320
export const ASSET_THUMBNAIL_HEIGHT = 320
/** Pixels of the picture of a video: the width of a newsletter, for screens with two for each of CSS. */
export const VIDEO_THUMBNAIL_WIDTH = 1_200
/** Assets of one organization. */
export const ASSETS_MAX = 10_000
/** Octets of a piece: an upload is in memory by one piece at a time. */
export const ASSET_PIECE_BYTES = 1_048_576
/** Pieces of an upload: those of a client of JMAP may be of any size. */
export const ASSET_PIECES_MAX = 1_000
/** Uploads that are received at once, by one process, of one organization and by one key: each holds a piece in memory. */
export const ASSET_UPLOADS_MAX = 32
export const ASSET_UPLOADS_PER_ORGANIZATION_MAX = 8
export const ASSET_UPLOADS_PER_KEY_MAX = 4
/** Octets that one request may make assets of: each asset is hashed as a whole, and those of one request may name the same uploads. */
export const ASSET_REQUEST_MAX_BYTES = 419_430_400
/** Octets that are read at a time for a visitor, who may have stopped reading, and files that are sent at once: both together are memory. */
export const MEDIA_PIECE_BYTES = 131_072
export const MEDIA_SENDS_MAX = 1_000
/** Of them to one client (an IPv4 address or an IPv6 /64): mail providers load images for many readers. */
export const MEDIA_SENDS_PER_CLIENT_MAX = 100
/** Octets of the index of a video, whose times and sizes are in it. A longer one is not read. */
export const VIDEO_INDEX_MAX_BYTES = 8_388_608
/** Boxes of the index that are looked at: a video of many tracks has some hundred, and 8 MB have room for a million. */
export const VIDEO_INDEX_BOXES_MAX = 10_000
/** Milliseconds for ffmpeg, and its limits of the system: seconds of CPU, kilobytes of memory. */
export const VIDEO_FRAME_MS = 30_000
export const VIDEO_FRAME_CPU_SECONDS = 20
export const VIDEO_FRAME_MEMORY_KB = 2_000_000
/** Videos that wait for their frame in one thread, of all organizations and of one; others get none. */
export const VIDEO_FRAMES_WAITING_MAX = 100
export const VIDEO_FRAMES_WAITING_PER_ORGANIZATION_MAX = 4
/** Octets of the frame. */
export const VIDEO_FRAME_MAX_BYTES = 8_388_608
