/**
 * The library smtp-server as CommonJS. Its ES modules and nodemailer's import node:http, and for an import of node:http Node loads its HTTP
 * client too, because that is among the exports: 12 MB that nothing here uses.
 */
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

export const { SMTPServer } = load('smtp-server') as typeof import('smtp-server')
export const { SMTPConnection } = load(
  'smtp-server/lib/smtp-connection.js',
) as typeof import('smtp-server/lib/smtp-connection.js')
export const { SMTPStream } = load('smtp-server/lib/smtp-stream.js') as typeof import('smtp-server/lib/smtp-stream.js')
