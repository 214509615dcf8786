import { MEETING_TEMPLATE_MAX_CHARS, ZOOM_CREDENTIAL_MAX_CHARS } from '../../../server/base/conferencing-limits.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType, objectStorage } from '../../type/define-type.ts'
import type { StoredOf } from '../../type/derived.ts'
import { p } from '../../type/property.ts'
import { CALENDAR_SCOPES } from '../capability.ts'
import { CONFERENCING_PROVIDERS } from '../jscalendar/conferencing.ts'

interface Internal {
  /** Sealed JSON of `clientId` and `clientSecret` (server/base/keyring.ts); null: the provider needs none. */
  readonly credentials: string | null
}

const credential = () => p.string({ minLength: 1, maxLength: ZOOM_CREDENTIAL_MAX_CHARS, pattern: '^[\\x21-\\x7e]+$' })

/** A provider of meetings that is connected to a mailbox; one of each (decisions D23 and D32). */
export const ConferencingConnection = defineType({
  name: 'ConferencingConnection',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'cnf',
  accounts: 'mailbox',
  storage: objectStorage<Internal>(),
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    provider: p.oneOf(CONFERENCING_PROVIDERS).fixed(),
    /** Of jitsi: the URL of a room, such as `https://meet.example.com/{room}`. Without `{room}` the room is its last segment. */
    urlTemplate: p.string({ minLength: 1, maxLength: MEETING_TEMPLATE_MAX_CHARS }).nullable().defaults(null),
    /** Of zoom: the id of the account. It changes together with `clientId` and `clientSecret`. */
    account: credential().nullable().defaults(null),
    clientId: credential().secret(),
    clientSecret: credential().secret(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  scopes: CALENDAR_SCOPES,
})

export type StoredConnection = StoredOf<typeof ConferencingConnection>
