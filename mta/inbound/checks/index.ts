import type { InboundCheck } from './check.ts'
import { hops } from './hops.ts'

/** In the order in which they run. */
export const CHECKS: readonly InboundCheck[] = [hops]
