/** Every type and verb, one line each. */
import {
  BLOB,
  CORE,
  MAIL,
  QUOTA,
  SERVICE,
  SIEVE,
  SUBMISSION,
  VACATION_RESPONSE,
  WEBPUSH_VAPID,
  WEBSOCKET,
} from './capabilities.ts'
import { copyMethod } from './core/blob/copy.ts'
import { getMethod } from './core/blob/get.ts'
import { lookupMethod } from './core/blob/lookup.ts'
import { uploadMethod } from './core/blob/upload.ts'
import { echoMethod } from './echo.ts'
import { Email } from './mail/email/email.type.ts'
import { importMethod } from './mail/email/import.ts'
import { parseMethod } from './mail/email/parse.ts'
import { emailRules } from './mail/email/rules.ts'
import { Identity } from './mail/identity/identity.type.ts'
import { identityRules } from './mail/identity/rules.ts'
import { Mailbox } from './mail/mailbox/mailbox.type.ts'
import { mailboxRules } from './mail/mailbox/rules.ts'
import { Quota } from './mail/quota/quota.type.ts'
import { quotaRules } from './mail/quota/rules.ts'
import { InboxRules } from './mail/rules/inbox-rules.type.ts'
import { inboxRulesRules } from './mail/rules/rules.ts'
import { testRulesMethod } from './mail/rules/test.ts'
import { searchSnippetMethod } from './mail/search-snippet/get.ts'
import { sieveScriptRules } from './mail/sieve-script/rules.ts'
import { SieveScript } from './mail/sieve-script/sieve-script.type.ts'
import { validateMethod } from './mail/sieve-script/validate.ts'
import { submissionRules } from './mail/submission/rules.ts'
import { sendMethod } from './mail/submission/send.ts'
import { EmailSubmission } from './mail/submission/submission.type.ts'
import { threadQuery, threadRules } from './mail/thread/rules.ts'
import { Thread } from './mail/thread/thread.type.ts'
import { vacationRules } from './mail/vacation/rules.ts'
import { VacationResponse } from './mail/vacation/vacation-response.type.ts'
import { pushSubscriptionMethods } from './push/subscription/methods.ts'
import { createRegistry, type Registry } from './registry.ts'
import { Alias, aliasRules } from './service/alias.ts'
import { ApiKey, apiKeyRules } from './service/api-key.ts'
import { rotateMethod } from './service/domain/rotate.ts'
import { verifyMethod } from './service/domain/verify.ts'
import { Domain, domainRules } from './service/domain.ts'
import { MailAccount, mailAccountRules } from './service/mail-account.ts'
import { Organization, organizationRules } from './service/organization.ts'
import { queueChangeMethod } from './service/queue/change.ts'
import { queueListMethod } from './service/queue/list.ts'

import { Reputation } from './service/reputation/reputation.type.ts'
import { reputationRules } from './service/reputation/rules.ts'
import { sentMessageGet, sentMessageQuery } from './service/sent-messages.ts'
import { suppressionRules } from './service/suppression/rules.ts'
import { Suppression } from './service/suppression/suppression.type.ts'
import { usageMethod } from './service/usage.ts'
import { WebhookDelivery } from './service/webhook/delivery.type.ts'
import { deliveryRules } from './service/webhook/delivery-rules.ts'
import { webhookMethods } from './service/webhook/methods.ts'
import { webhookRules } from './service/webhook/rules.ts'
import { Webhook } from './service/webhook/webhook.type.ts'

export function createStandardRegistry(): Registry {
  return createRegistry(
    [
      { type: Mailbox, rules: mailboxRules },
      { type: Thread, rules: threadRules },
      { type: Email, rules: emailRules },
      { type: Identity, rules: identityRules },
      { type: EmailSubmission, rules: submissionRules },
      { type: VacationResponse, rules: vacationRules },
      { type: InboxRules, rules: inboxRulesRules },
      { type: SieveScript, rules: sieveScriptRules },
      { type: Quota, rules: quotaRules },
      { type: Organization, rules: organizationRules },
      { type: Domain, rules: domainRules },
      { type: MailAccount, rules: mailAccountRules },
      { type: Alias, rules: aliasRules },
      { type: ApiKey, rules: apiKeyRules },
      { type: Suppression, rules: suppressionRules },
      { type: Reputation, rules: reputationRules },
      { type: Webhook, rules: webhookRules },
      { type: WebhookDelivery, rules: deliveryRules },
    ],
    [
      echoMethod,
      importMethod,
      sendMethod,
      sentMessageQuery,
      sentMessageGet,
      parseMethod,
      searchSnippetMethod,
      testRulesMethod,
      validateMethod,
      threadQuery,
      copyMethod,
      uploadMethod,
      getMethod,
      lookupMethod,
      rotateMethod,
      verifyMethod,
      usageMethod,
      ...webhookMethods,
      ...pushSubscriptionMethods,
      queueListMethod,
      queueChangeMethod,
    ],
    [CORE, MAIL, SUBMISSION, VACATION_RESPONSE, SIEVE, BLOB, QUOTA, SERVICE, WEBSOCKET, WEBPUSH_VAPID],
  )
}
