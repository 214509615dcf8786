/** RFC 5228 3.3 and 4: keep, discard, fileinto, redirect, stop; with flags (RFC 5232 5), copies (3894), mailboxes (5490, 8579). */
import { SIEVE_REDIRECTS_MAX } from '../../../server/base/sieve-limits.ts'
import { parseAddresses } from '../../message/addresses.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { Bound } from '../bound.ts'
import type { ActionDefinition } from '../definition.ts'
import { keywordsOf, splitFlags } from '../flags.ts'
import { roleOf, targetOf } from '../mailboxes.ts'
import type { SieveTarget } from '../outcome.ts'
import { type Run, SieveRunError, SieveStop } from '../run.ts'

const FLAGS = { flags: { value: 'strings', requires: 'imap4flags' } } as const
const COPY = { copy: { requires: 'copy' } } as const

/** RFC 5232 5: the flags of the command, else those of the internal variable when the command runs. */
function compileFlags(bound: Bound): (run: Run) => readonly string[] {
  const flags = bound.texts('flags')
  return (run) => (flags ? splitFlags(flags.read(run)) : run.flags)
}

const keep: ActionDefinition = {
  name: 'keep',
  requires: [],
  tags: FLAGS,
  compile(bound) {
    const flags = compileFlags(bound)
    return (run) => {
      run.forbidWithReject('keep', bound.line)
      run.keepCancelled = true
      run.act({ kind: 'keep', flags: keywordsOf(flags(run)), implicit: false }, bound.line)
      run.note(bound.line, 'Kept.')
    }
  },
}

const discard: ActionDefinition = {
  name: 'discard',
  requires: [],
  compile:
    ({ line }) =>
    (run) => {
      run.keepCancelled = true
      run.note(line, 'Discarded, unless something else keeps it.')
    },
}

const fileinto: ActionDefinition = {
  name: 'fileinto',
  requires: ['fileinto'],
  tags: {
    ...FLAGS,
    ...COPY,
    create: { requires: 'mailbox' },
    specialuse: { value: 'string', requires: 'special-use' },
  },
  positional: ['string'],
  compile(bound) {
    const path = bound.textAt(0)
    const attribute = bound.text('specialuse')
    const creates = bound.has('create')
    const copies = bound.has('copy')
    const flags = compileFlags(bound)
    return (run) => {
      run.forbidWithReject('fileinto', bound.line)
      if (!copies) run.keepCancelled = true
      const role = attribute ? roleOf(attribute.read(run)) : null
      run.file(place(run, path.read(run), role, creates, bound.line), flags(run), bound.line)
    }
  },
}

/** RFC 8579 4: the mailbox with that special use, else the named one. RFC 5228 4.1: the inbox if the mailbox does not exist. */
function place(run: Run, path: string, role: string | null, creates: boolean, line: number): SieveTarget {
  const { mailboxes } = run.environment
  const special = role === null ? null : mailboxes.ofRole(role)
  if (special !== null) return { id: special, path }
  const target = targetOf(mailboxes, path, role)
  if (target && ('id' in target || creates)) return target
  // RFC 5490 3.2: a mailbox that cannot be created is an error.
  if (creates) throw new SieveRunError(line, `there cannot be a mailbox ${JSON.stringify(path.slice(0, 100))}`)
  run.note(line, `There is no mailbox ${JSON.stringify(path)}.`)
  const inbox = mailboxes.find('INBOX')
  if (inbox === null) throw new SieveRunError(line, 'there is no inbox')
  return { id: inbox, path: 'INBOX' }
}

const redirect: ActionDefinition = {
  name: 'redirect',
  requires: [],
  tags: COPY,
  positional: ['string'],
  compile(bound) {
    const text = bound.textAt(0)
    const copies = bound.has('copy')
    if (text.constant !== null && addressOf(text.constant) === null)
      throw bound.error(`${JSON.stringify(text.constant.slice(0, 100))} is no address`)
    return (run) => {
      run.forbidWithReject('redirect', bound.line)
      const address = addressOf(text.read(run))
      if (address === null) throw new SieveRunError(bound.line, 'redirect needs an address')
      if (!run.environment.settings.mayRedirect) {
        run.note(bound.line, `Not redirected to ${address}: it is not permitted here. The message is kept instead.`)
        return
      }
      const redirects = run.actions.filter(({ kind }) => kind === 'redirect').length
      if (redirects >= SIEVE_REDIRECTS_MAX)
        throw new SieveRunError(bound.line, `the script redirected more than ${SIEVE_REDIRECTS_MAX} times`)
      if (!copies) run.keepCancelled = true
      run.act({ kind: 'redirect', address }, bound.line)
      run.note(bound.line, `Redirected to ${address}.`)
    }
  },
}

/** RFC 5228 2.4.2.3: one address, with or without a display name. */
function addressOf(text: string): string | null {
  const [address, ...more] = parseAddresses(text)
  return address && more.length === 0 ? normaliseAddress(address.email) : null
}

const stop: ActionDefinition = {
  name: 'stop',
  requires: [],
  compile:
    ({ line }) =>
    (run) => {
      run.note(line, 'Stopped.')
      throw new SieveStop()
    },
}

export const keepActions: readonly ActionDefinition[] = [keep, discard, fileinto, redirect, stop]
