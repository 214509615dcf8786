/** Secrets of the service: passwords hashed by argon2id, keys by SHA-256 of a random text. No secret is stored in clear. */
import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { ARGON2_MEMORY_KIB, ARGON2_PASSES } from '../../server/base/limits.ts'

// Promise A1: argon2id, at least 19 MiB and 2 passes.
const PARAMETERS = {
  algorithm: 2 satisfies Algorithm.Argon2id,
  memoryCost: ARGON2_MEMORY_KIB,
  timeCost: ARGON2_PASSES,
  parallelism: 1,
}

export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

/** `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`: the PHC string format. */
const VERIFIER = /^\$argon2(id|i|d)\$v=(\d+)\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$/

/** Whether a verifier has weaker parameters than the present ones. */
export function isWeak(verifier: string): boolean {
  const [, algorithm, version, memory, passes] = VERIFIER.exec(verifier) ?? []
  const isToday = algorithm === 'id' && version === '19'
  return !isToday || Number(memory) < ARGON2_MEMORY_KIB || Number(passes) < ARGON2_PASSES
}

/** Uses the present parameters and the old salt, because `saltOf` identifies a password. */
export function rehashPassword(verifier: string, password: string): Promise<string> {
  const salt = Buffer.from(saltOf(verifier), 'base64')
  return salt.length >= 8 ? hash(password, { ...PARAMETERS, salt }) : hashPassword(password)
}

/** Changes with the password, but not when the same password is hashed again. */
export function saltOf(verifier: string): string {
  return VERIFIER.exec(verifier)?.[6] ?? verifier
}

let absent: Promise<string> | undefined

/**
 * With a null verifier it does the same work and returns false, so that the response time does not show which accounts exist (promise
 * A2).
 */
export async function verifyPassword(verifier: string | null, password: string): Promise<boolean> {
  absent ??= hashPassword('no such account')
  const matches = await verify(verifier ?? (await absent), password, PARAMETERS)
  return matches && verifier !== null
}

/** Key of the credential row of a mailbox account. */
export function mailboxCredential(account: number): string {
  return `mailbox:${account}`
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `sk_` and 40 characters: 34 random ones (202 bits) and a CRC-32, which distinguishes a mistyped key from a wrong one (decision D5). */
export function createApiKey(): string {
  let random = ''
  for (let i = 0; i < 34; i++) random += BASE62[randomInt(62)]
  return `sk_${random}${checksum(random)}`
}

export function isApiKey(text: string): boolean {
  return /^sk_[0-9A-Za-z]{40}$/.test(text) && checksum(text.slice(3, 37)) === text.slice(37)
}

function checksum(text: string): string {
  let value = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = BASE62[value % 62] + digits
    value = Math.floor(value / 62)
  }
  return digits
}

/** Key of the credential row of an API key. Random keys need no slow hash. */
export function apiKeyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
