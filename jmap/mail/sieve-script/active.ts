/** The script that runs at delivery, compiled; what was compiled is remembered under the hash of its octets. */
import { SIEVE_COMPILED_MAX, SIEVE_COMPILED_MAX_BYTES } from '../../../server/base/sieve-limits.ts'
import { findActiveSieveScript } from '../../../storage/repos/sieve-scripts.ts'
import type { Services } from '../../context.ts'
import { failingScript, type SieveScript } from '../../sieve/index.ts'
import { readStored } from '../blobs.ts'
import { compileOctets } from './content.ts'

export interface ActiveScript {
  readonly name: string
  readonly script: SieveScript
}

/** null: none is active. What was stored but cannot be compiled any more is a script that fails, so that mail is kept and it is told. */
export async function findActiveScript(
  { store }: Pick<Services, 'store'>,
  account: number,
): Promise<ActiveScript | null> {
  return store.read(async (reader) => {
    const found = await findActiveSieveScript(reader, account)
    if (!found) return null
    const key = Buffer.from(found.hash).toString('base64url')
    const known = compiled.get(key)
    if (known) return { name: found.name, script: known }
    const bytes = await readStored(store, reader, account, found.blob)
    const script = bytes ? compile(bytes) : failingScript('the script is not there')
    if (bytes) compiled.set(key, script, bytes.length)
    return { name: found.name, script }
  })
}

function compile(bytes: Uint8Array): SieveScript {
  const result = compileOctets(bytes)
  return 'script' in result ? result.script : failingScript(`line ${result.error.line}: ${result.error.message}`)
}

/** The last used are kept, within a number and a size. */
class CompiledScripts {
  readonly #scripts = new Map<string, { readonly script: SieveScript; readonly size: number }>()
  #size = 0

  get(key: string): SieveScript | null {
    const found = this.#scripts.get(key)
    if (!found) return null
    this.#scripts.delete(key)
    this.#scripts.set(key, found)
    return found.script
  }

  set(key: string, script: SieveScript, size: number): void {
    this.#scripts.set(key, { script, size })
    this.#size += size
    for (const [oldest, entry] of this.#scripts) {
      if (this.#scripts.size <= SIEVE_COMPILED_MAX && this.#size <= SIEVE_COMPILED_MAX_BYTES) return
      this.#scripts.delete(oldest)
      this.#size -= entry.size
    }
  }
}

/** Compiling depends on nothing but the octets, so that all stores of a process may share what it gives. */
const compiled = new CompiledScripts()
