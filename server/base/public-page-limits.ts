/** What is bounded for everybody who needs no key. */

/** Octets of bodies that one public door is receiving: forms of pages, and webhooks before their signature is checked. */
export const PUBLIC_MAX_RECEIVING_BYTES = 33_554_432
