import { IMPORT_FILE_MAX_BYTES } from '../../server/base/import-limits.ts'
import { SERVICE } from '../type/capabilities.ts'
import { defineType } from '../type/define-type.ts'
import { p } from '../type/property.ts'
import { IMPORT_SCOPES } from './import.type.ts'

/** The names that an import can read, in any case (decision D12). No separator of folders and no control character. */
export const IMPORT_FILE_NAME =
  '^[^/\\\\\\u0000-\\u001f\\u007f]*\\.([mM][bB][oO][xX](\\.[gG][zZ])?|[zZ][iI][pP]|[eE][mM][lL])$'

/** A file that a client uploads for an import: its octets are sent to `uploadUrl`, which needs no other authentication. */
export const ImportFile = defineType({
  name: 'ImportFile',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'impf',
  accounts: 'mailbox',
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    fileName: p.string({ minLength: 5, maxLength: 255, pattern: IMPORT_FILE_NAME }).fixed(),
    /** The upload has exactly so many octets. */
    size: p.uint({ minimum: 1, maximum: IMPORT_FILE_MAX_BYTES }).fixed(),
    status: p.oneOf(['waiting', 'uploaded', 'used']).server(),
    expiresAt: p.utcDate().server(),
    createdAt: p.utcDate().server().fixed(),
  },
  atCreation: {
    /** Path of the URL on this server. PUT with Content-Range resumes, HEAD tells how far it is. */
    uploadUrl: p.string(),
  },
  scopes: IMPORT_SCOPES,
})
