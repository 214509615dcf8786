import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { SIEVE } from './capability.ts'

export const SieveScript = defineType({
  name: 'SieveScript',
  capability: SIEVE,
  spec: 'RFC 9661 2',
  idPrefix: 'siv',
  accounts: 'mailbox',
  methods: ['get', 'set', 'query'],
  properties: {
    id: p.id().server().fixed(),
    /** null: the server chooses a name. */
    name: p.string({ minLength: 1 }).nullable().defaults(null),
    blobId: p.id(),
    isActive: p.bool().server(),
  },
  filters: { name: p.string(), isActive: p.bool() },
  sorts: ['name', 'isActive'],
  args: {
    set: {
      onSuccessActivateScript: p.string().nullable().defaults(null),
      onSuccessDeactivateScript: p.bool().nullable().defaults(null),
    },
  },
  invalidates: ['deliverySettings'],
  ofBlob: ({ scripts }) => scripts,
  scopes: { read: 'mailboxes:read', write: 'mailboxes:write' },
})
