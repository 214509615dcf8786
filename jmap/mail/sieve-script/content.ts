/** The octets of a script, as far as a blob of them is one. */
import { SIEVE_SCRIPT_MAX_BYTES } from '../../../server/base/sieve-limits.ts'
import type { MethodContext } from '../../context.ts'
import { blobNotFound, type SetError, setError, tooLarge } from '../../protocol/errors.ts'
import { type CompileResult, compileScript } from '../../sieve/index.ts'
import { openBlob } from '../blobs.ts'

/** Octets that are a script which can run, or why they are none. */
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

/** RFC 5228 2.1: scripts are UTF-8. */
export function compileOctets(bytes: Uint8Array): CompileResult {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { error: { line: 1, message: 'The script is not UTF-8.' } }
  }
  return compileScript(text)
}
