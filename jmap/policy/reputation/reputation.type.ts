import { SERVICE } from '../../type/capabilities.ts'
import { defineType, SINGLETON_ID } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

const rate = p.number().nullable().server()

export const Reputation = defineType({
  name: 'Reputation',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: SINGLETON_ID,
  accounts: 'organization',
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    status: p.oneOf(['healthy', 'warning', 'throttled', 'suspended']).server(),
    /** Time of the last change; null: none. */
    since: p.utcDate().nullable().server(),
    /** Time since which the rates are below those of a warning. */
    calmSince: p.utcDate().nullable().server(),
    /** An administrator has shortened the suspension. */
    isReleased: p.bool().maybe(),
    /** Within the window. */
    recipients: p.uint().server(),
    /** From 0 to 1; null: too few recipients. */
    bounceRate: rate,
    complaintRate: rate,
  },
  scopes: { read: 'usage:read', write: 'organization:write' },
})
