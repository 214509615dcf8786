/**
 * Secrets that must be readable later (DKIM keys, passwords of relays) are stored encrypted, with a key that is not in the database:
 * AES-256-GCM, bound to their tenant and row, so that a ciphertext is useless anywhere else (promise A5). The host gives the keys: the
 * newest encrypts, older ones still decrypt.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
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
  readonly bytes: Uint8Array
  /** Derived keys by purpose, cached: deriving takes as long as sealing. */
  readonly derived: Map<string, Uint8Array>
}

export class Keyring {
  readonly #keys: readonly NamedKey[]

  /** @param keys of SECRET_KEY_BYTES each, the newest first; at least one */
  constructor(keys: readonly Uint8Array[]) {
    if (keys.length === 0 || keys.some(({ length }) => length !== SECRET_KEY_BYTES))
      throw new Failure('configuration', `a secret key has ${SECRET_KEY_BYTES} octets`)
    this.#keys = keys.map((bytes) => {
      return { name: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes, derived: new Map() }
    })
  }

  seal(text: string, place: SecretPlace): string {
    const key = this.#keys[0]!
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', keyFor(key, place), nonce)
    cipher.setAAD(aadOf(place))
    const octets = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `${VERSION}.${key.name}.${octets.toString('base64url')}`
  }

  /** @throws Failure `corrupt` if the text was not sealed here for this place, or its key is no longer known */
  open(sealed: string, place: SecretPlace): string {
    const [version, name, text, ...more] = sealed.split('.')
    const key = this.#keys.find((one) => one.name === name)
    const octets = Buffer.from(text ?? '', 'base64url')
    // One form only: links are counted by their text.
    const isWhole = more.length === 0 && octets.toString('base64url') === text
    if (version !== VERSION || !key || !isWhole || octets.length < NONCE_BYTES + TAG_BYTES)
      throw new Failure('corrupt', 'a stored secret cannot be opened with the keys that are known')
    const decipher = createDecipheriv('aes-256-gcm', keyFor(key, place), octets.subarray(0, NONCE_BYTES))
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

  /** Keys for another purpose, the newest first. */
  derive(purpose: string): Uint8Array[] {
    return this.#keys.map(({ bytes }) => derived(bytes, purpose))
  }
}

function keyFor({ bytes, derived: known }: NamedKey, { purpose }: SecretPlace): Uint8Array {
  const key = known.get(purpose) ?? derived(bytes, `seal ${purpose}`)
  known.set(purpose, key)
  return key
}

/** RFC 5869 */
function derived(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', `posthouse ${purpose}`, SECRET_KEY_BYTES))
}

function aadOf({ purpose, tenant, row }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([purpose, tenant, row]))
}
