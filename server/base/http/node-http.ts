/**
 * Exports of node:http. An import of it would make Node load its HTTP client too, because that is among its exports: 12 MB that nothing here
 * uses.
 */
import { createRequire } from 'node:module'

export const { createServer, ServerResponse, STATUS_CODES } = createRequire(import.meta.url)(
  'node:http',
) as typeof import('node:http')
export type ServerResponse = import('node:http').ServerResponse
