/** EmailSubmission/set (RFC 8621 7.5) and the queue behind it. */

import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import type { AttemptReport } from '../../../jmap/mail/submission/queue-report.ts'
import type { Result } from '../../support/core.ts'
import type { AccountModel, ModelSubmission } from './account-model.ts'
import { type Call, type Op, outcomesFault, refusalFault, type World } from './op.ts'

const QUEUED = '250 2.0.0 queued'

export function judgeSubmissionSet(model: AccountModel, { args }: Call, result: Result, world: World): string | null {
  const fault = outcomesFault(args, result) ?? destroys(model, result) ?? updates(model, args, result, world)
  return fault ?? creates(model, args, result, world)
}

function destroys(model: AccountModel, result: Result): string | null {
  for (const id of result.destroyed ?? []) {
    if (model.submissions.get(id)?.dueAt !== null) return `destroyed ${id}, which is not done with`
    model.submissions.delete(id)
  }
  for (const [id, error] of Object.entries<Result>(result.notDestroyed ?? {})) {
    const submission = model.submissions.get(id)
    const allowed = !submission ? ['notFound'] : submission.dueAt === null ? [] : ['forbidden']
    const fault = refusalFault('destroy', id, error, allowed)
    if (fault) return fault
  }
  return null
}

/** The only update that is sent is cancelling. */
function updates(model: AccountModel, args: Result, result: Result, { now }: World): string | null {
  for (const id of Object.keys(args.update ?? {})) {
    const submission = model.submissions.get(id)
    const error = result.notUpdated?.[id]
    const isOpen = submission?.undoStatus === 'pending' && submission.leaseUntil <= now
    const allowed = !submission ? ['notFound'] : isOpen || submission.undoStatus === 'canceled' ? [] : ['cannotUnsend']
    if (error) {
      const fault = refusalFault('update', id, error, allowed)
      if (fault) return fault
    } else if (allowed.length > 0) return `updated ${id}; expected ${allowed}`
    else if (isOpen) model.submissions.set(id, { ...submission, undoStatus: 'canceled', dueAt: null })
  }
  return null
}

function creates(model: AccountModel, args: Result, result: Result, { now }: World): string | null {
  for (const [creationId, { emailId, envelope }] of Object.entries<Result>(args.create ?? {})) {
    const email = model.emails.get(emailId)
    const allowed = !email ? ['invalidProperties'] : email.message.author === model.address ? [] : ['forbiddenFrom']
    const error = result.notCreated?.[creationId]
    if (error) {
      const fault = refusalFault('create', creationId, error, allowed)
      if (fault) return fault
      continue
    }
    if (allowed.length > 0) return `created ${creationId}; expected ${allowed}`
    const holdFor = Number(envelope.mailFrom.parameters?.HOLDFOR ?? 0) * 1000
    const recipients = envelope.rcptTo.map((recipient: Result) => [recipient.email, ['queued', QUEUED]])
    model.submissions.set(result.created[creationId].id, {
      emailId,
      threadId: email!.threadId,
      undoStatus: holdFor > 0 ? 'pending' : 'final',
      sendAt: now + holdFor,
      dueAt: now + holdFor,
      lease: null,
      leaseUntil: 0,
      recipients: Object.fromEntries(recipients),
    })
  }
  return null
}

/** A worker claimed due messages, of any account, up to a limit. */
export function claimOp(claimed: readonly QueuedSubmission[], limit: number, leaseMs: number): Op {
  return {
    label: `claim ${limit} -> ${claimed.map(({ submissionId }) => submissionId)}`,
    apply(world) {
      const isFree = (submission: ModelSubmission) =>
        submission.dueAt !== null && submission.dueAt <= world.now && submission.leaseUntil <= world.now
      for (const { submissionId, lease, bytes } of claimed) {
        const model = world.accounts.find(({ submissions }) => submissions.has(submissionId))
        const submission = model?.submissions.get(submissionId)
        if (!model || !submission || !isFree(submission)) return `${submissionId} was not free`
        if (bytes.length === 0) return `${submissionId} has no message`
        const taken = { ...submission, undoStatus: 'final', lease, leaseUntil: world.now + leaseMs } as const
        model.change(() => model.submissions.set(submissionId, taken))
      }
      const left = world.accounts.flatMap(({ submissions }) => [...submissions]).filter(([, value]) => isFree(value))
      return claimed.length < limit && left.length > 0 ? `${left.map(([id]) => id)} should have been claimed` : null
    },
  }
}

/** A worker reported the result of an attempt. */
export function reportOp(submissionId: string, report: AttemptReport): Op {
  return {
    label: `report ${submissionId} ${JSON.stringify(report)}`,
    apply({ accounts }) {
      const model = accounts.find(({ submissions }) => submissions.has(submissionId))
      const submission = model?.submissions.get(submissionId)
      if (!model || !submission || submission.lease !== report.lease) return null
      const recipients: { [address: string]: readonly [string, string] } = { ...submission.recipients }
      for (const { address, status, smtpReply } of report.outcomes)
        if (recipients[address]?.[0] === 'queued')
          recipients[address] = [status === 'sent' ? 'unknown' : status === 'refused' ? 'no' : 'queued', smtpReply]
      const next = { ...submission, recipients, dueAt: report.retryAt, lease: null, leaseUntil: 0 }
      model.change(() => model.submissions.set(submissionId, { ...next, undoStatus: 'final' } as ModelSubmission))
      return null
    },
  }
}
