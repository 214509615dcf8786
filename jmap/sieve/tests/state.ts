/** Tests of facts outside the message: mailboxes (RFC 5490, 8579), environment (5183), spam (5235), flags (5232), variables (5229). */
import type { TestDefinition } from '../definition.ts'
import type { SieveEnvironment } from '../environment.ts'
import { splitFlags } from '../flags.ts'
import { roleOf } from '../mailboxes.ts'
import { compileMatch, MATCH_TAGS } from '../match.ts'
import type { Run } from '../run.ts'

const mailboxexists: TestDefinition = {
  name: 'mailboxexists',
  requires: ['mailbox'],
  positional: ['strings'],
  compile(bound) {
    const paths = bound.textsAt(0)
    return (run) => paths.read(run).every((path) => run.environment.mailboxes.find(path) !== null)
  },
}

const specialuseExists: TestDefinition = {
  name: 'specialuse_exists',
  requires: ['special-use'],
  positional: ['string', 'strings'],
  optional: 1,
  compile(bound) {
    const path = bound.text(0)
    const attributes = bound.textsAt(1)
    return (run) => {
      const { mailboxes } = run.environment
      const own = path && mailboxes.find(path.read(run))
      return attributes.read(run).every((attribute) => {
        const role = roleOf(attribute)
        const id = role === null ? null : mailboxes.ofRole(role)
        return id !== null && (!path || id === own)
      })
    }
  },
}

/** RFC 5183 4.1; null: an unknown item. */
function environmentItem({ host }: SieveEnvironment, item: string): string | null {
  switch (item.toLowerCase()) {
    case 'name':
      return 'Posthouse'
    case 'location':
      return 'MS'
    case 'phase':
      return 'during'
    case 'version':
      return host?.version ?? ''
    case 'host':
      return host?.name ?? ''
    case 'domain':
      return host?.domain ?? ''
    case 'remote-host':
      return host?.remoteHost ?? ''
    case 'remote-ip':
      return host?.remoteIp ?? ''
    default:
      return null
  }
}

const environment: TestDefinition = {
  name: 'environment',
  requires: ['environment'],
  tags: MATCH_TAGS,
  positional: ['string', 'strings'],
  compile(bound) {
    const item = bound.textAt(0)
    const counts = bound.has('count')
    const match = compileMatch(bound, bound.textsAt(1))
    return (run) => {
      const value = environmentItem(run.environment, item.read(run))
      // RFC 5183 4: an unknown item never matches; an empty one counts as zero values.
      if (value === null) return false
      return match(run, counts && value === '' ? [] : [value])
    }
  },
}

const spamtest: TestDefinition = {
  name: 'spamtest',
  requires: ['spamtest', 'spamtestplus'],
  tags: { ...MATCH_TAGS, percent: { requires: 'spamtestplus' } },
  positional: ['string'],
  compile(bound) {
    const asPercent = bound.has('percent')
    const counts = bound.has('count')
    const match = compileMatch(bound, bound.textsAt(0))
    return (run) => {
      const { spam } = run.environment
      // RFC 5235 3.1: a message without a score counts as 0 and has the value "0".
      if (!spam) return match(run, counts ? [] : ['0'])
      // At the account's threshold the message is certainly spam: 10, or 100 percent (RFC 5235 3.2).
      const part = Math.min(1, Math.max(0, spam.score / spam.threshold))
      return match(run, [String(asPercent ? Math.floor(part * 100) : 1 + Math.floor(part * 9))])
    }
  },
}

const hasflag: TestDefinition = {
  name: 'hasflag',
  requires: ['imap4flags'],
  tags: MATCH_TAGS,
  positional: ['strings', 'strings'],
  optional: 1,
  compile(bound) {
    const names = bound.texts(0)
    if (names) bound.require('variables', 'a variable for flags')
    const keys = bound.textsAt(1)
    const counts = bound.has('count')
    // RFC 5232 4: `"b A"` holds two flags, but :count compares with a number.
    const flags = counts
      ? keys
      : {
          ...keys,
          constants: keys.constants && splitWords(keys.constants),
          read: (run: Run) => splitWords(keys.read(run)),
        }
    const match = compileMatch(bound, flags)
    return (run) =>
      match(
        run,
        names
          ? names.read(run).flatMap((name) => splitFlags([run.variables.get(name.toLowerCase()) ?? '']))
          : run.flags,
      )
  },
}

function splitWords(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(/[ \t\r\n]+/).filter((word) => word !== ''))
}

const string: TestDefinition = {
  name: 'string',
  requires: ['variables'],
  tags: MATCH_TAGS,
  positional: ['strings', 'strings'],
  compile(bound) {
    const sources = bound.textsAt(0)
    const counts = bound.has('count')
    const match = compileMatch(bound, bound.textsAt(1))
    return (run) => {
      const values = sources.read(run)
      // RFC 5229 5: empty strings are not counted.
      return match(run, counts ? values.filter((value) => value !== '') : values)
    }
  },
}

export const stateTests: readonly TestDefinition[] = [
  mailboxexists,
  specialuseExists,
  environment,
  spamtest,
  hasflag,
  string,
]
