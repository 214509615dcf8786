import { createRequire } from 'node:module'
import { onDemand } from '../../server/base/on-demand.ts'

/** The library of encoded-words and parameters. It has the tables of charset.ts too. */
export const libmime = onDemand(() => createRequire(import.meta.url)('libmime') as typeof import('libmime').default)
