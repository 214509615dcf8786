/** All endpoints of the API, in the order of its document. */
import type { Endpoint } from './endpoint.ts'
import { createAlias, deleteAlias, getAlias, listAliases, updateAlias } from './resources/aliases.ts'
import { createApiKey, deleteApiKey, getApiKey, listApiKeys, updateApiKey } from './resources/api-keys.ts'
import { downloadAttachment, downloadRawMessage } from './resources/attachments.ts'
import { getDnsRecords, verifyDomain } from './resources/domain-records.ts'
import { createDomain, deleteDomain, getDomain, listDomains, updateDomain } from './resources/domains.ts'
import { createFolder, deleteFolder, listFolders, updateFolder } from './resources/folders.ts'
import { listIdentities } from './resources/identities.ts'
import { getInboxMessage, getInboxThread, listInboxMessages } from './resources/inbox.ts'
import { deleteInboxMessage, moveInboxMessage, updateInboxMessage } from './resources/inbox-actions.ts'
import { setAutoReply, setSpamFilter } from './resources/mailbox-settings.ts'
import {
  createMailbox,
  deleteMailbox,
  getMailbox,
  listMailboxes,
  setMailboxPassword,
  updateMailbox,
} from './resources/mailboxes.ts'
import { cancelMessage, getMessageById, listMessages } from './resources/messages.ts'
import { openApiEndpoint } from './resources/openapi.ts'
import { getRules, replaceRules, testRules } from './resources/rules.ts'
import { sendBatch, sendMessage } from './resources/send-message.ts'
import { getStatus } from './resources/status.ts'
import { createSuppression, deleteSuppression, getSuppression, listSuppressions } from './resources/suppressions.ts'
import { getThread, listThreads, replyToThread } from './resources/threads.ts'
import { readUsage } from './resources/usage.ts'
import { getWebhookDelivery, listWebhookDeliveries, replayWebhookDelivery } from './resources/webhook-deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './resources/webhooks.ts'

const RESOURCES: readonly Endpoint[] = [
  getStatus,
  createDomain,
  listDomains,
  getDomain,
  updateDomain,
  deleteDomain,
  getDnsRecords,
  verifyDomain,
  createMailbox,
  listMailboxes,
  getMailbox,
  updateMailbox,
  deleteMailbox,
  setMailboxPassword,
  setAutoReply,
  setSpamFilter,
  listFolders,
  createFolder,
  updateFolder,
  deleteFolder,
  listIdentities,
  listInboxMessages,
  getInboxMessage,
  downloadRawMessage,
  updateInboxMessage,
  moveInboxMessage,
  deleteInboxMessage,
  getInboxThread,
  downloadAttachment,
  getRules,
  replaceRules,
  testRules,
  sendMessage,
  sendBatch,
  listMessages,
  getMessageById,
  cancelMessage,
  listThreads,
  getThread,
  replyToThread,
  createAlias,
  listAliases,
  getAlias,
  updateAlias,
  deleteAlias,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  replayWebhookDelivery,
  deleteWebhook,
  listSuppressions,
  createSuppression,
  getSuppression,
  deleteSuppression,
  createApiKey,
  listApiKeys,
  getApiKey,
  updateApiKey,
  deleteApiKey,
  readUsage,
]

/** The document describes itself too. */
export const ENDPOINTS: readonly Endpoint[] = [...RESOURCES, openApiEndpoint(() => ENDPOINTS)]
