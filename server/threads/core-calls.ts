/** Which functions of the core run where the writer is, and how their octets cross: the caller's side and the writer's. */
import type { Transferable } from 'node:worker_threads'
import type { InboundMessage, QueuedSubmission, TransportPolicies } from '../../jmap/core.ts'
import type { HostedCore } from '../../jmap/create-core.ts'
import type { Idempotency } from '../../jmap/idempotency.ts'
import type { ModelDrafts } from '../../jmap/mail/delivery/model-drafts.ts'
import type { Push } from '../../jmap/push/push.ts'
import type { DomainChecks } from '../../jmap/service/domain/checks.ts'
import type { WebhookQueue } from '../../jmap/service/webhook/queue.ts'
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../base/limits.ts'
import { detachable, detachableAll, type RpcClient, type RpcHandler } from './rpc.ts'

type Remote = Pick<
  HostedCore,
  | 'process'
  | 'processText'
  | 'processMessage'
  | 'upload'
  | 'createOrganization'
  | 'ingest'
  | 'submit'
  | 'claimSubmissions'
  | 'renewSubmissions'
  | 'reportAttempts'
  | 'drainIndex'
  | 'noteKeyUse'
  | 'keepVerifier'
  | 'evaluateReputations'
  | 'mailOwners'
  | 'sweep'
>

/** The writer's functions, as the other threads call them. */
export function remoteCore(rpc: RpcClient): Remote {
  return {
    process: (...args) => rpc.call('process', args),
    processText(principal, body) {
      // A large request is given away, not copied: nobody reads it on this side any more.
      const bytes = isWhole(body) ? body : detachable(body)
      return rpc.call('processText', [principal, bytes], [bytes.buffer])
    },
    upload(principal, accountId, type, body) {
      const bytes = detachable(body)
      return rpc.call('upload', [principal, accountId, type, bytes], [bytes.buffer])
    },
    processMessage(principal, message, mayRun) {
      const bytes = detachable(message)
      return rpc.call('processMessage', [principal, bytes, mayRun], [bytes.buffer])
    },
    createOrganization: (...args) => rpc.call('createOrganization', args),
    ingest(messages) {
      const copies = messages.map((message): InboundMessage => ({ ...message, bytes: detachable(message.bytes) }))
      return rpc.call('ingest', [copies], buffersOf(copies))
    },
    submit(principal, message) {
      const bytes = detachable(message.bytes)
      return rpc.call('submit', [principal, { ...message, bytes }], [bytes.buffer])
    },
    claimSubmissions: (...args) => rpc.call('claimSubmissions', args),
    renewSubmissions: (...args) => rpc.call('renewSubmissions', args),
    reportAttempts: (...args) => rpc.call('reportAttempts', args),
    drainIndex: (...args) => rpc.call('drainIndex', args),
    noteKeyUse: (...args) => rpc.call('noteKeyUse', args),
    keepVerifier: (...args) => rpc.call('keepVerifier', args),
    evaluateReputations: () => rpc.call('evaluateReputations', []),
    mailOwners: () => rpc.call('mailOwners', []),
    sweep: () => rpc.call('sweep', []),
  }
}

/** Those of push that write. */
export function remotePush(rpc: RpcClient): Pick<Push, 'ring' | 'claim' | 'report'> {
  return {
    ring: (...args) => rpc.call('push.ring', args),
    claim: (...args) => rpc.call('push.claim', args),
    report: (...args) => rpc.call('push.report', args),
  }
}

/** Those of domain checks that write. */
export function remoteDomainChecks(rpc: RpcClient): Pick<DomainChecks, 'claim' | 'run' | 'renew'> {
  return {
    claim: (...args) => rpc.call('domainChecks.claim', args),
    run: (...args) => rpc.call('domainChecks.run', args),
    renew: (...args) => rpc.call('domainChecks.renew', args),
  }
}

/** Those of drafts of a model that write. */
export function remoteModelDrafts(rpc: RpcClient): Pick<ModelDrafts, 'claim' | 'report' | 'renew'> {
  return {
    claim: (...args) => rpc.call('modelDrafts.claim', args),
    report: (...args) => rpc.call('modelDrafts.report', args),
    renew: (...args) => rpc.call('modelDrafts.renew', args),
  }
}

export function remoteIdempotency(rpc: RpcClient): Idempotency {
  return {
    begin: (...args) => rpc.call('idempotency.begin', args),
    finish: (...args) => rpc.call('idempotency.finish', args),
    abandon: (...args) => rpc.call('idempotency.abandon', args),
  }
}

/** Those of webhooks that write. */
export function remoteWebhooks(rpc: RpcClient): Pick<WebhookQueue, 'claim' | 'report'> {
  return {
    claim: (...args) => rpc.call('webhooks.claim', args),
    report: (...args) => rpc.call('webhooks.report', args),
  }
}

/** The same functions where they run. */
export function coreHandlers(core: HostedCore): ReadonlyMap<string, RpcHandler> {
  const plain =
    <A extends never[]>(run: (...args: A) => Promise<unknown>): RpcHandler =>
    async (...args) => ({ value: await run(...(args as unknown as A)) })
  return new Map<string, RpcHandler>([
    ['process', plain((...args: Parameters<HostedCore['process']>) => core.process(...args))],
    ['processText', plain((...args: Parameters<HostedCore['processText']>) => core.processText(...args))],
    ['processMessage', plain((...args: Parameters<HostedCore['processMessage']>) => core.processMessage(...args))],
    ['upload', plain((...args: Parameters<HostedCore['upload']>) => core.upload(...args))],
    ['createOrganization', plain((name: string) => core.createOrganization(name))],
    ['ingest', plain((messages: readonly InboundMessage[]) => core.ingest(messages))],
    ['submit', plain((...args: Parameters<HostedCore['submit']>) => core.submit(...args))],
    ['claimSubmissions', claim(core)],
    [
      'renewSubmissions',
      plain((...args: Parameters<HostedCore['renewSubmissions']>) => core.renewSubmissions(...args)),
    ],
    ['reportAttempts', plain((...args: Parameters<HostedCore['reportAttempts']>) => core.reportAttempts(...args))],
    ['drainIndex', plain((account: number) => core.drainIndex(account))],
    ['noteKeyUse', plain((...args: Parameters<HostedCore['noteKeyUse']>) => core.noteKeyUse(...args))],
    ['keepVerifier', plain((...args: Parameters<HostedCore['keepVerifier']>) => core.keepVerifier(...args))],
    [
      'transportPolicies.keep',
      plain((...args: Parameters<TransportPolicies['keep']>) => core.transportPolicies.keep(...args)),
    ],
    ['evaluateReputations', plain(() => core.evaluateReputations())],
    ['mailOwners', plain(() => core.mailOwners())],
    ['sweep', plain(() => core.sweep())],
    ['push.ring', plain((...args: Parameters<Push['ring']>) => core.push.ring(...args))],
    ['push.claim', plain((...args: Parameters<Push['claim']>) => core.push.claim(...args))],
    ['push.report', plain((...args: Parameters<Push['report']>) => core.push.report(...args))],
    ['domainChecks.claim', plain((...args: Parameters<DomainChecks['claim']>) => core.domainChecks.claim(...args))],
    ['domainChecks.run', plain((...args: Parameters<DomainChecks['run']>) => core.domainChecks.run(...args))],
    ['domainChecks.renew', plain((...args: Parameters<DomainChecks['renew']>) => core.domainChecks.renew(...args))],
    ['modelDrafts.renew', plain((...args: Parameters<ModelDrafts['renew']>) => core.modelDrafts.renew(...args))],
    ['modelDrafts.claim', plain((...args: Parameters<ModelDrafts['claim']>) => core.modelDrafts.claim(...args))],
    ['modelDrafts.report', plain((...args: Parameters<ModelDrafts['report']>) => core.modelDrafts.report(...args))],
    ['idempotency.begin', plain((...args: Parameters<Idempotency['begin']>) => core.idempotency.begin(...args))],
    ['idempotency.finish', plain((...args: Parameters<Idempotency['finish']>) => core.idempotency.finish(...args))],
    ['idempotency.abandon', plain((...args: Parameters<Idempotency['abandon']>) => core.idempotency.abandon(...args))],
    ['webhooks.claim', plain((...args: Parameters<WebhookQueue['claim']>) => core.webhooks.claim(...args))],
    ['webhooks.report', plain((...args: Parameters<WebhookQueue['report']>) => core.webhooks.report(...args))],
    ['close', plain(() => core.close())],
  ])
}

function claim(core: HostedCore): RpcHandler {
  return async (...args) => {
    const claimed = await core.claimSubmissions(...(args as unknown as Parameters<HostedCore['claimSubmissions']>))
    const octets = detachableAll(claimed.map(({ bytes }) => bytes))
    const value = claimed.map((submission, i): QueuedSubmission => ({ ...submission, bytes: octets[i]! }))
    return { value, transfer: [...new Set(octets.map(({ buffer }) => buffer))] }
  }
}

/** Whether octets have their memory to themselves. */
function isWhole(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > PARSE_BEFORE_WRITER_MAX_BYTES
}

function buffersOf(items: readonly { readonly bytes: Uint8Array }[]): Transferable[] {
  return items.map(({ bytes }) => bytes.buffer as ArrayBuffer)
}
