/** Kinds of ids by name. */
import { BLOB_ID } from '../../../jmap/mail/blobs.ts'
import { Email } from '../../../jmap/mail/email/email.type.ts'
import { Identity } from '../../../jmap/mail/identity/identity.type.ts'
import { Mailbox } from '../../../jmap/mail/mailbox/mailbox.type.ts'
import { Quota } from '../../../jmap/mail/quota/quota.type.ts'
import { SieveScript } from '../../../jmap/mail/sieve-script/sieve-script.type.ts'
import { EmailSubmission } from '../../../jmap/mail/submission/email-submission.type.ts'
import { Thread } from '../../../jmap/mail/thread/thread.type.ts'
import { PushSubscription } from '../../../jmap/push/subscription/push-subscription.type.ts'
import { Alias } from '../../../jmap/service/alias.type.ts'
import { ApiKey } from '../../../jmap/service/api-key.type.ts'
import { Domain } from '../../../jmap/service/domain.type.ts'
import { MailAccount } from '../../../jmap/service/mail-account.type.ts'
import { Organization } from '../../../jmap/service/organization.type.ts'
import { Suppression } from '../../../jmap/service/suppression/suppression.type.ts'
import { EVENT_ID } from '../../../jmap/service/webhook/envelope.ts'
import { Webhook } from '../../../jmap/service/webhook/webhook.type.ts'
import { WebhookDelivery } from '../../../jmap/service/webhook/webhook-delivery.type.ts'

export const KINDS = {
  Organization,
  Domain,
  MailAccount,
  Alias,
  ApiKey,
  Webhook,
  WebhookDelivery,
  Event: EVENT_ID,
  Email,
  Thread,
  Mailbox,
  Blob: BLOB_ID,
  Identity,
  EmailSubmission,
  PushSubscription,
  SieveScript,
  Suppression,
  Quota,
}

export type Kind = keyof typeof KINDS
