import { CORE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/**
 * RFC 8620 7.2. The object belongs to a credential and to no account, so its two methods are not the standard ones (methods.ts). Its
 * row is in the account that the credential belongs to.
 */
export const PushSubscription = defineType({
  name: 'PushSubscription',
  capability: CORE,
  spec: 'RFC 8620 7.2',
  idPrefix: 'psh',
  accounts: 'mailbox',
  methods: [],
  properties: {
    id: p.id().server().fixed(),
    deviceClientId: p.string({ minLength: 1, maxLength: 255 }).fixed(),
    // RFC 8620 7.2.1: url and keys are never returned.
    url: p.string({ maxLength: 2_048 }).secret().fixed(),
    keys: p
      .object({ p256dh: p.string({ maxLength: 128 }), auth: p.string({ maxLength: 64 }) })
      .nullable()
      .secret()
      .fixed(),
    verificationCode: p.string({ maxLength: 128 }).nullable().defaults(null),
    expires: p.utcDate().nullable().defaults(null),
    types: p
      .list(p.string({ maxLength: 255 }), { maxItems: 256 })
      .nullable()
      .defaults(null),
  },
  scopes: { read: '', write: '' },
})
