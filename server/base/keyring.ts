/**
 * Secrets that must be readable later (DKIM keys, passwords of relays) are stored encrypted, with a key that is not in the database:
 * AES-256-GCM, bound to their tenant and row, so that a ciphertext is useless anywhere else (promise A5). The host gives the keys: the
 * newest encrypts, older ones still decrypt.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { Failure } from './errors.ts'

/**
 * What is sealed, and how long it is needed. `stored`: until it is replaced or deleted, so each start seals it with the newest key. `day`:
 * answers of requests, kept for a day. `link`: it is in URLs that people have, so it ends when its key is removed.
 */
export const SECRET_PURPOSES = {
  answer: 'day',
  billing: 'link',
  conferencing: 'stored',
  dkim: 'stored',
  dns: 'stored',
  import: 'stored',
  installation: 'stored',
  push: 'stored',
  recipient: 'link',
  registrant: 'stored',
  relay: 'stored',
  webhook: 'stored',
} as const

/** The place of a secret: its purpose, its organization and its row. */
export interface SecretPlace {
  readonly purpose: keyof typeof SECRET_PURPOSES
  readonly tenant: number
  readonly row: string
}

export const SECRET_KEY_BYTES = 32

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

interface NamedKey {
  /** Identifies the key in a ciphertext without revealing it. */
  readonly name: string
  readonly key: KeyObject
}

export class Keyring {
  readonly #keys: readonly NamedKey[]
  /** By purpose: deriving takes as long as sealing. */
  readonly #derived = new Map<string, readonly KeyObject[]>()

  /** @param keys of SECRET_KEY_BYTES each, the newest first; at least one */
  constructor(keys: readonly Uint8Array[]) {
    if (keys.length === 0 || keys.some(({ length }) => length !== SECRET_KEY_BYTES))
      throw new Failure('configuration', `a secret key has ${SECRET_KEY_BYTES} octets`)
    this.#keys = keys.map((bytes) => {
      return { name: createHash('sha256').update(bytes).digest('hex').slice(0, 8), key: createSecretKey(bytes) }
    })
  }

  seal(text: string, place: SecretPlace): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#sealingKeys(place)[0]!, nonce)
    cipher.setAAD(aadOf(place))
    const octets = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `${VERSION}.${this.#keys[0]!.name}.${octets.toString('base64url')}`
  }

  /** @throws Failure `corrupt` if the text was not sealed here for this place, or its key is no longer known */
  open(sealed: string, place: SecretPlace): string {
    const [version, name, text, ...more] = sealed.split('.')
    const key = this.#sealingKeys(place)[this.#keys.findIndex((one) => one.name === name)]
    const octets = Buffer.from(text ?? '', 'base64url')
    // One form only: links are counted by their text.
    const isWhole = more.length === 0 && octets.toString('base64url') === text
    if (version !== VERSION || !key || !isWhole || octets.length < NONCE_BYTES + TAG_BYTES)
      throw new Failure('corrupt', 'a stored secret cannot be opened with the keys that are known')
    const decipher = createDecipheriv('aes-256-gcm', key, octets.subarray(0, NONCE_BYTES))
    decipher.setAAD(aadOf(place))
    decipher.setAuthTag(octets.subarray(-TAG_BYTES))
    try {
      const clear = decipher.update(octets.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([clear, decipher.final()]).toString('utf8')
    } catch {
      throw new Failure('corrupt', 'a stored secret is not what was sealed in its place')
    }
  }

  /** Whether the text is in clear, or under an older key than the newest. */
  isStale(stored: string): boolean {
    return !stored.startsWith(`${VERSION}.${this.#keys[0]!.name}.`)
  }

  /** Whether a stored text is sealed; an unsealed secret never begins like a sealed one. */
  isSealed(stored: string): boolean {
    return stored.startsWith(`${VERSION}.`)
  }

  /** Names of the keys, as written in the sealed texts. */
  get names(): readonly string[] {
    return this.#keys.map(({ name }) => name)
  }

  /**
   * Keys for another purpose, the newest first (RFC 5869). Node looks for a KeyObject in octets by an exception, which takes longer than to
   * seal or sign with them.
   */
  derive(purpose: string): readonly KeyObject[] {
    const known = this.#derived.get(purpose)
    if (known) return known
    const made = this.#keys.map(({ key }) =>
      createSecretKey(new Uint8Array(hkdfSync('sha256', key, '', `posthouse ${purpose}`, SECRET_KEY_BYTES))),
    )
    this.#derived.set(purpose, made)
    return made
  }

  #sealingKeys({ purpose }: SecretPlace): readonly KeyObject[] {
    return this.derive(`seal ${purpose}`)
  }
}

function aadOf({ purpose, tenant, row }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([purpose, tenant, row]))
}
