import type { AccountUnit } from '../../storage/ports.ts'
import type { Services } from '../context.ts'

/** Whether an account may hold so many octets more (api/decisions.md D8: 0 is no limit). */
export function hasRoomFor({ limits }: Pick<Services, 'limits'>, unit: AccountUnit, size: number): boolean {
  return limits.mailboxStorageBytes === 0 || unit.usedBytes + size <= limits.mailboxStorageBytes
}
