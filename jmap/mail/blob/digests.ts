/** Algorithms by their names in the registry of RFC 3230, in lower case (RFC 9404 3.1); the preferred one first. */
export const DIGESTS: { readonly [name: string]: string } = { 'sha-256': 'sha256', 'sha-512': 'sha512', sha: 'sha1' }
