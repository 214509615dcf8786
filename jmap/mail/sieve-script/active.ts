/** The compiled script that runs at delivery. */
import { findActiveSieveScript } from '../../../storage/repos/sieve-scripts.ts'
import { type CompileResult, failingScript, type SieveScript } from '../../sieve/index.ts'
import type { Services } from '../../type/context.ts'
import { readStored } from '../blob/blobs.ts'
import { compileOctets, findCompiled } from './content.ts'

/**
 * null: none is active. A stored script that no longer compiles becomes a script that fails, so that mail is kept and the delivery log
 * says so.
 */
export async function findActiveScript(
  { store }: Pick<Services, 'store'>,
  account: number,
): Promise<{ readonly name: string; readonly script: SieveScript } | null> {
  return store.read(async (reader) => {
    const found = await findActiveSieveScript(reader, account)
    if (!found) return null
    const known = findCompiled(found.hash)
    const bytes = known ? null : await readStored(store, reader, account, found.blob)
    const result = known ?? (bytes && compileOctets(bytes))
    return { name: found.name, script: result ? scriptOf(result) : failingScript('the script is not there') }
  })
}

function scriptOf(result: CompileResult): SieveScript {
  if ('script' in result) return result.script
  return failingScript(`line ${result.error.line}: ${result.error.message}`)
}
