/** The types of this server: one line each. Everything else of a type follows from its declaration (type/define-type.ts). */
import { CORE, WEBPUSH_VAPID, WEBSOCKET } from './capabilities.ts'
import { blobCopyMethod } from './core/blob/copy.ts'
import { blobGetMethod } from './core/blob/get.ts'
import { blobLookupMethod } from './core/blob/lookup.ts'
import { blobUploadMethod } from './core/blob/upload.ts'
import { echoMethod } from './echo.ts'
import { BLOB_ID } from './mail/blobs.ts'
import { emailHandlers } from './mail/email/email.handlers.ts'
import { Email } from './mail/email/email.type.ts'
import { importMethod } from './mail/email/import.ts'
import { parseMethod } from './mail/email/parse.ts'
import { identityHandlers } from './mail/identity/identity.handlers.ts'
import { Identity } from './mail/identity/identity.type.ts'
import { mailboxHandlers } from './mail/mailbox/mailbox.handlers.ts'
import { Mailbox } from './mail/mailbox/mailbox.type.ts'
import { quotaHandlers } from './mail/quota/quota.handlers.ts'
import { Quota } from './mail/quota/quota.type.ts'
import { inboxRulesHandlers } from './mail/rules/inbox-rules.handlers.ts'
import { InboxRules } from './mail/rules/inbox-rules.type.ts'
import { testRulesMethod } from './mail/rules/test.ts'
import { searchSnippetMethod } from './mail/search-snippet/get.ts'
import { sieveScriptHandlers } from './mail/sieve-script/sieve-script.handlers.ts'
import { SieveScript } from './mail/sieve-script/sieve-script.type.ts'
import { validateMethod } from './mail/sieve-script/validate.ts'
import { emailSubmissionHandlers } from './mail/submission/email-submission.handlers.ts'
import { EmailSubmission } from './mail/submission/email-submission.type.ts'
import { sendMethod } from './mail/submission/send.ts'
import { threadHandlers, threadQuery } from './mail/thread/thread.handlers.ts'
import { Thread } from './mail/thread/thread.type.ts'
import { vacationResponseHandlers } from './mail/vacation/vacation-response.handlers.ts'
import { VacationResponse } from './mail/vacation/vacation-response.type.ts'
import { pushSubscriptionMethods } from './push/subscription/methods.ts'
import { PushSubscription } from './push/subscription/push-subscription.type.ts'
import { createRegistry, type Registry, registration } from './registry.ts'
import { aliasHandlers } from './service/alias.handlers.ts'
import { Alias } from './service/alias.type.ts'
import { apiKeyHandlers } from './service/api-key.handlers.ts'
import { ApiKey } from './service/api-key.type.ts'
import { rotateMethod } from './service/domain/rotate.ts'
import { verifyMethod } from './service/domain/verify.ts'
import { domainHandlers } from './service/domain.handlers.ts'
import { Domain } from './service/domain.type.ts'
import { mailAccountHandlers } from './service/mail-account.handlers.ts'
import { MailAccount } from './service/mail-account.type.ts'
import { organizationHandlers } from './service/organization.handlers.ts'
import { Organization } from './service/organization.type.ts'
import { queueChangeMethod } from './service/queue/change.ts'
import { queueListMethod } from './service/queue/list.ts'
import { reputationHandlers } from './service/reputation/reputation.handlers.ts'
import { Reputation } from './service/reputation/reputation.type.ts'
import { sentMessageGet, sentMessageQuery } from './service/sent-messages.ts'
import { suppressionHandlers } from './service/suppression/suppression.handlers.ts'
import { Suppression } from './service/suppression/suppression.type.ts'
import { usageMethod } from './service/usage.ts'
import { EVENT_ID } from './service/webhook/envelope.ts'
import { replayMethod, rotateSecretMethod, testWebhookMethod } from './service/webhook/methods.ts'
import { webhookHandlers } from './service/webhook/webhook.handlers.ts'
import { Webhook } from './service/webhook/webhook.type.ts'
import { webhookDeliveryHandlers } from './service/webhook/webhook-delivery.handlers.ts'
import { WebhookDelivery } from './service/webhook/webhook-delivery.type.ts'

export function createStandardRegistry(): Registry {
  return createRegistry([
    { methods: [echoMethod], capabilities: [CORE, WEBSOCKET, WEBPUSH_VAPID] },
    { methods: [blobCopyMethod, blobGetMethod, blobLookupMethod, blobUploadMethod], ids: [BLOB_ID] },
    registration(Mailbox, mailboxHandlers),
    registration(Thread, threadHandlers, threadQuery),
    registration(Email, emailHandlers, importMethod, parseMethod, searchSnippetMethod),
    registration(Identity, identityHandlers),
    registration(EmailSubmission, emailSubmissionHandlers, sendMethod),
    registration(VacationResponse, vacationResponseHandlers),
    registration(InboxRules, inboxRulesHandlers, testRulesMethod),
    registration(SieveScript, sieveScriptHandlers, validateMethod),
    registration(Quota, quotaHandlers),
    registration(Organization, organizationHandlers, usageMethod, queueListMethod, queueChangeMethod),
    registration(Domain, domainHandlers, rotateMethod, verifyMethod),
    registration(MailAccount, mailAccountHandlers, sentMessageQuery, sentMessageGet),
    registration(Alias, aliasHandlers),
    registration(ApiKey, apiKeyHandlers),
    registration(Suppression, suppressionHandlers),
    registration(Reputation, reputationHandlers),
    registration(Webhook, webhookHandlers, rotateSecretMethod, testWebhookMethod),
    registration(WebhookDelivery, webhookDeliveryHandlers, replayMethod),
    { methods: pushSubscriptionMethods, ids: [PushSubscription, EVENT_ID] },
  ])
}
