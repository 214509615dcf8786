import { SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'
import { AUDIENCE_SCOPES } from '../audience/audience.type.ts'

/**
 * An address that wants no newsletter of the organization (decision D18). It outlives subscribers and audiences. Only its owner ends it,
 * by confirming a sign-up: clients can neither change nor destroy it.
 */
export const OptOut = defineType({
  name: 'OptOut',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'opt',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    email: p.string({ minLength: 1, maxLength: 320 }).fixed(),
    /** Who asked for it: the recipient by a link, a client of the API, or a complaint. */
    source: p.oneOf(['recipient', 'api', 'complaint']).server().fixed(),
    createdAt: p.utcDate().server().fixed(),
  },
  filters: { beforeId: p.string(), email: p.string() },
  sorts: ['createdAt'],
  scopes: AUDIENCE_SCOPES,
})
