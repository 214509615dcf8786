/** The logo of an organization: fetched once when its URL is set, and encoded again (decision D31). */
import { createHash } from 'node:crypto'
import {
  LOGO_FILE_MAX_PIXELS,
  LOGO_MAX_BYTES,
  LOGO_MAX_HEIGHT,
  LOGO_MAX_WIDTH,
} from '../../server/base/image-limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { replaceLogo } from '../../storage/repos/organization-logos.ts'
import { type EncodedImage, reEncode } from '../images/re-encode.ts'
import { Organization } from '../policy/organization.type.ts'
import { invalidProperties } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'
import type { PrepareOutcome } from '../type/handlers.ts'
import { findStored } from '../type/object-store.ts'

const LIMITS = {
  width: LOGO_MAX_WIDTH,
  height: LOGO_MAX_HEIGHT,
  bytes: LOGO_MAX_BYTES,
  filePixels: LOGO_FILE_MAX_PIXELS,
}

/** Outside of the unit of work. null: nothing is to be fetched. */
export async function prepareLogo(method: MethodContext, url: unknown): Promise<PrepareOutcome<EncodedImage | null>> {
  if (typeof url !== 'string') return { prepared: null }
  const { number } = method.account
  const stored = await method.read((reader) => findStored(reader, number, Organization, number))
  if (stored?.data.logoUrl === url) return { prepared: null }
  const fetched = await method.services.fetchImage(url)
  const image = 'fault' in fetched ? fetched : await reEncode(number, fetched.bytes, LIMITS)
  return 'fault' in image
    ? { error: invalidProperties(['logoUrl'], `The logo cannot be used: ${image.fault}.`) }
    : { prepared: image }
}

/** Inside. @param image null: there is no logo any more */
export async function keepLogo(unit: AccountUnit, image: EncodedImage | null): Promise<void> {
  if (!image) return replaceLogo(unit, null)
  const { bytes, type, width, height } = image
  const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 20)
  await replaceLogo(unit, { tag, type, width, height, image: bytes })
}
