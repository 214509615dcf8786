/** Every command, one line each. */
import { audienceExport, audienceImport } from './audience.ts'
import { backup, restore } from './backup.ts'
import { billingCheckout, billingFake, billingPortal, billingShow, billingSync } from './billing.ts'
import { domainsRegister, domainsSearch } from './buy-domains.ts'
import { calendarExport, calendarImport } from './calendar.ts'
import type { Command } from './command.ts'
import { dnsApply } from './dns.ts'
import { domainsRotateDkim } from './domains.ts'
import { exportMail } from './export-mail.ts'
import { importJmap, importMaildir } from './import-mail.ts'
import { importFiles, importImap } from './import-on-server.ts'
import { keysCreate, keysList, keysRevoke } from './keys.ts'
import { listen } from './listen.ts'
import { mailboxesPassword } from './mailboxes.ts'
import { planSet, planShow } from './plan.ts'
import { queueActions, queueList, queueShow } from './queue.ts'
import { reputationRelease, reputationShow } from './reputation.ts'
import { serve } from './serve.ts'
import { setup } from './setup.ts'
import { verify } from './verify.ts'

export const COMMANDS: readonly Command[] = [
  serve,
  setup,
  listen,
  keysCreate,
  keysList,
  keysRevoke,
  mailboxesPassword,
  calendarImport,
  calendarExport,
  importImap,
  importFiles,
  importMaildir,
  importJmap,
  exportMail,
  domainsSearch,
  domainsRegister,
  domainsRotateDkim,
  dnsApply,
  queueList,
  queueShow,
  ...queueActions,
  planShow,
  planSet,
  billingShow,
  billingSync,
  billingCheckout,
  billingPortal,
  billingFake,
  reputationShow,
  reputationRelease,
  audienceImport,
  audienceExport,
  backup,
  restore,
  verify,
]
