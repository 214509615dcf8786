/** Images are decoded one at a time, so that the other threads of the library stay free for files. */
import { FairTurns } from '../../server/base/fair-turns.ts'
import { IMAGES_WAITING_MAX, IMAGES_WAITING_PER_ORGANIZATION_MAX } from '../../server/base/image-limits.ts'

/** By the number of the organization. */
export const imageTurns = new FairTurns(IMAGES_WAITING_PER_ORGANIZATION_MAX, IMAGES_WAITING_MAX)
