/**
 * Makes slow secrets cheap in the tests of one process: RSA key pairs are generated a few times and reused in turn, and each argon2
 * hash is computed once. The results are real; threads and processes that a test starts compute them each time.
 */
import crypto, { type KeyPairKeyObjectResult } from 'node:crypto'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { promisify } from 'node:util'

/** Enough that neighbouring domains and generations have different keys. */
const PAIRS = 8

/** Must be called before any module that uses argon2 is loaded. */
export function reuseCostlySecrets(): void {
  reuseRsaPairs()
  const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
  argon2.hash = remember(argon2.hash)
  argon2.verify = remember(argon2.verify)
}

function reuseRsaPairs(): void {
  const original = promisify(crypto.generateKeyPair) as (
    type: string,
    options?: object,
  ) => Promise<KeyPairKeyObjectResult>
  const made: Promise<KeyPairKeyObjectResult>[] = []
  let next = 0
  const reusing = (type: string, options?: object) => {
    if (type !== 'rsa') return original(type, options)
    const index = next++ % PAIRS
    made[index] ??= original(type, options)
    return made[index]
  }
  const replacement = (...[type, options, done]: [string, object, (error: Error | null, pair?: object) => void]) =>
    void reusing(type, options).then((pair) => done(null, pair), done)
  crypto.generateKeyPair = Object.assign(replacement, {
    [promisify.custom]: reusing,
  }) as unknown as typeof crypto.generateKeyPair
  syncBuiltinESMExports()
}

function remember<Question extends unknown[], Answer>(
  ask: (...question: Question) => Promise<Answer>,
): (...question: Question) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>()
  return (...question) => {
    const key = JSON.stringify(question)
    const known = answers.get(key) ?? ask(...question)
    answers.set(key, known)
    return known
  }
}
