/**
 * Room for newsletters: their number in an organization and the octets of what they say are limited, so that no one fills the disk. It is
 * a limit of the server, not a quota of the plan (decision E21).
 */
import { NEWSLETTERS_MAX } from '../../../server/base/newsletter-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { contentUsage, type WrittenContent } from '../../../storage/repos/newsletters.ts'
import type { Limits } from '../../type/limits.ts'

type ContentLimits = Pick<Limits, 'newsletterContentBytes'>

/** Why a new newsletter does not fit; null: it does. */
export async function noRoomForNew(
  { newsletterContentBytes: most }: ContentLimits,
  unit: AccountUnit,
  { octets }: Pick<WrittenContent, 'octets'>,
): Promise<string | null> {
  const used = await contentUsage(unit, unit.account)
  if (used.count >= NEWSLETTERS_MAX) return `An organization has at most ${NEWSLETTERS_MAX} newsletters.`
  return used.octets + octets > most ? full(most, used.octets, octets) : null
}

/** The same for other content of a newsletter. What gets smaller always fits. */
export async function noRoomForChange(
  { newsletterContentBytes: most }: ContentLimits,
  unit: AccountUnit,
  newsletter: number,
  { octets }: Pick<WrittenContent, 'octets'>,
): Promise<string | null> {
  const others = await contentUsage(unit, unit.account, newsletter)
  if (others.octets + octets <= most) return null
  const used = await contentUsage(unit, unit.account)
  return others.octets + octets > used.octets ? full(most, others.octets, octets) : null
}

function full(most: number, used: number, needed: number): string {
  return `The contents of all newsletters of an organization have at most ${most} octets: ${used} are used, and ${needed} are needed. Delete drafts or cancelled newsletters.`
}
