/** Keys that sign for a domain (RFC 6376, RFC 8463): made in pairs of RSA and Ed25519, each under its own selector. */
import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

export type DkimAlgorithm = 'rsa' | 'ed25519'

/** The public part, stored with the domain. */
export interface PublicDkimKey {
  readonly selector: string
  readonly algorithm: DkimAlgorithm
  /** The value of `p=` in its record: SPKI for RSA (RFC 6376 3.6.1), the 32 octets for Ed25519 (RFC 8463 4.2); base64. */
  readonly publicKey: string
  /** Absent: it signs. `next`: it signs once its record is published. `old`: it no longer signs, but signed messages are under way. */
  readonly stage?: 'next' | 'old'
  /** Epoch ms; absent: as old as the domain. */
  readonly madeAt?: number
  /** Epoch ms; only for `old`. */
  readonly retiredAt?: number
}

export interface MadeDkimKey extends PublicDkimKey {
  /** PKCS#8 PEM. */
  readonly privateKey: string
}

const RSA_BITS = 2_048
/** Octets of an Ed25519 SPKI before the key itself (RFC 8410 4). */
const ED25519_SPKI_PREFIX = 12

/** @param generation part of the selectors, so that new keys can be published beside the old ones */
export async function makeDkimKey(algorithm: DkimAlgorithm, generation = 1): Promise<MadeDkimKey> {
  const { publicKey, privateKey } =
    algorithm === 'rsa'
      ? await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS })
      : await promisify(generateKeyPair)('ed25519')
  return {
    selector: algorithm === 'rsa' ? `ph${generation}` : `ph${generation}-ed25519`,
    algorithm,
    publicKey: publicPart(publicKey, algorithm),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function publicPart(key: KeyObject, algorithm: DkimAlgorithm): string {
  const spki = key.export({ type: 'spki', format: 'der' })
  return (algorithm === 'rsa' ? spki : spki.subarray(ED25519_SPKI_PREFIX)).toString('base64')
}

/** The number in a selector of `makeDkimKey`; 0 for other selectors. */
export function generationOf(selector: string): number {
  return Number(/^ph(\d+)(?:-|$)/.exec(selector)?.[1] ?? 0)
}

export function publicOf({ selector, algorithm, publicKey }: PublicDkimKey): PublicDkimKey {
  return { selector, algorithm, publicKey }
}
