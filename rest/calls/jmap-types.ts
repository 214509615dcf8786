/** The JMAP types that REST uses. Their objects derive from the declarations. */
import { Email } from '../../jmap/mail/email/email.type.ts'
import { Identity } from '../../jmap/mail/identity/identity.type.ts'
import { Mailbox } from '../../jmap/mail/mailbox/mailbox.type.ts'
import { InboxRules } from '../../jmap/mail/rules/inbox-rules.type.ts'
import { EmailSubmission } from '../../jmap/mail/submission/email-submission.type.ts'
import { Thread } from '../../jmap/mail/thread/thread.type.ts'
import { Alias } from '../../jmap/service/alias.type.ts'
import { ApiKey } from '../../jmap/service/api-key.type.ts'
import { Domain } from '../../jmap/service/domain.type.ts'
import { MailAccount } from '../../jmap/service/mail-account.type.ts'
import type { SentMessage } from '../../jmap/service/sent-messages.ts'
import { Suppression } from '../../jmap/service/suppression/suppression.type.ts'
import { Webhook } from '../../jmap/service/webhook/webhook.type.ts'
import { WebhookDelivery } from '../../jmap/service/webhook/webhook-delivery.type.ts'
import type { ObjectOf } from '../../jmap/type/derived.ts'

export const TYPES = {
  Domain,
  MailAccount,
  Alias,
  ApiKey,
  Suppression,
  Webhook,
  WebhookDelivery,
  Mailbox,
  Thread,
  Email,
  Identity,
  EmailSubmission,
  InboxRules,
}

/** All capabilities of these types and of their extensions: what the scope of an endpoint allows is checked before. */
export const USING: readonly string[] = [
  ...new Set(
    Object.values(TYPES).flatMap(({ capability, properties }) => [
      capability.urn,
      ...Object.values(properties).flatMap((property) => property.capability ?? []),
    ]),
  ),
]

export type DomainObject = ObjectOf<typeof Domain>
export type DnsRecordSetObject = DomainObject['dnsRecords']
export type MailAccountObject = ObjectOf<typeof MailAccount>
export type AliasObject = ObjectOf<typeof Alias>
/** `key` is told once, when it is created. */
export type ApiKeyObject = ObjectOf<typeof ApiKey> & { readonly key?: string }
export type SuppressionObject = ObjectOf<typeof Suppression>
/** `secret` is told once, when it is created. */
export type WebhookObject = ObjectOf<typeof Webhook> & { readonly secret?: string }
export type WebhookDeliveryObject = ObjectOf<typeof WebhookDelivery>
export type MailboxObject = ObjectOf<typeof Mailbox>
export type ThreadObject = ObjectOf<typeof Thread>
export type EmailObject = ObjectOf<typeof Email>
export type AddressObject = NonNullable<EmailObject['from']>[number]
export type BodyPartObject = EmailObject['attachments'][number]
export type BodyValueObject = EmailObject['bodyValues'][string]
export type AuthenticationObject = NonNullable<EmailObject['authentication']>
export type SpamVerdictObject = NonNullable<EmailObject['spamVerdict']>
export type TraceNoteObject = EmailObject['deliveryTrace'][number]
export type SentMessageObject = SentMessage
export type IdentityObject = ObjectOf<typeof Identity>
export type InboxRulesObject = ObjectOf<typeof InboxRules>
export type EmailSubmissionObject = ObjectOf<typeof EmailSubmission>

export interface JmapObjects {
  readonly Domain: DomainObject
  readonly MailAccount: MailAccountObject
  readonly Alias: AliasObject
  readonly ApiKey: ApiKeyObject
  readonly Suppression: SuppressionObject
  readonly Webhook: WebhookObject
  readonly WebhookDelivery: WebhookDeliveryObject
  readonly Mailbox: MailboxObject
  readonly Thread: ThreadObject
  readonly Email: EmailObject
  readonly Identity: IdentityObject
  readonly EmailSubmission: EmailSubmissionObject
  readonly InboxRules: InboxRulesObject
}
