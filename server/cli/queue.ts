/** `posthouse queue list|show|hold|release|retry|delete`: the outgoing queue. A running server notices changes within ten seconds. */

import type { QueueEntry } from '../../jmap/mail/queue/queue.type.ts'
import { QueueAdministration, type QueueFilter } from '../administration/queue-administration.ts'
import { type Command, type CommandOption, type Invocation, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { type CommandContext, chooseOrganization, withCore } from './with-core.ts'

const DESTINATION: CommandOption = { value: '<domain>', help: 'only mail to this domain' }
const FILTERS = { organization: ORGANIZATION, destination: DESTINATION, held: { help: 'only held mail' } }

export const queueList: Command = {
  name: 'queue list',
  summary: 'lists the mail in the outgoing queue, and why it waits',
  options: FILTERS,
  run: (invocation) => print(invocation, null, (entry) => `${oneLine(entry)}  ${entry.reason}\n`),
}

export const queueShow: Command = {
  name: 'queue show',
  summary: 'shows one message of the queue with all its recipients',
  positionals: '<submission id>',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    const [id, more] = invocation.positionals
    if (id === undefined || more !== undefined) throw new UsageError('queue show needs one id')
    return print(invocation, id, inFull)
  },
}

async function print(
  invocation: Invocation,
  submissionId: string | null,
  words: (entry: QueueEntry) => string,
): Promise<number> {
  let found = 0
  await withCore(invocation, async (context) => {
    const { print: write } = invocation.terminal
    for await (const entry of entriesOf(context, invocation, submissionId)) {
      found++
      write(context.json ? `${JSON.stringify(entry)}\n` : words(entry))
    }
    if (found === 0 && !context.json) invocation.terminal.printError('no such mail is in the queue\n')
  })
  return submissionId !== null && found === 0 ? 1 : 0
}

const ACTIONS = {
  hold: 'holds mail until it is released',
  release: 'releases held mail',
  retry: 'tries again now, regardless of the schedule',
  delete: 'removes mail from the queue: it is not sent, and its sender is not notified',
} as const

function actionCommand(action: keyof typeof ACTIONS): Command {
  return {
    name: `queue ${action}`,
    summary: ACTIONS[action],
    positionals: '[<submission id>...]',
    description: 'Without ids, --destination or --held select the mail.',
    options: FILTERS,
    run: (invocation) => act(invocation, action),
  }
}

export const queueActions: readonly Command[] = (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).map(actionCommand)

async function act(invocation: Invocation, action: keyof typeof ACTIONS): Promise<number> {
  const { positionals, options, terminal } = invocation
  const isFiltered = options['held'] === true || optional(invocation, 'destination') !== null
  if (positionals.length === 0 && !isFiltered)
    throw new UsageError(`queue ${action} needs ids, --destination or --held`)
  let failed = 0
  await withCore(invocation, async (context) => {
    const queue = new QueueAdministration(context.core)
    let changed = 0
    for (const organization of await organizationsOf(context, invocation)) {
      const ids = positionals.length > 0 ? positionals : await matching(queue, organization, invocation)
      const result = await queue.change(organization, ids, optional(invocation, 'destination'), action)
      changed += result.changed
      for (const [id, reason] of result.refused) {
        if (positionals.length > 0 && reason === 'notFound') continue
        failed++
        terminal.printError(`${id}: ${reason}\n`)
      }
    }
    if (positionals.length > 0 && changed + failed < new Set(positionals).size) {
      failed++
      terminal.printError('some of the ids are not in the queue\n')
    }
    terminal.print(context.json ? `${JSON.stringify({ changed })}\n` : `${changed} changed\n`)
  })
  return failed === 0 ? 0 : 1
}

async function matching(queue: QueueAdministration, organization: string, invocation: Invocation): Promise<string[]> {
  const ids = new Set<string>()
  for await (const { submissionId } of queue.entries(organization, filterOf(invocation, null))) ids.add(submissionId)
  return [...ids]
}

async function* entriesOf(context: CommandContext, invocation: Invocation, submissionId: string | null) {
  const queue = new QueueAdministration(context.core)
  for (const organization of await organizationsOf(context, invocation))
    yield* queue.entries(organization, filterOf(invocation, submissionId))
}

/** The id of the named organization, or those of all. */
async function organizationsOf({ admin }: CommandContext, invocation: Invocation): Promise<string[]> {
  const wanted = optional(invocation, 'organization')
  if (wanted !== null) return [await chooseOrganization(admin, wanted)]
  return (await admin.organizations()).map(({ id }) => id)
}

function filterOf(invocation: Invocation, submissionId: string | null): QueueFilter {
  return {
    submissionId,
    destination: optional(invocation, 'destination'),
    isHeld: invocation.options['held'] === true ? true : null,
  }
}

function oneLine({
  submissionId,
  state,
  destination,
  mailFrom,
  recipients,
  attempts,
  nextAttemptAt,
}: QueueEntry): string {
  const to = `${recipients.length} of ${destination}`
  const next = nextAttemptAt === null ? '' : `, next ${nextAttemptAt}`
  return `${submissionId}  ${state}  <${mailFrom}> -> ${to}  ${attempts} attempts${next}`
}

function inFull(entry: QueueEntry): string {
  const lines = entry.recipients.map(({ email, smtpReply }) => `  ${email}${smtpReply ? `: ${smtpReply}` : ''}\n`)
  return `${oneLine(entry)}\n  queued ${entry.queuedAt}\n  ${entry.reason}\n${lines.join('')}`
}
