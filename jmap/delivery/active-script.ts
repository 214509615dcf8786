/** The active Sieve script of an account (RFC 9661), with its access to storage. */
import { rememberedKeys } from '../../storage/repos/delivery-memory.ts'
import { findActiveScript } from '../mail/sieve-script/active.ts'
import type { Services } from '../type/context.ts'
import type { ActiveScript } from './decide.ts'

/** null: no script is active. */
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
