/** Checks the response to one call against the state of the model; if it is right, the model applies the change. */
import type { Result } from '../../support/core.ts'
import type { AccountModel, TypeName } from './account-model.ts'
import { judgeCopy, judgeEmailSet, judgeImport } from './judge-emails.ts'
import { judgeMailboxSet } from './judge-mailboxes.ts'
import { judgeSubmissionSet } from './judge-submissions.ts'
import type { Call, Op, World } from './op.ts'

type Judge = (model: AccountModel, call: Call, result: Result, world: World) => string | null

const JUDGES: { readonly [method: string]: { readonly type: TypeName; readonly judge: Judge } } = {
  'Mailbox/set': { type: 'Mailbox', judge: judgeMailboxSet },
  'Email/set': { type: 'Email', judge: judgeEmailSet },
  'Email/import': { type: 'Email', judge: judgeImport },
  'Email/copy': { type: 'Email', judge: judgeCopy },
  'EmailSubmission/set': { type: 'EmailSubmission', judge: judgeSubmissionSet },
}

export function opOf(call: Call, name: string, result: Result): Op {
  const label = `${call.name} ${JSON.stringify(call.args)} -> ${name} ${JSON.stringify(result)}`
  return {
    label,
    apply(world) {
      const { type, judge } = JUDGES[call.name]!
      const model = world.accounts[call.account]!
      const version = model.versions[type]
      const stale = call.ifInVersion !== undefined && call.ifInVersion !== version
      if (name === 'error') {
        // A state may advance without a visible difference: a count that went up and down again.
        const mayBeStale = stale || (call.ifInVersion !== undefined && type === 'Mailbox')
        return result.type === 'stateMismatch' && mayBeStale ? null : `an error: ${JSON.stringify(result)}`
      }
      if (name !== call.name) return `answered by ${name}`
      if (stale) return 'a stale ifInState was taken'
      const state = model.states[type]
      if (state !== undefined && state !== result.oldState) return `oldState is ${result.oldState}, not ${state}`
      const fault = model.change(() => judge(model, call, result, world))
      if (fault) return fault
      model.states = { ...model.states, [type]: result.newState }
      const moved = model.versions[type] !== version
      if (moved && result.oldState === result.newState) return 'the state did not move'
      if (!moved && result.oldState !== result.newState && type !== 'Mailbox') return 'the state moved for nothing'
      return null
    },
  }
}
