import { CORE } from '../../capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/**
 * RFC 8620 7.2. It belongs to a credential and to no account, so its two methods are registered apart (methods.ts); what is kept
 * of it lies in the account where the credential is at home.
 */
export const PushSubscription = defineType({
  name: 'PushSubscription',
  capability: CORE,
  spec: 'RFC 8620 7.2',
  idKind: 'PushSubscription',
  accounts: 'mailbox',
  methods: ['get', 'set'],
  properties: {
    id: p.id().server().fixed(),
    deviceClientId: p.string({ min: 1, max: 255 }).fixed(),
    // RFC 8620 7.2.1: url and keys are never returned.
    url: p.string({ max: 2_048 }).secret().fixed(),
    keys: p
      .object({ p256dh: p.string({ max: 128 }), auth: p.string({ max: 64 }) })
      .nullable()
      .secret()
      .fixed(),
    verificationCode: p.string({ max: 128 }).nullable().defaults(null),
    expires: p.utcDate().nullable().defaults(null),
    types: p
      .json<readonly string[]>({ type: 'array', items: { type: 'string', maxLength: 255 }, maxItems: 256 })
      .nullable()
      .defaults(null),
  },
  scopes: { read: '', write: '' },
})
