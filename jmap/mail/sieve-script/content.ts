/** The octets of a script, if a blob is one. Compiled scripts are cached by the hash of their octets. */
import { hash } from 'node:crypto'
import {
  SIEVE_COMPILED_MAX,
  SIEVE_COMPILED_MAX_BYTES,
  SIEVE_SCRIPT_MAX_BYTES,
} from '../../../server/base/sieve-limits.ts'
import { blobNotFound, type SetError, setError, tooLarge } from '../../protocol/errors.ts'
import { type CompileResult, compileScript } from '../../sieve/index.ts'
import type { MethodContext } from '../../type/context.ts'
import { openBlob } from '../blob/blobs.ts'

/** The octets of a script that can run, or why they are not one. */
export async function readScript(
  method: MethodContext,
  blobId: string,
): Promise<{ readonly bytes: Uint8Array } | { readonly error: SetError }> {
  const { credential } = method.request.principal
  const blob = await openBlob(method.services, credential, method.account.number, blobId)
  if (!blob) return { error: blobNotFound([blobId]) }
  if (blob.size > SIEVE_SCRIPT_MAX_BYTES) return { error: tooLarge(SIEVE_SCRIPT_MAX_BYTES, 'The script is too large.') }
  const bytes = await blob.read()
  const result = compileOctets(bytes)
  if (!('error' in result)) return { bytes }
  return { error: setError('invalidSieve', `Line ${result.error.line}: ${result.error.message}`) }
}

/** The result depends only on the octets, so that all stores of a process share the cache. */
export function compileOctets(bytes: Uint8Array): CompileResult {
  const digest = hash('sha256', bytes, 'buffer')
  const known = findCompiled(digest)
  if (known) return known
  const result = compileUtf8(bytes)
  compiled.set(keyOf(digest), result, bytes.length)
  return result
}

/** The cached result for octets with this hash. */
export function findCompiled(digest: Uint8Array): CompileResult | null {
  return compiled.get(keyOf(digest))
}

function keyOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('base64url')
}

/** RFC 5228 2.1: scripts are UTF-8. */
function compileUtf8(bytes: Uint8Array): CompileResult {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { error: { line: 1, message: 'The script is not UTF-8.' } }
  }
  return compileScript(text)
}

/** Keeps the last used scripts, within a number and a size of their sources. */
class CompiledScripts {
  readonly #results = new Map<string, { readonly result: CompileResult; readonly size: number }>()
  #size = 0

  get(key: string): CompileResult | null {
    const found = this.#results.get(key)
    if (!found) return null
    this.#results.delete(key)
    this.#results.set(key, found)
    return found.result
  }

  set(key: string, result: CompileResult, size: number): void {
    this.#results.set(key, { result, size })
    this.#size += size
    for (const [oldest, entry] of this.#results) {
      if (this.#results.size <= SIEVE_COMPILED_MAX && this.#size <= SIEVE_COMPILED_MAX_BYTES) return
      this.#results.delete(oldest)
      this.#size -= entry.size
    }
  }
}

const compiled = new CompiledScripts()
