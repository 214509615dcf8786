/** The script that runs for an account (RFC 9661), and what it may ask of storage. */
import { rememberedKeys } from '../../../storage/repos/delivery-memory.ts'
import type { Services } from '../../context.ts'
import { findActiveScript } from '../sieve-script/active.ts'
import type { ActiveScript } from './decide.ts'

/** null: none is active. */
export async function activeScript(
  { store }: Pick<Services, 'store'>,
  account: number,
  now: number,
): Promise<ActiveScript | null> {
  const found = await findActiveScript({ store }, account)
  if (!found) return null
  return {
    ...found,
    lookUp: (keys) => store.read((reader) => rememberedKeys(reader, account, 'duplicate', keys, now)),
  }
}
